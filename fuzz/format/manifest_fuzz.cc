// The first byte says whether the rest is a whole file or a message to put a trailer around. A
// manifest that is read can be carried over into the next version, which has the same fragments and
// fields.
#include <arrow/buffer.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "base/little_endian.h"
#include "format/manifest.h"
#include "pennon/base/error.h"

namespace {

using pennon::Manifest;

std::string WithTrailer(std::string_view message) {
  std::string file;
  pennon::AppendLittleEndian(file, static_cast<uint32_t>(message.size()));
  file += message;
  return file + std::string("\0\0\0\0\0\0\0\0\0\0\2\0LANC", 16);
}

bool LiesInside(std::string_view part, const arrow::Buffer& file) {
  const auto* begin = reinterpret_cast<const char*>(file.data());
  return part.empty() || (part.data() >= begin && part.data() + part.size() <= begin + file.size());
}

void CheckBorrows(const Manifest& manifest) {
  for (const auto& fragment : manifest.fragments) {
    for (const auto* sequence : {&fragment.row_ids, &fragment.created, &fragment.last_updated}) {
      if (!LiesInside(sequence->bytes, *manifest.file)) std::abort();
    }
    if (!LiesInside(fragment.encoded, *manifest.file)) std::abort();
  }
  if (!LiesInside(manifest.index_section.value_or(""), *manifest.file)) std::abort();
  if (!LiesInside(manifest.transaction.value_or(""), *manifest.file)) std::abort();
}

void CheckNext(const Manifest& manifest) {
  pennon::ManifestFileBuilder builder(manifest.index_section, manifest.transaction, 0);
  for (const auto& fragment : manifest.fragments) builder.AddFragment(fragment.encoded);
  pennon::ManifestEdit edit;
  edit.version = pennon::Version{7};
  edit.reader_flags = manifest.reader_flags;
  edit.writer_flags = manifest.writer_flags;
  edit.next_row_id = manifest.next_row_id;
  edit.writer_version = {"pennon", "0.1.0"};
  const auto file = builder.Finish(manifest, edit);
  if (!file.ok()) std::abort();
  const auto next = pennon::DecodeManifest(arrow::Buffer::FromString(*file));
  if (!next.ok() || next->version != edit.version ||
      next->fragments.size() != manifest.fragments.size() ||
      next->fields.size() != manifest.fields.size() || next->config != manifest.config ||
      next->table_metadata != manifest.table_metadata || next->branch != manifest.branch ||
      next->max_fragment_id != manifest.max_fragment_id ||
      next->index_section != manifest.index_section || next->transaction != manifest.transaction ||
      next->base_paths.size() != manifest.base_paths.size()) {
    std::abort();
  }
  for (size_t i = 0; i < manifest.fragments.size(); ++i) {
    if (next->fragments[i].encoded != manifest.fragments[i].encoded) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string bytes = data[0] % 2 == 0 ? std::string(rest) : WithTrailer(rest);
  const auto manifest = pennon::DecodeManifest(arrow::Buffer::FromString(bytes));
  if (!manifest.ok()) {
    const auto kind = pennon::KindOf(manifest.status());
    if (kind != pennon::ErrorKind::kCorrupt && kind != pennon::ErrorKind::kUnsupportedFeature)
      std::abort();
    if (pennon::MessageOf(manifest.status()).find('\n') != std::string::npos) std::abort();
    return 0;
  }
  CheckBorrows(*manifest);
  CheckNext(*manifest);
  return 0;
}
