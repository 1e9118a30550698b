#include "dataset/projection.h"

#include <arrow/array/array_nested.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <gtest/gtest.h>

#include "format/schema_arrow.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

TableSchema Sample() {
  auto schema = FromArrowSchema(*arrow::schema(
      {arrow::field("a", arrow::int64(), false),
       arrow::field(
           "s",
           arrow::struct_(
               {arrow::field("x", arrow::int32(), false, arrow::key_value_metadata({"k"}, {"v"})),
                arrow::field("y", arrow::utf8()),
                arrow::field("t", arrow::struct_({arrow::field("z", arrow::int8())}))})),
       arrow::field("b", arrow::large_binary(), true,
                    arrow::key_value_metadata({"lance-encoding:blob"}, {"true"}))},
      arrow::key_value_metadata({"owner"}, {"me"})));
  EXPECT_TRUE(schema.ok()) << schema.status();
  AssignFieldIds(&*schema, 0);
  return *schema;
}

ColumnSelection Columns(std::vector<std::string> names) {
  ColumnSelection select;
  select.columns = std::move(names);
  return select;
}

TEST(ProjectionTest, AllColumnsAndSystemColumnsBehindThem) {
  ColumnSelection select;
  select.with_row_id = true;
  select.with_row_versions = true;
  const auto projection = MakeProjection(Sample(), select).ValueOrDie();
  EXPECT_EQ(projection.schema->field_names(),
            (std::vector<std::string>{"a", "s", "b", "_rowid", "_row_created_at_version",
                                      "_row_last_updated_at_version"}));
  EXPECT_EQ(projection.roots.size(), 3u);
  EXPECT_EQ(projection.schema->field(2)->type()->ToString(),
            "struct<position: uint64, size: uint64>");
  EXPECT_TRUE(projection.schema->metadata()->Contains("owner"));
  select.blobs_as_bytes = true;
  EXPECT_TRUE(
      MakeProjection(Sample(), select)->schema->field(2)->type()->Equals(arrow::large_binary()));
}

TEST(ProjectionTest, NestedPathsBecomeColumnsAndCutTheirRoots) {
  const auto projection =
      MakeProjection(Sample(), Columns({"s.t.z", "_rowid", "s.x"})).ValueOrDie();
  EXPECT_EQ(projection.schema->field_names(), (std::vector<std::string>{"s.t.z", "_rowid", "s.x"}));
  ASSERT_EQ(projection.roots.size(), 1u);
  EXPECT_EQ(projection.roots[0].type->ToString(), "struct<x: int32 not null, t: struct<z: int8>>");
  EXPECT_EQ(projection.columns[0].path, (std::vector<int>{1, 0}));
  EXPECT_EQ(projection.columns[2].path, (std::vector<int>{0}));
  // A struct above may be null, and so may then be the column.
  EXPECT_TRUE(projection.schema->field(2)->nullable());
  EXPECT_EQ(*projection.schema->field(2)->metadata()->Get("k"), "v");
  EXPECT_TRUE(projection.Needs(SystemColumn::kRowId));
  EXPECT_FALSE(projection.Needs(SystemColumn::kRowAddress));
}

TEST(ProjectionTest, NamedSystemColumnsAreNotAppendedAgain) {
  ColumnSelection select = Columns({"_rowaddr", "a"});
  select.with_row_address = true;
  select.with_row_id = true;
  EXPECT_EQ(MakeProjection(Sample(), select)->schema->field_names(),
            (std::vector<std::string>{"_rowaddr", "a", "_rowid"}));
}

TEST(ProjectionTest, Mistakes) {
  for (const auto& names : std::vector<std::vector<std::string>>{
           {"a", "a"}, {"A"}, {"s.q"}, {"a.x"}, {""}, {"_rowid", "_rowid"}, {"_rowoffset"}}) {
    EXPECT_EQ(KindOf(MakeProjection(Sample(), Columns(names)).status()),
              ErrorKind::kInvalidArgument)
        << names[0];
  }
  EXPECT_EQ(MakeProjection(Sample(), Columns({}))->schema->num_fields(), 0);
}

TEST(ProjectionTest, FiltersReadOnlyTheirPartsOfAStruct) {
  const auto projection =
      MakeFilterProjection(
          Sample(), {arrow::FieldRef("s", "y"), arrow::FieldRef("_rowid"), arrow::FieldRef("a")})
          .ValueOrDie();
  EXPECT_EQ(projection.schema->ToString(),
            "_rowid: uint64\na: int64 not null\ns: struct<y: string>");
  EXPECT_EQ(projection.roots.size(), 2u);
}

TEST(ProjectionTest, ChildrenOfNullStructsAreNull) {
  auto child = std::make_shared<arrow::Int32Builder>();
  arrow::StructBuilder builder(arrow::struct_({arrow::field("x", arrow::int32())}),
                               arrow::default_memory_pool(), {child});
  ASSERT_TRUE(builder.Append().ok());
  ASSERT_TRUE(child->Append(1).ok());
  ASSERT_TRUE(builder.Append(false).ok());
  ASSERT_TRUE(child->Append(2).ok());
  ProjectedColumn column;
  column.path = {0};
  const auto array = ProjectColumn(column, {builder.Finish().ValueOrDie()}, {}).ValueOrDie();
  EXPECT_TRUE(array->IsValid(0));
  EXPECT_TRUE(array->IsNull(1));
}

}  // namespace
}  // namespace pennon
