#include "format/schema_message.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "format/schema_arrow.h"

namespace pennon {
namespace {

TEST(SchemaMessageTest, MessagesGoBothWays) {
  auto schema = FromArrowSchema(
      *arrow::schema({arrow::field("s", arrow::struct_({arrow::field("a", arrow::int8())}), false),
                      arrow::field("t", arrow::timestamp(arrow::TimeUnit::MICRO, "+08:00"))}));
  ASSERT_TRUE(schema.ok());
  AssignFieldIds(&*schema, 0);
  schema->fields[0].primary_key_position = 0;
  schema->fields[1].clustering_key_position = 3;
  schema->fields[1].metadata = {{"ARROW:extension:name", "x"}, {"k", ""}};
  schema->metadata = {{"owner", "me"}};

  const std::string message = FormatSchemaMessage(*schema);
  auto back = ParseSchemaMessage(message);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(FormatSchemaMessage(*back), message);
  ASSERT_EQ(back->fields.size(), 2u);
  EXPECT_EQ(back->fields[0].children[0].encoding_hint, 1);
  EXPECT_EQ(back->fields[0].primary_key_position, 0u);
  EXPECT_EQ(back->fields[1].clustering_key_position, 3u);
  EXPECT_EQ(back->metadata, schema->metadata);
  EXPECT_TRUE(
      ToArrowSchema(*back).ValueOrDie()->Equals(*ToArrowSchema(*schema).ValueOrDie(), true));
}

TEST(SchemaMessageTest, RootsHaveParentMinusOne) {
  TableSchema schema;
  schema.fields.resize(1);
  schema.fields[0].id = 0;
  schema.fields[0].name = "a";
  schema.fields[0].logical_type = "int8";
  // name, parent -1 as ten bytes, logical type, nullable.
  const std::string expected =
      "\x0A\x16\x12\x01"
      "a\x20\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01\x2A\x04int8\x30\x01";
  EXPECT_EQ(FormatSchemaMessage(schema), expected);
}

TEST(SchemaMessageTest, CutOrFlippedBytesAreErrorsOrSchemas) {
  auto schema = FromArrowSchema(*arrow::schema({arrow::field(
      "s", arrow::struct_({arrow::field("a", arrow::fixed_size_list(arrow::float32(), 4))}))}));
  AssignFieldIds(&*schema, 0);
  const std::string message = FormatSchemaMessage(*schema);
  for (size_t i = 0; i < message.size(); ++i) {
    (void)ParseSchemaMessage(std::string_view(message).substr(0, i)).ok();
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = message;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      (void)ParseSchemaMessage(flipped).ok();
    }
  }
  EXPECT_FALSE(ParseSchemaMessage("\x0A\x05").ok());
}

}  // namespace
}  // namespace pennon
