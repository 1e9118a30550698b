#include "rows.h"

#include <gtest/gtest.h>

namespace pennon::cli {
namespace {

using Columns = std::optional<std::vector<std::string>>;

TEST(RowsTest, ColumnsAreSplitAtCommasOutsideOfBackticks) {
  ColumnArguments arguments;
  EXPECT_EQ(arguments.Select().columns, Columns());
  arguments.columns = {"a,b.c", "`x,y`.z,`odd``,`"};
  EXPECT_EQ(arguments.Select().columns, (Columns({"a", "b.c", "`x,y`.z", "`odd``,`"})));
  arguments.columns = {"a,,b"};
  EXPECT_EQ(arguments.Select().columns, (Columns({"a", "", "b"})));
}

TEST(RowsTest, NumbersAreDecimal) {
  for (const auto& [text, value] : std::vector<std::pair<std::string, uint64_t>>{
           {"0", 0}, {"010", 10}, {"18446744073709551615", UINT64_MAX}}) {
    CLI::App app;
    uint64_t number = 1;
    app.add_option("--limit", number)->transform(WholeNumber());
    app.parse("--limit " + text);
    EXPECT_EQ(number, value) << text;
  }
  for (const std::string text : {"-1", "1.5", "0x10", "18446744073709551616", "ten", "1 "}) {
    CLI::App app;
    uint64_t number = 1;
    app.add_option("--limit", number)->transform(WholeNumber());
    EXPECT_THROW(app.parse(std::vector<std::string>{text, "--limit"}), CLI::ParseError) << text;
  }
}

}  // namespace
}  // namespace pennon::cli
