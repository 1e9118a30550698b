#include "dataset/verify_indexes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "format/index_section.h"
#include "pennon/base/error.h"
#include "rowset/roaring.h"
#include "rowset/roaring_algebra.h"

namespace pennon {
namespace {

constexpr size_t kNamedFragmentsMax = 5;

// "3, 7, 9 and 12 more".
std::string NameSome(const RoaringSet& fragments) {
  std::vector<uint32_t> some;
  RoaringRunCursor cursor(fragments);
  for (ValueRange run; some.size() < kNamedFragmentsMax && cursor.Next(&run);) {
    for (uint64_t id = run.begin; id < run.end && some.size() < kNamedFragmentsMax; ++id) {
      some.push_back(static_cast<uint32_t>(id));
    }
  }
  std::string text = fmt::format("{}", fmt::join(some, ", "));
  if (fragments.count() > some.size())
    text += fmt::format(" and {} more", fragments.count() - some.size());
  return text;
}

class IndexVerifier {
 public:
  IndexVerifier(const Manifest& manifest, FaultSink* sink) : manifest_(manifest), sink_(sink) {
    std::vector<uint32_t> ids;
    ids.reserve(manifest.fragments.size());
    for (const auto& fragment : manifest.fragments) ids.push_back(ToInteger(fragment.id));
    existing_ = RoaringSet::FromUnsorted(std::move(ids));
  }

  void Verify(const IndexEntry& index) {
    const FaultPlace place{.file = "_indices/" + index.uuid};
    if (++uuids_[index.uuid] == 2) {
      sink_->Error("index_twice", place, fmt::format("two indexes have the uuid {}", index.uuid));
    }
    if (index.base_id.has_value() &&
        std::none_of(manifest_.base_paths.begin(), manifest_.base_paths.end(),
                     [&](const BasePath& base) { return base.id == *index.base_id; })) {
      sink_->Error(
          "base_path_missing", place,
          fmt::format("index '{}' lies below base path {}, which the manifest does not list",
                      index.name, *index.base_id));
    }
    for (const int32_t field : index.fields) {
      if (std::any_of(manifest_.fields.begin(), manifest_.fields.end(),
                      [&](const SchemaField& item) { return item.id == field; })) {
        continue;
      }
      sink_->Warning("index_field_missing", place,
                     fmt::format("index '{}' is on field {}, which the schema does not have",
                                 index.name, field));
    }
    if (index.name == kFragmentReuseIndexName && manifest_.has_stable_row_ids()) {
      sink_->Error("fragment_reuse_on_stable", place,
                   "a fragment-reuse index is there, but the table has stable row ids: every "
                   "commit is refused");
    }
    if (!index.is_system()) VerifyCoverage(index, place);
  }

 private:
  void VerifyCoverage(const IndexEntry& index, const FaultPlace& place) {
    if (index.fragment_bitmap.empty()) return;  // unknown coverage is allowed
    const auto covered = DecodeRoaring(index.fragment_bitmap);
    if (!covered.ok()) {
      sink_->Error("index_bitmap_unreadable", place,
                   fmt::format("coverage of index '{}' cannot be read: {}", index.name,
                               MessageOf(covered.status())));
      return;
    }
    const int64_t highest = manifest_.HighestFragmentId();
    if (!covered->empty() && int64_t{covered->max()} > highest) {
      sink_->Error(
          "index_fragment_unknown", place,
          fmt::format(
              "index '{}' covers fragment {}, but no fragment above {} was ever given out: rows of "
              "the next ones would be missed",
              index.name, covered->max(), highest));
    }
    const RoaringSet gone = Subtract(*covered, existing_);
    if (!gone.empty() && int64_t{gone.min()} <= highest) {
      sink_->Note(
          "index_fragment_gone", place,
          fmt::format("index '{}' covers fragments that are gone: {}", index.name, NameSome(gone)));
    }
    RoaringSet& of_name = covered_by_name_[index.name];
    const RoaringSet both = Intersect(of_name, *covered);
    if (!both.empty()) {
      sink_->Warning("index_overlap", place,
                     fmt::format("two parts of index '{}' cover the same fragments: {}", index.name,
                                 NameSome(both)));
    }
    of_name = Union(of_name, *covered);
  }

  const Manifest& manifest_;
  FaultSink* sink_;
  RoaringSet existing_;
  std::map<std::string, int> uuids_;
  std::map<std::string, RoaringSet> covered_by_name_;
};

}  // namespace

void VerifyIndexes(const Manifest& manifest, FaultSink* sink, VerifyCounters* checked) {
  if (!manifest.index_section.has_value()) return;
  const auto indexes = DecodeIndexSection(*manifest.index_section);
  if (!indexes.ok()) {
    sink->Error("index_list_unreadable", {},
                fmt::format("index list cannot be read: {}", MessageOf(indexes.status())));
    return;
  }
  checked->num_indexes += indexes->size();
  IndexVerifier verifier(manifest, sink);
  for (const IndexEntry& index : *indexes) verifier.Verify(index);
}

}  // namespace pennon
