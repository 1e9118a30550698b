#include "format/schema_message.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <utility>

#include "pennon/base/error.h"
#include "table.pb.h"

namespace pennon {
namespace {

FieldTree FromMessage(const proto::Field& message) {
  FieldTree field;
  field.id = message.id();
  field.name = message.name();
  field.logical_type = message.logical_type();
  field.nullable = message.nullable();
  field.encoding_hint = message.encoding();
  for (const auto& [key, value] : message.metadata()) field.metadata.emplace(key, value);
  if (!message.extension_name().empty())
    field.metadata[kExtensionNameKey] = message.extension_name();
  if (message.unenforced_primary_key_position() > 0 || message.unenforced_primary_key()) {
    field.primary_key_position = message.unenforced_primary_key_position();
  }
  if (message.unenforced_clustering_key_position() > 0) {
    field.clustering_key_position = message.unenforced_clustering_key_position();
  }
  return field;
}

void SetMetadata(const FieldMetadata& metadata,
                 google::protobuf::Map<std::string, std::string>* out) {
  for (const auto& [key, value] : metadata) (*out)[key] = value;
}

void Append(const FieldTree& field, int32_t parent_id, proto::Schema* out) {
  proto::Field* message = out->add_fields();
  message->set_name(field.name);
  message->set_id(field.id);
  message->set_parent_id(parent_id);
  message->set_logical_type(field.logical_type);
  message->set_nullable(field.nullable);
  message->set_encoding(field.encoding_hint);
  SetMetadata(field.metadata, message->mutable_metadata());
  if (const auto name = field.metadata.find(kExtensionNameKey); name != field.metadata.end()) {
    message->set_extension_name(name->second);
  }
  if (field.primary_key_position) {
    message->set_unenforced_primary_key(true);
    message->set_unenforced_primary_key_position(*field.primary_key_position);
  }
  if (field.clustering_key_position) {
    message->set_unenforced_clustering_key_position(*field.clustering_key_position);
  }
  for (const FieldTree& child : field.children) Append(child, field.id, out);
}

}  // namespace

arrow::Result<TableSchema> ParseSchemaMessage(std::string_view message) {
  // Names that are no UTF-8 fail to parse; the library shall not write about it to the terminal.
  const google::protobuf::LogSilencer silence;
  proto::Schema parsed;
  if (message.size() > INT32_MAX ||
      !parsed.ParseFromArray(message.data(), static_cast<int>(message.size()))) {
    return MakeError(ErrorKind::kCorrupt, "schema message does not parse");
  }
  std::vector<FlatField> flat;
  flat.reserve(static_cast<size_t>(parsed.fields_size()));
  for (const proto::Field& field : parsed.fields())
    flat.push_back({FromMessage(field), field.parent_id()});
  return BuildSchema(std::move(flat),
                     FieldMetadata(parsed.metadata().begin(), parsed.metadata().end()));
}

std::string FormatSchemaMessage(const TableSchema& schema) {
  proto::Schema message;
  for (const FieldTree& field : schema.fields) Append(field, -1, &message);
  SetMetadata(schema.metadata, message.mutable_metadata());
  std::string out;
  {
    google::protobuf::io::StringOutputStream stream(&out);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return out;
}

}  // namespace pennon
