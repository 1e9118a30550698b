#include "format/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/little_endian.h"
#include "base/wire.h"
#include "format/feature_flags.h"
#include "format/parse_message.h"
#include "pennon/base/error.h"
#include "table.pb.h"

namespace pennon {
namespace {

constexpr std::string_view kMagic = "LANC";
constexpr size_t kTrailerBytes = 16;
constexpr uint32_t kFieldFragments = 2;
constexpr uint16_t kMajorVersion = 0;
constexpr uint16_t kMinorVersion = 2;

struct MessageSpan {
  uint64_t begin = 0;
  uint64_t size = 0;
};

arrow::Status Corrupt(std::string message) {
  return MakeError(ErrorKind::kCorrupt, std::move(message));
}

std::string_view ViewOf(const arrow::Buffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()), static_cast<size_t>(buffer.size())};
}

/// Finds the manifest message by the 16 bytes at the end of the file.
arrow::Result<MessageSpan> FindMessage(std::string_view file) {
  if (file.size() < kTrailerBytes) {
    return Corrupt(
        fmt::format("not a manifest: {} bytes are too few for the trailer", file.size()));
  }
  const char* trailer = file.data() + file.size() - kTrailerBytes;
  if (std::string_view(trailer + 12, 4) != kMagic) {
    return Corrupt("not a manifest, or cut short: the file does not end in LANC");
  }
  const auto major = LoadLittleEndian<uint16_t>(trailer + 8);
  const auto minor = LoadLittleEndian<uint16_t>(trailer + 10);
  if (major != kMajorVersion || minor != kMinorVersion) {
    return Corrupt(fmt::format("not a manifest: its trailer says version {}.{}, expected {}.{}",
                               major, minor, kMajorVersion, kMinorVersion));
  }
  const auto position = LoadLittleEndian<uint64_t>(trailer);
  if (position > file.size() - kTrailerBytes || file.size() - kTrailerBytes - position < 4) {
    return Corrupt(fmt::format("manifest message at byte {} lies outside the file of {} bytes",
                               position, file.size()));
  }
  const auto length = LoadLittleEndian<uint32_t>(file.data() + position);
  if (position + 4 + length + kTrailerBytes != file.size()) {
    return Corrupt(fmt::format(
        "manifest length does not match: message of {} bytes at byte {} in a file of {}", length,
        position, file.size()));
  }
  return MessageSpan{position + 4, length};
}

arrow::Result<std::string_view> FindSection(std::string_view file, uint64_t position,
                                            const char* name) {
  if (position > file.size() || file.size() - position < 4) {
    return Corrupt(fmt::format("{} at byte {} lies outside the file of {} bytes", name, position,
                               file.size()));
  }
  const auto length = LoadLittleEndian<uint32_t>(file.data() + position);
  if (length > file.size() - position - 4) {
    return Corrupt(fmt::format("{} of {} bytes at byte {} lies outside the file of {} bytes", name,
                               length, position, file.size()));
  }
  return file.substr(position + 4, length);
}

/// Splits the message into its fragments, which are decoded in place, and all other fields.
arrow::Status ReadTopLevel(std::string_view message, uint64_t origin, Manifest* manifest) {
  WireReader reader(message, origin);
  WireField field;
  while (!reader.done()) {
    const uint64_t begin = reader.offset() - origin;
    ARROW_RETURN_NOT_OK(reader.Next(&field));
    if (field.number == kFieldFragments) {
      if (field.type != WireType::kBytes) return Corrupt("manifest field 2 is not a message");
      ARROW_ASSIGN_OR_RAISE(auto fragment, DecodeFragment(field.bytes, field.bytes_offset));
      manifest->fragments.push_back(std::move(fragment));
    } else {
      manifest->head.append(message.substr(begin, reader.offset() - origin - begin));
    }
  }
  return arrow::Status::OK();
}

SchemaField ToSchemaField(const proto::Field& field) {
  SchemaField out;
  out.id = field.id();
  out.parent_id = field.parent_id();
  out.name = field.name();
  out.logical_type = field.logical_type();
  out.nullable = field.nullable();
  out.extension_name = field.extension_name();
  for (const auto& [key, value] : field.metadata()) out.metadata[key] = value;
  out.is_primary_key = field.unenforced_primary_key();
  out.primary_key_position = field.unenforced_primary_key_position();
  return out;
}

void CopyHead(const proto::ManifestHead& head, Manifest* out) {
  out->version = Version{head.version()};
  for (const auto& field : head.fields()) out->fields.push_back(ToSchemaField(field));
  for (const auto& [key, value] : head.schema_metadata()) out->schema_metadata[key] = value;
  out->timestamp_seconds = head.timestamp().seconds();
  out->timestamp_nanos = head.timestamp().nanos();
  out->reader_flags = head.reader_feature_flags();
  out->writer_flags = head.writer_feature_flags();
  if (head.has_max_fragment_id()) out->max_fragment_id = head.max_fragment_id();
  out->transaction_file = head.transaction_file();
  if (head.has_writer_version()) {
    out->writer_version =
        WriterVersion{head.writer_version().library(), head.writer_version().version()};
  }
  out->next_row_id = head.next_row_id();
  out->data_format_version = head.data_format().version();
  out->config = {head.config().begin(), head.config().end()};
  out->table_metadata = {head.table_metadata().begin(), head.table_metadata().end()};
  for (const auto& base : head.base_paths()) {
    BasePath path;
    path.id = base.id();
    if (base.has_name()) path.name = base.name();
    path.is_dataset_root = base.is_dataset_root();
    path.path = base.path();
    out->base_paths.push_back(std::move(path));
  }
  if (head.has_branch()) out->branch = head.branch();
  out->tag = head.tag();
  if (head.has_max_allocated_field_id())
    out->max_allocated_field_id = head.max_allocated_field_id();
}

arrow::Status CheckDataFormat(const proto::ManifestHead& head) {
  if (!head.has_data_format()) return arrow::Status::OK();
  const auto& version = head.data_format().version();
  for (const char* known : {"0.1", "2.0", "2.1", "2.2", "2.3"}) {
    if (version == known) return arrow::Status::OK();
  }
  return MakeError(ErrorKind::kUnsupportedFeature,
                   fmt::format("data storage version is unknown: \"{}\"", version));
}

/// Rules over the whole fragment list that every reader relies on.
arrow::Status CheckFragments(ManifestRules rules, Manifest* decoded) {
  const Manifest& manifest = *decoded;
  std::vector<uint32_t> ids;
  ids.reserve(manifest.fragments.size());
  for (const auto& fragment : manifest.fragments) {
    ids.push_back(ToInteger(fragment.id));
    if (rules == ManifestRules::kEnforced && manifest.has_stable_row_ids() &&
        fragment.row_ids.placement == LineagePlacement::kAbsent) {
      return Corrupt(fmt::format("table has stable row ids, but fragment {} has none",
                                 ToInteger(fragment.id)));
    }
  }
  decoded->fragments_ascend = std::is_sorted(ids.begin(), ids.end());
  if (!decoded->fragments_ascend) std::sort(ids.begin(), ids.end());
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice != ids.end() && rules == ManifestRules::kEnforced) {
    return Corrupt(fmt::format("fragment id {} is listed twice", *twice));
  }
  return arrow::Status::OK();
}

}  // namespace

const Fragment* Manifest::FindFragment(FragmentId id) const {
  const auto found =
      fragments_ascend ? std::lower_bound(fragments.begin(), fragments.end(), id,
                                          [](const Fragment& fragment, FragmentId wanted) {
                                            return fragment.id < wanted;
                                          })
                       : std::find_if(fragments.begin(), fragments.end(),
                                      [id](const Fragment& fragment) { return fragment.id == id; });
  return found == fragments.end() || found->id != id ? nullptr : &*found;
}

int64_t Manifest::HighestFragmentId() const {
  int64_t highest = max_fragment_id.has_value() ? int64_t{*max_fragment_id} : -1;
  for (const auto& fragment : fragments)
    highest = std::max(highest, int64_t{ToInteger(fragment.id)});
  return highest;
}

arrow::Result<Manifest> DecodeManifest(std::shared_ptr<arrow::Buffer> file, ManifestRules rules) {
  Manifest manifest;
  manifest.file = std::move(file);
  const std::string_view bytes = ViewOf(*manifest.file);
  ARROW_ASSIGN_OR_RAISE(const MessageSpan span, FindMessage(bytes));
  ARROW_RETURN_NOT_OK(ReadTopLevel(bytes.substr(span.begin, span.size), span.begin, &manifest));

  proto::ManifestHead head;
  ARROW_RETURN_NOT_OK(ParseMessage(manifest.head, "manifest message", &head));
  const auto readable = CheckReadable(head.reader_feature_flags(), head.writer_feature_flags());
  const bool tolerated =
      rules == ManifestRules::kTolerant && KindOf(readable) == ErrorKind::kCorrupt;
  if (!readable.ok() && !tolerated) return readable;
  if (rules == ManifestRules::kEnforced) ARROW_RETURN_NOT_OK(CheckDataFormat(head));
  CopyHead(head, &manifest);
  if (manifest.version == Version{0}) return Corrupt("manifest has no version number");
  if (head.has_index_section()) {
    ARROW_ASSIGN_OR_RAISE(manifest.index_section,
                          FindSection(bytes, head.index_section(), "index section"));
  }
  if (head.has_transaction_section() || head.has_old_transaction_section()) {
    const uint64_t position = head.has_transaction_section() ? head.transaction_section()
                                                             : head.old_transaction_section();
    ARROW_ASSIGN_OR_RAISE(manifest.transaction,
                          FindSection(bytes, position, "transaction section"));
  }
  ARROW_RETURN_NOT_OK(CheckFragments(rules, &manifest));
  return manifest;
}

ManifestFileBuilder::ManifestFileBuilder(std::optional<std::string_view> index_section,
                                         std::optional<std::string_view> transaction,
                                         size_t fragments_bytes_expected) {
  const size_t sections = index_section.value_or("").size() + transaction.value_or("").size();
  out_.reserve(sections + fragments_bytes_expected + (64 << 10));
  const auto append = [this](std::string_view section) {
    const uint64_t position = out_.size();
    AppendLittleEndian(out_, static_cast<uint32_t>(section.size()));
    out_.append(section);
    return position;
  };
  if (index_section.has_value()) index_section_ = append(*index_section);
  if (transaction.has_value()) transaction_section_ = append(*transaction);
  message_begin_ = out_.size();
  AppendLittleEndian(out_, uint32_t{0});
}

void ManifestFileBuilder::AddFragment(std::string_view encoded) {
  AppendBytesField(out_, kFieldFragments, encoded);
}

arrow::Result<std::string> ManifestFileBuilder::Finish(const Manifest& previous,
                                                       const ManifestEdit& edit) {
  proto::ManifestHead head;
  ARROW_RETURN_NOT_OK(ParseMessage(previous.head, "previous manifest", &head));
  head.set_version(ToInteger(edit.version));
  head.set_version_aux_data(0);
  head.mutable_timestamp()->set_seconds(edit.timestamp_seconds);
  head.mutable_timestamp()->set_nanos(edit.timestamp_nanos);
  head.set_reader_feature_flags(edit.reader_flags);
  head.set_writer_feature_flags(edit.writer_flags);
  head.set_next_row_id(edit.next_row_id);
  if (edit.max_fragment_id.has_value()) head.set_max_fragment_id(*edit.max_fragment_id);
  head.set_transaction_file(edit.transaction_file);
  head.clear_writer_version();
  head.mutable_writer_version()->set_library(edit.writer_version.library);
  head.mutable_writer_version()->set_version(edit.writer_version.version);
  head.clear_tag();
  head.clear_old_transaction_section();
  head.clear_index_section();
  head.clear_transaction_section();
  if (index_section_.has_value()) head.set_index_section(*index_section_);
  if (transaction_section_.has_value()) head.set_transaction_section(*transaction_section_);
  if (!head.AppendToString(&out_))
    return MakeError(ErrorKind::kInternal, "manifest cannot be serialised");

  const uint64_t length = out_.size() - message_begin_ - 4;
  if (length > std::numeric_limits<uint32_t>::max()) {
    return MakeError(ErrorKind::kTooLarge,
                     fmt::format("manifest message would have {} bytes", length));
  }
  StoreLittleEndian(out_.data() + message_begin_, static_cast<uint32_t>(length));
  AppendLittleEndian(out_, static_cast<uint64_t>(message_begin_));
  AppendLittleEndian(out_, kMajorVersion);
  AppendLittleEndian(out_, kMinorVersion);
  out_.append(kMagic);
  return std::move(out_);
}

}  // namespace pennon
