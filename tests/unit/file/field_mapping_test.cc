#include "file/field_mapping.h"

#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <gtest/gtest.h>

#include "format/schema_arrow.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

TableSchema SomeSchema() {
  const auto packed = arrow::key_value_metadata({"lance-encoding:packed"}, {"true"});
  const auto blob = arrow::key_value_metadata({"lance-encoding:blob"}, {"true"});
  const auto pair = arrow::struct_(
      {arrow::field("x", arrow::int32()), arrow::field("y", arrow::list(arrow::utf8()))});
  const auto fixed =
      arrow::struct_({arrow::field("p", arrow::int32()), arrow::field("q", arrow::int32())});
  TableSchema schema =
      FromArrowSchema(*arrow::schema({arrow::field("a", arrow::int64()), arrow::field("s", pair),
                                      arrow::field("k", fixed, true, packed),
                                      arrow::field("b", arrow::large_binary(), true, blob)}))
          .ValueOrDie();
  AssignFieldIds(&schema, 0);
  return schema;
}

TEST(FieldMappingTest, CountsColumnsByVersion) {
  const TableSchema schema = SomeSchema();
  // Fields: a 0, s 1, x 2, y 3, its item 4, k 5 (p 6, q 7), b 8.
  const ColumnMap leaves = ColumnMap::OfOwnSchema(schema, FileVersion::kV2_2);
  EXPECT_EQ(leaves.Find(0), 0u);
  EXPECT_EQ(leaves.Find(1), FieldShape::kNoColumn);
  EXPECT_EQ(leaves.Find(2), 1u);
  EXPECT_EQ(leaves.Find(4), 2u);
  EXPECT_EQ(leaves.Find(5), 3u);
  EXPECT_EQ(leaves.Find(8), 4u);
  const ColumnMap all = ColumnMap::OfOwnSchema(schema, FileVersion::kV2_0);
  EXPECT_EQ(all.Find(1), 1u);
  EXPECT_EQ(all.Find(4), 4u);
  EXPECT_EQ(all.Find(5), 5u);
  EXPECT_EQ(all.Find(6), FieldShape::kNoColumn);
  EXPECT_EQ(all.Find(8), 6u);
}

TEST(FieldMappingTest, MakesShapes) {
  const TableSchema schema = SomeSchema();
  const ColumnMap columns = ColumnMap::OfOwnSchema(schema, FileVersion::kV2_1);
  const FieldShape pair =
      ShapeOfField(schema.fields[1], columns, FileVersion::kV2_1, BlobReading::kBytes).ValueOrDie();
  EXPECT_EQ(pair.storage, FieldStorage::kPlain);
  ASSERT_EQ(pair.children.size(), 2u);
  EXPECT_EQ(pair.children[0].column, 1u);
  EXPECT_EQ(pair.children[1].children[0].column, 2u);
  EXPECT_TRUE(pair.children[1].type->Equals(arrow::list(arrow::utf8())));
  const FieldShape packed =
      ShapeOfField(schema.fields[2], columns, FileVersion::kV2_1, BlobReading::kBytes).ValueOrDie();
  EXPECT_EQ(packed.storage, FieldStorage::kPackedStruct);
  EXPECT_TRUE(packed.children.empty());
  const FieldShape bytes =
      ShapeOfField(schema.fields[3], columns, FileVersion::kV2_1, BlobReading::kBytes).ValueOrDie();
  EXPECT_EQ(bytes.storage, FieldStorage::kBlob);
  EXPECT_EQ(bytes.type->id(), arrow::Type::LARGE_BINARY);
  const FieldShape descriptors =
      ShapeOfField(schema.fields[3], columns, FileVersion::kV2_1, BlobReading::kDescriptors)
          .ValueOrDie();
  EXPECT_EQ(descriptors.type->id(), arrow::Type::STRUCT);
}

TEST(FieldMappingTest, FindsWhatIsMissing) {
  const TableSchema schema = SomeSchema();
  const std::vector<int32_t> fields{4, 0, -2, -3};
  const std::vector<int32_t> indices{0, 2, 1, 3};
  const ColumnMap columns = ColumnMap::Make(fields, indices, 4).ValueOrDie();
  EXPECT_EQ(columns.Find(0), 2u);
  EXPECT_EQ(columns.Find(-2), FieldShape::kNoColumn);
  EXPECT_EQ(columns.Find(-3), 3u) << "hidden columns have negative ids too";
  const FieldShape pair =
      ShapeOfField(schema.fields[1], columns, FileVersion::kV2_2, BlobReading::kBytes).ValueOrDie();
  EXPECT_EQ(pair.storage, FieldStorage::kPlain);
  EXPECT_EQ(pair.children[0].storage, FieldStorage::kMissing);
  EXPECT_EQ(pair.children[1].storage, FieldStorage::kPlain);
  const FieldShape packed =
      ShapeOfField(schema.fields[2], columns, FileVersion::kV2_2, BlobReading::kBytes).ValueOrDie();
  EXPECT_EQ(packed.storage, FieldStorage::kMissing);
}

TEST(FieldMappingTest, RefusesListsThatDoNotMatch) {
  const std::vector<int32_t> fields{0, 1};
  EXPECT_EQ(KindOf(ColumnMap::Make(fields, std::vector<int32_t>{0}, 5).status()),
            ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(ColumnMap::Make(fields, std::vector<int32_t>{0, 5}, 5).status()),
            ErrorKind::kCorrupt);
  EXPECT_TRUE(ColumnMap::Make(fields, std::vector<int32_t>{0, -1}, 5).ok());
}

}  // namespace
}  // namespace pennon
