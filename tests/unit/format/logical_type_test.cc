#include "format/logical_type.h"

#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <gtest/gtest.h>

#include <string>

#include "pennon/base/error.h"

namespace pennon {
namespace {

struct Case {
  const char* name;
  std::shared_ptr<arrow::DataType> type;
};

TEST(LogicalTypeTest, NamesGoBothWays) {
  const Case cases[] = {
      {"null", arrow::null()},
      {"bool", arrow::boolean()},
      {"uint8", arrow::uint8()},
      {"int64", arrow::int64()},
      {"halffloat", arrow::float16()},
      {"float", arrow::float32()},
      {"double", arrow::float64()},
      {"decimal:128:20:2", arrow::decimal128(20, 2)},
      {"decimal:256:50:-3", arrow::decimal256(50, -3)},
      {"string", arrow::utf8()},
      {"large_string", arrow::large_utf8()},
      {"binary", arrow::binary()},
      {"large_binary", arrow::large_binary()},
      {"fixed_size_binary:16", arrow::fixed_size_binary(16)},
      {"date32:day", arrow::date32()},
      {"date64:ms", arrow::date64()},
      {"time32:ms", arrow::time32(arrow::TimeUnit::MILLI)},
      {"time64:ns", arrow::time64(arrow::TimeUnit::NANO)},
      {"timestamp:us:-", arrow::timestamp(arrow::TimeUnit::MICRO)},
      {"timestamp:ns:Europe/Prague", arrow::timestamp(arrow::TimeUnit::NANO, "Europe/Prague")},
      {"timestamp:us:+08:00", arrow::timestamp(arrow::TimeUnit::MICRO, "+08:00")},
      {"duration:s", arrow::duration(arrow::TimeUnit::SECOND)},
      {"dict:string:int8:false", arrow::dictionary(arrow::int8(), arrow::utf8())},
      {"dict:int64:uint32:false", arrow::dictionary(arrow::uint32(), arrow::int64())},
      {"fixed_size_list:float:768", arrow::fixed_size_list(arrow::float32(), 768)},
      {"fixed_size_list:timestamp:us:+08:00:2",
       arrow::fixed_size_list(arrow::timestamp(arrow::TimeUnit::MICRO, "+08:00"), 2)},
      {"fixed_size_list:fixed_size_list:float:2:3",
       arrow::fixed_size_list(arrow::fixed_size_list(arrow::float32(), 2), 3)},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    auto type = ParseLogicalType(c.name);
    ASSERT_TRUE(type.ok()) << type.status();
    EXPECT_TRUE((*type)->Equals(c.type)) << (*type)->ToString();
    auto name = FormatLogicalType(*c.type);
    ASSERT_TRUE(name.ok()) << name.status();
    EXPECT_EQ(*name, c.name);
  }
}

TEST(LogicalTypeTest, OneWayNames) {
  EXPECT_TRUE(ParseLogicalType("json").ValueOrDie()->Equals(arrow::large_binary()));
  EXPECT_TRUE(ParseLogicalType("blob").ValueOrDie()->Equals(arrow::large_binary()));
  EXPECT_EQ(*FormatLogicalType(*arrow::utf8_view()), "string");
  EXPECT_EQ(*FormatLogicalType(*arrow::binary_view()), "binary");
  EXPECT_EQ(*FormatLogicalType(*arrow::list(arrow::int8())), "list");
  EXPECT_EQ(*FormatLogicalType(*arrow::list(arrow::struct_({}))), "list.struct");
  EXPECT_EQ(*FormatLogicalType(*arrow::large_list(arrow::struct_({}))), "large_list.struct");
  EXPECT_EQ(*FormatLogicalType(*arrow::fixed_size_list(arrow::struct_({}), 4)),
            "fixed_size_list:struct:4");
  EXPECT_EQ(*FormatLogicalType(*arrow::map(arrow::utf8(), arrow::int32())), "map");
}

TEST(LogicalTypeTest, Bfloat16ItemsKeepTheirExtension) {
  auto type = ParseLogicalType("fixed_size_list:lance.bfloat16:8").ValueOrDie();
  const auto& list = static_cast<const arrow::FixedSizeListType&>(*type);
  EXPECT_TRUE(list.value_type()->Equals(arrow::fixed_size_binary(2)));
  ASSERT_NE(list.value_field()->metadata(), nullptr);
  EXPECT_EQ(*list.value_field()->metadata()->Get("ARROW:extension:name"), "lance.bfloat16");
  EXPECT_EQ(*FormatLogicalType(*type), "fixed_size_list:lance.bfloat16:8");
}

TEST(LogicalTypeTest, BadNamesAreRefusedByName) {
  for (const char* name : {"",
                           "int",
                           "interval",
                           "fixed_size_list",
                           "fixed_size_list:float",
                           "fixed_size_list:float:0",
                           "fixed_size_list:float:-1",
                           "fixed_size_list:float:3x",
                           "fixed_size_list:nope:3",
                           "timestamp:us",
                           "timestamp:m:UTC",
                           "decimal:128:39:2",
                           "decimal:64:5:2",
                           "decimal:128:x:2",
                           "dict:string:utf8:false",
                           "dict:string",
                           "dict:timestamp:us:-:int8:false",
                           "fixed_size_binary:-1",
                           "fixed_size_binary:99999999999",
                           "time32:us"}) {
    SCOPED_TRACE(name);
    auto type = ParseLogicalType(name);
    ASSERT_FALSE(type.ok());
    EXPECT_EQ(KindOf(type.status()), ErrorKind::kUnsupportedFeature);
    EXPECT_NE(MessageOf(type.status()).find(name), std::string::npos);
  }
  EXPECT_FALSE(ParseLogicalType("fixed_size_list:fixed_size_list:float:1000000:1000000").ok());
  std::string deep = "float";
  for (int i = 0; i < 1000; ++i) deep = "fixed_size_list:" + deep + ":1";
  EXPECT_FALSE(ParseLogicalType(deep).ok());
}

TEST(LogicalTypeTest, ArrowTypesThatCannotBeStored) {
  for (const auto& type :
       {arrow::month_interval(), arrow::decimal32(5, 2), arrow::decimal64(5, 2),
        arrow::list_view(arrow::int8()), arrow::run_end_encoded(arrow::int32(), arrow::utf8()),
        arrow::map(arrow::utf8(), arrow::int32(), true),
        arrow::fixed_size_list(arrow::list(arrow::int8()), 2),
        arrow::dictionary(arrow::int8(), arrow::date32()),
        arrow::fixed_size_list(arrow::fixed_size_list(arrow::struct_({}), 2), 2),
        arrow::dense_union({arrow::field("a", arrow::int8())})}) {
    SCOPED_TRACE(type->ToString());
    auto name = FormatLogicalType(*type);
    ASSERT_FALSE(name.ok());
    EXPECT_EQ(KindOf(name.status()), ErrorKind::kUnsupportedFeature);
  }
}

}  // namespace
}  // namespace pennon
