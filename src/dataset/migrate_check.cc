#include "dataset/migrate_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "pennon/base/error.h"
#include "rowids/row_id_sequence.h"

namespace pennon {
namespace {

arrow::Status Differs(const std::string& what) { return MakeError(ErrorKind::kInternal, what); }

/// Everything of a fragment but its inline lineage.
arrow::Result<std::string> WithoutLineage(const Fragment& fragment) {
  std::string out;
  ARROW_RETURN_NOT_OK(AppendFragmentWithLineage(fragment.encoded, {}, out));
  return out;
}

struct IdSpan {
  uint64_t smallest = 0;
  uint64_t largest = 0;
  FragmentId fragment{};
};

/// Ids of one fragment: as many as rows, each found where it lies. The plan gives ranges, so the
/// span says it all.
arrow::Result<IdSpan> CheckSequence(const Fragment& fragment, const StableIdsPlan& plan) {
  ARROW_ASSIGN_OR_RAISE(const auto sequence, DecodeRowIdSequence(fragment.row_ids.bytes, nullptr));
  const uint32_t id = ToInteger(fragment.id);
  if (sequence.size() != fragment.physical_rows) {
    return Differs(fmt::format("fragment {} has {} rows but {} ids", id, fragment.physical_rows,
                               sequence.size()));
  }
  const auto last_row = RowOffset{static_cast<uint32_t>(fragment.physical_rows - 1)};
  const IdSpan span{ToInteger(sequence.Get(RowOffset{0})), ToInteger(sequence.Get(last_row)),
                    fragment.id};
  if (span.largest - span.smallest != fragment.physical_rows - 1) {
    return Differs(fmt::format("ids of fragment {} are no single range", id));
  }
  if (plan.ids == IdChoice::kAddresses &&
      RowAddress{span.smallest} != MakeRowAddress(fragment.id, RowOffset{0})) {
    return Differs(fmt::format("ids of fragment {} do not start at its first address, but at {}",
                               id, span.smallest));
  }
  for (const RowOffset offset : {RowOffset{0}, last_row}) {
    if (sequence.PositionOf(sequence.Get(offset)) != offset) {
      return Differs(
          fmt::format("id {} of fragment {} is not found", ToInteger(sequence.Get(offset)), id));
    }
  }
  return span;
}

arrow::Status CheckSpans(std::vector<IdSpan> spans, uint64_t next_row_id) {
  std::sort(spans.begin(), spans.end(),
            [](const IdSpan& a, const IdSpan& b) { return a.smallest < b.smallest; });
  for (size_t i = 0; i < spans.size(); ++i) {
    if (spans[i].largest >= next_row_id) {
      return Differs(
          fmt::format("id {} is not below next_row_id {}", spans[i].largest, next_row_id));
    }
    if (i > 0 && spans[i - 1].largest >= spans[i].smallest) {
      return Differs(fmt::format("id {} is given to fragment {} and to fragment {}",
                                 spans[i].smallest, ToInteger(spans[i - 1].fragment),
                                 ToInteger(spans[i].fragment)));
    }
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Status CheckMigrated(const Snapshot& before, const Snapshot& after,
                            const StableIdsPlan& plan) {
  const Manifest& old_one = before.manifest;
  const Manifest& new_one = after.manifest;
  if (!new_one.has_stable_row_ids() || (new_one.writer_flags & 2) == 0)
    return Differs("stable row ids are not on");
  if (new_one.next_row_id != plan.next_row_id) {
    return Differs(
        fmt::format("next_row_id is {}, planned {}", new_one.next_row_id, plan.next_row_id));
  }
  if (new_one.fragments.size() != old_one.fragments.size()) {
    return Differs(
        fmt::format("{} fragments became {}", old_one.fragments.size(), new_one.fragments.size()));
  }
  std::vector<IdSpan> spans;
  spans.reserve(new_one.fragments.size());
  for (size_t i = 0; i < new_one.fragments.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(const std::string was, WithoutLineage(old_one.fragments[i]));
    ARROW_ASSIGN_OR_RAISE(const std::string is, WithoutLineage(new_one.fragments[i]));
    if (was != is) {
      return Differs(fmt::format("fragment {} changed in more than its ids",
                                 ToInteger(old_one.fragments[i].id)));
    }
    ARROW_ASSIGN_OR_RAISE(const IdSpan span, CheckSequence(new_one.fragments[i], plan));
    spans.push_back(span);
  }
  ARROW_RETURN_NOT_OK(CheckSpans(std::move(spans), new_one.next_row_id));

  const auto reread = before.store->ReadWhole(before.manifest_path, kManifestBytesMax);
  // Somebody's cleanup may have been quicker; what is gone was not changed by us.
  if (!reread.ok() && KindOf(reread.status()) == ErrorKind::kNotFound) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const auto again, reread);
  if (!again->Equals(*old_one.file))
    return Differs("the manifest of the version before is not as it was");
  return arrow::Status::OK();
}

}  // namespace pennon
