#include "format/schema_arrow.h"

#include <arrow/extension/json.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "pennon/base/error.h"

namespace pennon {
namespace {

std::shared_ptr<arrow::Field> RoundTrip(const std::shared_ptr<arrow::Field>& field,
                                        const ArrowView& view = {}) {
  auto schema = FromArrowSchema(*arrow::schema({field}));
  EXPECT_TRUE(schema.ok()) << schema.status();
  auto back = ToArrowField(schema->fields[0], view);
  EXPECT_TRUE(back.ok()) << back.status();
  return *back;
}

TEST(SchemaArrowTest, NestedFieldsComeBackWithNamesAndMetadata) {
  const auto metadata = arrow::key_value_metadata({"unit"}, {"m"});
  const auto field = arrow::field(
      "s",
      arrow::struct_(
          {arrow::field("l", arrow::list(arrow::field("element", arrow::int8(), false, metadata))),
           arrow::field("m", arrow::map(arrow::utf8(), arrow::field("v", arrow::float32()))),
           arrow::field(
               "f", arrow::fixed_size_list(arrow::struct_({arrow::field("x", arrow::int8())}), 3)),
           arrow::field("g", arrow::large_list(arrow::field("item", arrow::struct_({}))))}),
      false, metadata);
  EXPECT_TRUE(RoundTrip(field)->Equals(field, true)) << RoundTrip(field)->ToString(true);
}

TEST(SchemaArrowTest, SchemaMetadataIsKept) {
  auto schema = FromArrowSchema(*arrow::schema({arrow::field("a", arrow::int8())},
                                               arrow::key_value_metadata({"b", "a"}, {"2", "1"})));
  auto back = ToArrowSchema(*schema).ValueOrDie();
  EXPECT_EQ(back->metadata()->ToString(), "\n-- metadata --\na: 1\nb: 2");
}

TEST(SchemaArrowTest, JsonIsStoredBinaryAndShownAsText) {
  auto schema = FromArrowSchema(*arrow::schema({arrow::field("j", arrow::extension::json())}));
  ASSERT_TRUE(schema.ok()) << schema.status();
  const FieldTree& field = schema->fields[0];
  EXPECT_EQ(field.logical_type, "json");
  EXPECT_EQ(field.metadata.at("ARROW:extension:name"), "lance.json");
  EXPECT_TRUE(field.type->Equals(arrow::large_binary()));
  auto shown = ToArrowField(field, {}).ValueOrDie();
  EXPECT_TRUE(shown->type()->Equals(arrow::utf8()));
  EXPECT_EQ(*shown->metadata()->Get("ARROW:extension:name"), "arrow.json");
  auto stored = ToArrowField(field, {BlobView::kDeclared, false}).ValueOrDie();
  EXPECT_TRUE(stored->type()->Equals(arrow::large_binary()));
}

TEST(SchemaArrowTest, JsonBelowAListIsShownAsText) {
  auto schema =
      FromArrowSchema(*arrow::schema({arrow::field("l", arrow::list(arrow::extension::json()))}));
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_EQ(ToArrowField(schema->fields[0], {}).ValueOrDie()->type()->ToString(),
            "list<item: string>");
}

TEST(SchemaArrowTest, ViewsOfBlobs) {
  const auto v1 = arrow::field("b", arrow::large_binary(), true,
                               arrow::key_value_metadata({"lance-encoding:blob"}, {"true"}));
  EXPECT_TRUE(RoundTrip(v1)->Equals(v1, true));
  EXPECT_EQ(RoundTrip(v1, {BlobView::kDescriptors})->type()->ToString(),
            "struct<position: uint64, size: uint64>");
  EXPECT_TRUE(RoundTrip(v1, {BlobView::kBytes})->Equals(v1, true));

  const auto v2 =
      arrow::field("b",
                   arrow::struct_({arrow::field("data", arrow::large_binary()),
                                   arrow::field("uri", arrow::utf8())}),
                   true,
                   arrow::key_value_metadata({"ARROW:extension:metadata", "ARROW:extension:name"},
                                             {"", "lance.blob.v2"}));
  EXPECT_TRUE(RoundTrip(v2)->Equals(v2, true));
  const auto descriptors = RoundTrip(v2, {BlobView::kDescriptors});
  EXPECT_EQ(descriptors->type()->num_fields(), 5);
  EXPECT_EQ(*descriptors->metadata()->Get("lance-encoding:packed"), "true");
  const auto bytes = RoundTrip(v2, {BlobView::kBytes});
  EXPECT_TRUE(bytes->type()->Equals(arrow::large_binary()));
  EXPECT_FALSE(bytes->metadata()->Contains("ARROW:extension:name"));
}

TEST(SchemaArrowTest, KeysAndIdsComeFromMetadata) {
  auto schema = FromArrowSchema(*arrow::schema(
      {arrow::field("a", arrow::int8(), false,
                    arrow::key_value_metadata(
                        {"lance-schema:unenforced-primary-key", "lance:field_id"}, {"true", "12"})),
       arrow::field("b", arrow::int8(), false,
                    arrow::key_value_metadata({"lance-schema:unenforced-primary-key:position",
                                               "lance-schema:unenforced-clustering-key:position"},
                                              {"2", "1"}))}));
  ASSERT_TRUE(schema.ok());
  EXPECT_EQ(schema->fields[0].primary_key_position, 0u);
  EXPECT_EQ(schema->fields[0].id, 12);
  EXPECT_FALSE(schema->fields[0].metadata.contains("lance:field_id"));
  EXPECT_EQ(schema->fields[1].primary_key_position, 2u);
  EXPECT_EQ(schema->fields[1].clustering_key_position, 1u);
}

TEST(SchemaArrowTest, UnsupportedTypesNameTheField) {
  auto schema = FromArrowSchema(*arrow::schema(
      {arrow::field("s", arrow::struct_({arrow::field("when", arrow::month_interval())}))}));
  ASSERT_FALSE(schema.ok());
  EXPECT_EQ(KindOf(schema.status()), ErrorKind::kUnsupportedFeature);
  EXPECT_NE(MessageOf(schema.status()).find("when"), std::string::npos);
  auto deep = arrow::int8();
  for (int i = 0; i < 100; ++i) deep = arrow::list(deep);
  EXPECT_EQ(KindOf(FromArrowSchema(*arrow::schema({arrow::field("d", deep)})).status()),
            ErrorKind::kUnsupportedFeature);
}

}  // namespace
}  // namespace pennon
