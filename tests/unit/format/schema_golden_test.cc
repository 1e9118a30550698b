// Every schema of the reference tables: Lance fields to the Arrow schema that the reference engine
// shows, and back.
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "format/schema.h"
#include "format/schema_arrow.h"

namespace pennon {
namespace {

using Json = nlohmann::json;

FieldMetadata MetadataOf(const Json& json) { return json.get<FieldMetadata>(); }

std::vector<FlatField> FieldsOf(const Json& json) {
  std::vector<FlatField> flat;
  for (const Json& field : json) {
    FlatField out;
    out.field.id = field.at("id");
    out.field.name = field.at("name");
    out.field.logical_type = field.at("logical_type");
    out.field.nullable = field.at("nullable");
    out.field.metadata = MetadataOf(field.at("metadata"));
    out.parent_id = field.at("parent_id");
    flat.push_back(std::move(out));
  }
  return flat;
}

FieldMetadata MetadataOf(const arrow::Field& field) {
  FieldMetadata out;
  if (field.metadata() == nullptr) return out;
  for (int64_t i = 0; i < field.metadata()->size(); ++i)
    out[field.metadata()->key(i)] = field.metadata()->value(i);
  return out;
}

void ExpectSameFields(const FieldTree& actual, const FieldTree& expected) {
  SCOPED_TRACE(expected.name);
  EXPECT_EQ(actual.name, expected.name);
  EXPECT_EQ(actual.logical_type, expected.logical_type);
  EXPECT_EQ(actual.nullable, expected.nullable);
  EXPECT_EQ(actual.metadata, expected.metadata);
  ASSERT_EQ(actual.children.size(), expected.children.size());
  for (size_t i = 0; i < actual.children.size(); ++i)
    ExpectSameFields(actual.children[i], expected.children[i]);
}

TEST(SchemaGoldenTest, EveryReferenceSchema) {
  std::ifstream file(std::string(PENNON_SOURCE_DIR) + "/tests/golden/14.0.2/schemas.jsonl");
  int count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    const Json json = Json::parse(line);
    SCOPED_TRACE(json.at("from").get<std::string>());
    auto schema =
        BuildSchema(FieldsOf(json.at("lance_fields")), MetadataOf(json.at("schema_metadata")));
    ASSERT_TRUE(schema.ok()) << schema.status();
    auto shown = ToArrowSchema(*schema);
    ASSERT_TRUE(shown.ok()) << shown.status();
    const Json& expected = json.at("arrow_schema");
    ASSERT_EQ(static_cast<size_t>((*shown)->num_fields()), expected.size());
    for (int i = 0; i < (*shown)->num_fields(); ++i) {
      const arrow::Field& field = *(*shown)->field(i);
      const Json& want = expected[static_cast<size_t>(i)];
      EXPECT_EQ(field.name(), want.at("name"));
      EXPECT_EQ(field.nullable(), want.at("nullable"));
      FieldMetadata metadata = MetadataOf(field);
      if (want.at("type") == "extension<lance.blob.v2<BlobType>>") {
        // The reference lists the type as its Python class.
        EXPECT_EQ(metadata["ARROW:extension:name"], "lance.blob.v2");
        metadata.erase("ARROW:extension:name");
        metadata.erase("ARROW:extension:metadata");
      } else {
        EXPECT_EQ(field.type()->ToString(), want.at("type"));
      }
      EXPECT_EQ(metadata, MetadataOf(want.at("metadata")));
    }
    auto back = FromArrowSchema(**shown);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(back->metadata, schema->metadata);
    for (size_t i = 0; i < schema->fields.size(); ++i)
      ExpectSameFields(back->fields[i], schema->fields[i]);
  }
  EXPECT_EQ(count, 33);
}

}  // namespace
}  // namespace pennon
