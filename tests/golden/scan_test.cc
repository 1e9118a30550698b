// Every version of every reference table, read in full, is what the reference engine reads: rows,
// ids, addresses, lineage, order, schema.
#include "pennon/dataset/scan.h"

#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/compute/api_scalar.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/cast.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <gtest/gtest.h>

#include "golden/reference_tables.h"
#include "pennon/base/error.h"
#include "pennon/dataset/take.h"

namespace pennon {
namespace {

using Json = nlohmann::json;

/// One array of a column. Dictionaries are decoded: two may say the same in other words.
std::shared_ptr<arrow::Array> Joined(const arrow::ChunkedArray& column) {
  std::shared_ptr<arrow::DataType> type = column.type();
  arrow::ArrayVector chunks = column.chunks();
  if (type->id() == arrow::Type::DICTIONARY) {
    type = static_cast<const arrow::DictionaryType&>(*type).value_type();
    for (auto& chunk : chunks) chunk = arrow::compute::Cast(*chunk, type).ValueOrDie();
  }
  if (chunks.empty()) return arrow::MakeEmptyArray(type).ValueOrDie();
  return arrow::Concatenate(chunks).ValueOrDie();
}

/// Metadata in any order.
std::map<std::string, std::string> MetadataOf(
    const std::shared_ptr<const arrow::KeyValueMetadata>& metadata) {
  std::map<std::string, std::string> out;
  if (metadata == nullptr) return out;
  for (int64_t i = 0; i < metadata->size(); ++i) out[metadata->key(i)] = metadata->value(i);
  return out;
}

void ExpectSameColumns(const arrow::Table& actual,
                       const std::vector<std::shared_ptr<arrow::ChunkedArray>>& expected) {
  ASSERT_EQ(static_cast<size_t>(actual.num_columns()), expected.size());
  for (int i = 0; i < actual.num_columns(); ++i) {
    SCOPED_TRACE(actual.field(i)->name());
    const auto got = Joined(*actual.column(i));
    const auto want = Joined(*expected[static_cast<size_t>(i)]);
    ASSERT_TRUE(got->ValidateFull().ok()) << got->ValidateFull();
    EXPECT_TRUE(got->Equals(*want, arrow::EqualOptions().nans_equal(true)))
        << got->ToString() << want->ToString();
  }
}

void ExpectSameTable(const arrow::Table& actual, const arrow::Table& expected) {
  ASSERT_EQ(actual.num_columns(), expected.num_columns())
      << actual.schema()->ToString() << expected.schema()->ToString();
  ASSERT_EQ(actual.num_rows(), expected.num_rows());
  EXPECT_EQ(MetadataOf(actual.schema()->metadata()), MetadataOf(expected.schema()->metadata()));
  for (int i = 0; i < actual.num_columns(); ++i) {
    const arrow::Field& field = *expected.schema()->field(i);
    SCOPED_TRACE(field.name());
    EXPECT_EQ(actual.schema()->field(i)->name(), field.name());
    EXPECT_EQ(actual.schema()->field(i)->nullable(), field.nullable());
    EXPECT_TRUE(actual.schema()->field(i)->type()->Equals(*field.type()))
        << actual.schema()->field(i)->ToString() << " against " << field.ToString();
    EXPECT_EQ(MetadataOf(actual.schema()->field(i)->metadata()), MetadataOf(field.metadata()));
  }
  ExpectSameColumns(actual, expected.columns());
}

OpenOptions At(const Json& version) {
  OpenOptions options;
  options.version = version.at("version").dump();
  options.num_threads = 2;
  return options;
}

ColumnSelection Everything(bool is_stable) {
  ColumnSelection select;
  select.with_row_id = true;
  select.with_row_address = true;
  select.with_row_versions = is_stable;
  select.blobs_as_bytes = true;
  return select;
}

std::shared_ptr<arrow::Table> ReadAll(const std::shared_ptr<const Dataset>& dataset,
                                      ScanSpec spec) {
  auto reader = Scan(dataset, std::move(spec));
  EXPECT_TRUE(reader.ok()) << reader.status();
  if (!reader.ok()) return nullptr;
  auto table = (*reader)->ToTable();
  EXPECT_TRUE(table.ok()) << table.status();
  return table.ok() ? *table : nullptr;
}

class ReferenceScanTest : public testing::TestWithParam<ReferenceTable> {};

TEST_P(ReferenceScanTest, EveryVersionReadsAsTheReferenceSays) {
  const ReferenceTable& table = GetParam();
  for (const Json& version : table.expected.at("versions")) {
    SCOPED_TRACE(version.at("version").dump());
    if (!version.contains("rows") || version.at("rows").is_null()) continue;
    const auto expected = ReadExpectedRows(table, version.at("rows"));
    if (expected == nullptr) continue;
    auto dataset = Dataset::Open(table.dataset, At(version));
    ASSERT_TRUE(dataset.ok()) << dataset.status();
    ScanSpec spec;
    spec.select = Everything(version.at("has_stable_row_ids"));
    const auto actual = ReadAll(*dataset, spec);
    ASSERT_NE(actual, nullptr);
    ExpectSameTable(*actual, *expected);
    EXPECT_EQ(CountRows(**dataset).ValueOrDie(), static_cast<uint64_t>(expected->num_rows()));
  }
}

/// The newest version that is kept with its rows; none if there is no such.
const Json* NewestWithRows(const ReferenceTable& table) {
  const Json& versions = table.expected.at("versions");
  for (auto version = versions.rbegin(); version != versions.rend(); ++version) {
    if (!version->contains("rows") || version->at("rows").is_null()) continue;
    if (ReadExpectedRows(table, version->at("rows")) != nullptr) return &*version;
  }
  return nullptr;
}

TEST_P(ReferenceScanTest, TakesGiveTheSameRows) {
  const ReferenceTable& table = GetParam();
  const Json* version = NewestWithRows(table);
  if (version == nullptr) return;
  const auto expected = ReadExpectedRows(table, version->at("rows"));
  auto dataset = Dataset::Open(table.dataset, At(*version)).ValueOrDie();
  const ColumnSelection select = Everything(version->at("has_stable_row_ids"));
  // Every other row, backwards and each twice, then the expected rows in that order.
  std::vector<uint64_t> offsets;
  for (int64_t i = std::min<int64_t>(expected->num_rows(), 2000) - 1; i >= 0; i -= 2) {
    offsets.insert(offsets.end(), {static_cast<uint64_t>(i), static_cast<uint64_t>(i)});
  }
  auto taken = TakeOffsets(*dataset, offsets, select);
  ASSERT_TRUE(taken.ok()) << taken.status();
  arrow::UInt64Builder builder;
  ASSERT_TRUE(builder.AppendValues(offsets).ok());
  const auto order = builder.Finish().ValueOrDie();
  std::vector<std::shared_ptr<arrow::ChunkedArray>> columns;
  for (const auto& column : expected->columns()) {
    columns.push_back(std::make_shared<arrow::ChunkedArray>(
        arrow::compute::Take(*Joined(*column), *order).ValueOrDie()));
  }
  ExpectSameColumns(**taken, columns);
  // By address, forwards.
  std::vector<uint64_t> addresses;
  const auto all = Joined(*expected->GetColumnByName("_rowaddr"));
  for (int64_t i = 0; i < std::min<int64_t>(expected->num_rows(), 500); ++i) {
    addresses.push_back(static_cast<const arrow::UInt64Array&>(*all).Value(i));
  }
  auto forwards = TakeAddresses(*dataset, addresses, select);
  ASSERT_TRUE(forwards.ok()) << forwards.status();
  ExpectSameTable(**forwards, *expected->Slice(0, static_cast<int64_t>(addresses.size())));
  EXPECT_EQ(
      KindOf(
          TakeOffsets(*dataset, std::vector{static_cast<uint64_t>(expected->num_rows())}).status()),
      ErrorKind::kInvalidArgument);
  addresses.push_back(uint64_t{0xFFFFFFFF} << 32);
  EXPECT_EQ(KindOf(TakeAddresses(*dataset, addresses).status()), ErrorKind::kNotFound);
}

TEST_P(ReferenceScanTest, SmallBatchesAndLimits) {
  const ReferenceTable& table = GetParam();
  const Json* newest = NewestWithRows(table);
  if (newest == nullptr) return;
  const Json& version = *newest;
  const auto expected = ReadExpectedRows(table, version.at("rows"));
  auto dataset = Dataset::Open(table.dataset, At(version)).ValueOrDie();
  ScanSpec spec;
  spec.select = Everything(version.at("has_stable_row_ids"));
  spec.batch_rows = 7;
  spec.read_ahead_bytes = 1 << 16;
  ExpectSameTable(*ReadAll(dataset, spec), *expected);
  const auto rows = static_cast<uint64_t>(expected->num_rows());
  for (const uint64_t offset : {uint64_t{0}, rows / 3, rows}) {
    for (const uint64_t limit : {uint64_t{1}, uint64_t{20}}) {
      SCOPED_TRACE(std::to_string(offset) + " + " + std::to_string(limit));
      spec.offset = offset;
      spec.limit = limit;
      ExpectSameTable(*ReadAll(dataset, spec),
                      *expected->Slice(static_cast<int64_t>(offset), static_cast<int64_t>(limit)));
    }
  }
}

TEST_P(ReferenceScanTest, FiltersGiveTheRowsOfTheReference) {
  const ReferenceTable& table = GetParam();
  for (const Json& query : table.expected.at("queries")) {
    SCOPED_TRACE(query.dump());
    auto dataset = Dataset::Open(table.dataset, At(query)).ValueOrDie();
    auto filter =
        ParseFilter(query.at("filter").get<std::string>(), *FilterSchema(*dataset).ValueOrDie());
    ASSERT_TRUE(filter.ok()) << filter.status();
    ScanSpec spec;
    spec.select.columns.emplace();
    spec.select.with_row_id = true;
    spec.filter = *filter;
    const auto rows = ReadAll(dataset, spec);
    ASSERT_NE(rows, nullptr);
    std::vector<uint64_t> ids;
    const auto column = Joined(*rows->column(0));
    for (int64_t i = 0; i < column->length(); ++i) {
      ids.push_back(static_cast<const arrow::UInt64Array&>(*column).Value(i));
    }
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(ids, query.at("row_ids").get<std::vector<uint64_t>>());
    CountSpec count;
    count.filter = *filter;
    EXPECT_EQ(CountRows(*dataset, count).ValueOrDie(), ids.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Reference, ReferenceScanTest, testing::ValuesIn(ReferenceTables()),
                         [](const auto& table) {
                           std::string name = table.param.name;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); },
                               '_');
                           return name;
                         });

}  // namespace
}  // namespace pennon
