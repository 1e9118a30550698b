#include "format/schema.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "format/schema_arrow.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

FlatField Flat(int32_t id, int32_t parent, std::string name, std::string type) {
  FlatField out;
  out.field.id = id;
  out.field.name = std::move(name);
  out.field.logical_type = std::move(type);
  out.parent_id = parent;
  return out;
}

// s: struct<a, c: struct<d, e: list>>, m: map, x: int64
TableSchema Nested() {
  auto schema = BuildSchema(
      {Flat(0, -1, "s", "struct"), Flat(1, 0, "a", "int64"), Flat(2, 0, "c", "struct"),
       Flat(3, 2, "d", "double"), Flat(4, 2, "e", "list"), Flat(5, 4, "item", "int8"),
       Flat(6, -1, "m", "map"), Flat(7, 6, "entries", "struct"), Flat(8, 7, "key", "string"),
       Flat(9, 7, "value", "int32"), Flat(10, -1, "x.y", "int64")},
      {{"owner", "me"}});
  EXPECT_TRUE(schema.ok()) << schema.status();
  return std::move(schema).ValueOrDie();
}

TEST(SchemaTest, BuildsTheTree) {
  const TableSchema schema = Nested();
  ASSERT_EQ(schema.fields.size(), 3u);
  EXPECT_EQ(schema.fields[0].type->ToString(),
            "struct<a: int64, c: struct<d: double, e: list<item: int8>>>");
  EXPECT_EQ(schema.fields[1].type->ToString(), "map<string, int32>");
  EXPECT_EQ(schema.fields[0].children[1].children[1].id, 4);
  EXPECT_EQ(schema.metadata.at("owner"), "me");
  EXPECT_EQ(MaxFieldId(schema), 10);
  EXPECT_EQ(FindField(schema, 5)->name, "item");
  EXPECT_EQ(FindField(schema, 77), nullptr);
}

TEST(SchemaTest, RefusesBrokenLists) {
  const std::pair<std::vector<FlatField>, ErrorKind> cases[] = {
      {{Flat(1, 0, "a", "int64"), Flat(0, -1, "s", "struct")}, ErrorKind::kCorrupt},
      {{Flat(0, -1, "l", "list")}, ErrorKind::kCorrupt},
      {{Flat(0, -1, "l", "int64"), Flat(1, 0, "a", "int64")}, ErrorKind::kCorrupt},
      {{Flat(0, -1, "m", "map"), Flat(1, 0, "e", "int64")}, ErrorKind::kCorrupt},
      {{Flat(0, -1, "f", "fixed_size_list:struct:3")}, ErrorKind::kCorrupt},
      {{Flat(0, 0, "self", "struct")}, ErrorKind::kCorrupt},
      {{Flat(0, -1, "v", "interval")}, ErrorKind::kUnsupportedFeature},
  };
  for (const auto& [flat, kind] : cases) {
    auto schema = BuildSchema(flat, {});
    ASSERT_FALSE(schema.ok());
    EXPECT_EQ(KindOf(schema.status()), kind) << schema.status();
    EXPECT_NE(MessageOf(schema.status()).find(flat.back().field.name), std::string::npos);
  }
  std::vector<FlatField> deep;
  for (int i = 0; i < 5000; ++i) deep.push_back(Flat(i, i - 1, "s", "struct"));
  EXPECT_EQ(KindOf(BuildSchema(deep, {}).status()), ErrorKind::kUnsupportedFeature);
}

TEST(SchemaTest, FirstOfTwoEqualIdsIsTheParent) {
  auto schema = BuildSchema(
      {Flat(0, -1, "s", "struct"), Flat(0, -1, "t", "struct"), Flat(1, 0, "a", "int8")}, {});
  ASSERT_TRUE(schema.ok());
  EXPECT_EQ(schema->fields[0].children.size(), 1u);
  EXPECT_TRUE(schema->fields[1].children.empty());
}

TEST(SchemaTest, BuildsFromAManifest) {
  SchemaField root;
  root.name = "s";
  root.logical_type = "struct";
  root.is_primary_key = true;
  SchemaField child;
  child.id = 4;
  child.parent_id = 0;
  child.name = "j";
  child.logical_type = "json";
  child.nullable = false;
  child.extension_name = "lance.json";
  auto schema = BuildSchema(std::vector<SchemaField>{root, child}, {});
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_EQ(schema->fields[0].primary_key_position, 0u);
  EXPECT_EQ(schema->fields[0].children[0].metadata.at("ARROW:extension:name"), "lance.json");
  EXPECT_EQ(schema->fields[0].type->ToString(), "struct<j: large_binary not null>");
}

TEST(SchemaTest, FindsPaths) {
  const TableSchema schema = Nested();
  auto path = FindPath(schema, "s.c.d");
  ASSERT_TRUE(path.ok()) << path.status();
  ASSERT_EQ(path->size(), 3u);
  EXPECT_EQ(path->back()->id, 3);
  EXPECT_EQ(FindPath(schema, "`x.y`")->back()->id, 10);
  for (const char* bad : {"S", "s.z", "x.y", "s.c.e.item", "m.entries", "s."}) {
    SCOPED_TRACE(bad);
    EXPECT_EQ(KindOf(FindPath(schema, bad).status()), ErrorKind::kInvalidArgument);
  }
}

TEST(SchemaTest, KeepsParts) {
  const TableSchema schema = Nested();
  auto part = KeepFields(schema.fields[0], {1, 4});
  ASSERT_TRUE(part.has_value());
  EXPECT_EQ(part->type->ToString(), "struct<a: int64, c: struct<e: list<item: int8>>>");
  EXPECT_EQ(KeepFields(schema.fields[0], {0})->children.size(), 2u);
  EXPECT_FALSE(KeepFields(schema.fields[0], {10}).has_value());
  EXPECT_EQ(KeepFields(schema.fields[1], {8})->type->ToString(), "map<string, int32>");
  FieldTree packed = schema.fields[0];
  packed.metadata.emplace(kPackedKey, "true");
  EXPECT_EQ(KeepFields(packed, {1})->children.size(), 2u);
}

TEST(SchemaTest, GivesIdsWhereNoneAre) {
  auto schema = FromArrowSchema(*arrow::schema({
      arrow::field("a", arrow::struct_(
                            {arrow::field("b", arrow::int8()), arrow::field("c", arrow::int8())})),
      arrow::field("d", arrow::int8()),
  }));
  ASSERT_TRUE(schema.ok()) << schema.status();
  schema->fields[1].id = 40;
  EXPECT_EQ(AssignFieldIds(&*schema, 7), 10);
  EXPECT_EQ(schema->fields[0].id, 7);
  EXPECT_EQ(schema->fields[0].children[1].id, 9);
  EXPECT_EQ(schema->fields[1].id, 40);
}

TEST(SchemaTest, KindsOfFields) {
  FieldTree field = Flat(0, -1, "s", "struct").field;
  EXPECT_FALSE(IsPackedStruct(field));
  field.metadata = {{"packed", "TRUE"}};
  EXPECT_TRUE(IsPackedStruct(field));
  field.metadata = {{"lance-encoding:packed", "no"}};
  EXPECT_FALSE(IsPackedStruct(field));
  field = Flat(0, -1, "b", "large_binary").field;
  EXPECT_FALSE(IsBlob(field));
  field.metadata = {{"lance-encoding:blob", "true"}};
  EXPECT_TRUE(IsBlob(field));
  EXPECT_FALSE(IsBlobV2(field));
  field = Flat(0, -1, "b", "struct").field;
  field.metadata = {{"ARROW:extension:name", "lance.blob.v2"}};
  EXPECT_TRUE(IsBlob(field));
  EXPECT_TRUE(IsBlobV2(field));
  EXPECT_TRUE(IsJson(Flat(0, -1, "j", "json").field));
}

}  // namespace
}  // namespace pennon
