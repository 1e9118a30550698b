#include "file/file_schema.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

#include "format/schema_arrow.h"
#include "format/schema_message.h"
#include "memory_file.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

arrow::Result<TableSchema> Read(const TableSchema& schema) {
  std::string descriptor;
  AppendBytesField(descriptor, 1, FormatSchemaMessage(schema));
  AppendVarintField(descriptor, 2, 3);
  FileMaker maker;
  maker.AddColumn({1, 2, 3}, 3);
  ARROW_ASSIGN_OR_RAISE(
      const auto reader,
      DataFileReader::Open(std::make_shared<MemoryFile>(maker.Finish(2, 2, descriptor))));
  return ReadFileSchema(reader.get());
}

TEST(FileSchemaTest, ReadsTheSchema) {
  TableSchema schema =
      FromArrowSchema(*arrow::schema({arrow::field("a", arrow::int32()),
                                      arrow::field("b", arrow::list(arrow::utf8()))}))
          .ValueOrDie();
  AssignFieldIds(&schema, 4);
  const TableSchema read = Read(schema).ValueOrDie();
  ASSERT_EQ(read.fields.size(), 2u);
  EXPECT_EQ(read.fields[0].id, 4);
  EXPECT_TRUE(read.fields[1].type->Equals(arrow::list(arrow::utf8())));
}

TEST(FileSchemaTest, PutsBlobDescriptorsWhereTheyBelong) {
  // As files have them: the five parts listed at the top, without ids.
  TableSchema schema;
  FieldTree blob;
  blob.id = 0;
  blob.name = "b";
  blob.logical_type = "struct";
  blob.metadata = {{kBlobKey, "true"}, {kPackedKey, "true"}};
  schema.fields.push_back(blob);
  for (const auto& [name, type] :
       std::vector<std::pair<std::string, std::string>>{{"kind", "uint8"},
                                                        {"position", "uint64"},
                                                        {"size", "uint64"},
                                                        {"blob_id", "uint32"},
                                                        {"blob_uri", "string"}}) {
    FieldTree part;
    part.name = name;
    part.logical_type = type;
    part.nullable = false;
    schema.fields.push_back(part);
  }
  const TableSchema read = Read(schema).ValueOrDie();
  ASSERT_EQ(read.fields.size(), 1u);
  EXPECT_EQ(read.fields[0].children.size(), 5u);
  EXPECT_TRUE(IsBlobV2(read.fields[0]));
}

TEST(FileSchemaTest, RefusesDamage) {
  FileMaker maker;
  maker.AddColumn({1}, 1);
  const auto reader =
      DataFileReader::Open(std::make_shared<MemoryFile>(maker.Finish(2, 2, "\xff\xff\xff")))
          .ValueOrDie();
  const auto status = ReadFileSchema(reader.get()).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_NE(MessageOf(status).find("memory.lance"), std::string::npos);
}

}  // namespace
}  // namespace pennon
