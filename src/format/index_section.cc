#include "format/index_section.h"

#include <fmt/format.h>

#include "base/wire.h"
#include "format/parse_message.h"
#include "pennon/base/error.h"
#include "table.pb.h"

namespace pennon {
namespace {

std::string FormatUuid(std::string_view bytes) {
  std::string out;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += fmt::format("{:02x}", static_cast<uint8_t>(bytes[i]));
  }
  return out;
}

/// "/lance.table.BTreeIndexDetails" -> "BTree".
std::string TypeFromUrl(std::string_view url) {
  constexpr std::string_view kSuffix = "IndexDetails";
  const size_t cut = url.find_last_of("./");
  std::string_view name = cut == std::string_view::npos ? url : url.substr(cut + 1);
  if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
  return std::string(name);
}

}  // namespace

arrow::Result<std::vector<IndexEntry>> DecodeIndexSection(std::string_view section) {
  std::vector<IndexEntry> out;
  WireReader reader(section);
  WireField field;
  while (!reader.done()) {
    const auto status = reader.Next(&field);
    if (!status.ok()) return MakeError(KindOf(status), "index section: " + MessageOf(status));
    if (field.number != 1 || field.type != WireType::kBytes) continue;
    proto::IndexMetadata message;
    ARROW_RETURN_NOT_OK(
        ParseMessage(field.bytes, fmt::format("index section: entry {}", out.size()), &message));
    IndexEntry entry;
    entry.uuid = FormatUuid(message.uuid().bytes());
    entry.name = message.name();
    entry.type = TypeFromUrl(message.index_details().type_url());
    entry.fields.assign(message.fields().begin(), message.fields().end());
    entry.dataset_version = message.dataset_version();
    if (message.has_index_version()) entry.index_version = message.index_version();
    entry.fragment_bitmap = message.fragment_bitmap();
    if (message.has_base_id()) entry.base_id = message.base_id();
    entry.encoded = field.bytes;
    out.push_back(std::move(entry));
  }
  return out;
}

std::string EncodeIndexSection(const std::vector<std::string_view>& entries) {
  std::string out;
  for (const auto entry : entries) AppendBytesField(out, 1, entry);
  return out;
}

}  // namespace pennon
