// Any text is parsed or refused, and what is parsed runs on a small batch without harm.
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "pennon/base/error.h"
#include "pennon/dataset/filter.h"

namespace {

struct Column {
  const char* name;
  std::shared_ptr<arrow::DataType> type;
  const char* json;
};

std::shared_ptr<arrow::RecordBatch> MakeBatch() {
  const Column columns[] = {
      {"a", arrow::int32(), "[0, null, -2147483648]"},
      {"f", arrow::float64(), "[-0.0, null, NaN]"},
      {"s", arrow::utf8(), R"(["ab", null, "ünï"])"},
      {"b", arrow::boolean(), "[true, null, false]"},
      {"d", arrow::date32(), "[0, null, 2147483647]"},
      {"t", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), "[0, null, -9223372036854775807]"},
      {"n", arrow::decimal128(10, 2), R"(["1.10", null, "-99999999.99"])"},
      {"x", arrow::binary(), R"(["AB", null, ""])"},
      {"l", arrow::list(arrow::int64()), "[[1, null], null, []]"},
      {"p", arrow::struct_({arrow::field("q", arrow::utf8())}),
       R"([{"q": "x"}, null, {"q": null}])"},
      {"_rowid", arrow::uint64(), "[0, 1, 18446744073709551615]"},
  };
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const Column& column : columns) {
    fields.push_back(arrow::field(column.name, column.type));
    arrays.push_back(arrow::json::ArrayFromJSONString(column.type, column.json).ValueOrDie());
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), 3, arrays);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto batch = MakeBatch();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto filter = pennon::ParseFilter(text, *batch->schema());
  if (!filter.ok()) {
    if (pennon::KindOf(filter.status()) == pennon::ErrorKind::kInternal) std::abort();
    return 0;
  }
  const auto selection = filter->Evaluate(*batch);
  if (!selection.ok()) {
    if (pennon::KindOf(selection.status()) == pennon::ErrorKind::kInternal) std::abort();
    return 0;
  }
  if (selection->count() > batch->num_rows()) std::abort();
  // The terms together decide as the whole does.
  int64_t passing = 0;
  const auto terms = filter->Conjuncts();
  bool failed = false;
  for (int64_t row = 0; row < batch->num_rows() && !failed; ++row) {
    bool passes = true;
    for (const pennon::Filter& term : terms) {
      const auto part = term.Evaluate(*batch);
      failed = failed || !part.ok();
      passes = passes && part.ok() && part->passes(row);
    }
    passing += passes;
  }
  if (!failed && passing != selection->count()) std::abort();
  return 0;
}
