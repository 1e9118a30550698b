#include "rowset/deletion_vector.h"

#include "rowset/roaring_algebra.h"

namespace pennon {
namespace {

// A first deletion of this many rows is a bitmap; a growing one becomes a bitmap when it has more.
constexpr uint64_t kBitmapThreshold = 5000;

}  // namespace

DeletionVector DeletionVector::FromOffsets(std::vector<uint32_t> offsets) {
  RoaringSet set = RoaringSet::FromUnsorted(std::move(offsets));
  const bool bitmap = set.count() >= kBitmapThreshold;
  return DeletionVector(std::move(set), bitmap ? DeletionForm::kBitmap : DeletionForm::kArray);
}

std::optional<RowOffset> DeletionVector::LiveOffset(uint64_t k) const {
  if (k >= uint64_t{1} << 32) return std::nullopt;
  const uint64_t offset = offsets_.SelectAbsent(k);
  if (offset >= uint64_t{1} << 32) return std::nullopt;
  return RowOffset{static_cast<uint32_t>(offset)};
}

std::vector<OffsetRange> DeletionVector::LiveRanges(OffsetRange range) const {
  std::vector<OffsetRange> ranges;
  LiveRangeCursor cursor(*this, range);
  for (OffsetRange run; cursor.Next(&run);) ranges.push_back(run);
  return ranges;
}

DeletionVector DeletionVector::Union(const DeletionVector& other) const {
  if (empty()) return other;
  if (other.empty()) return *this;
  RoaringSet both = pennon::Union(offsets_, other.offsets_);
  const bool bitmap = form_ == DeletionForm::kBitmap || other.form_ == DeletionForm::kBitmap ||
                      both.count() > kBitmapThreshold;
  return DeletionVector(std::move(both), bitmap ? DeletionForm::kBitmap : DeletionForm::kArray);
}

bool LiveRangeCursor::Next(OffsetRange* run) {
  while (next_ < end_) {
    OffsetRange dead{end_, end_};
    if (!dead_.Next(&dead)) dead = {end_, end_};
    *run = {next_, dead.begin};
    next_ = dead.end;
    if (run->begin < run->end) return true;
  }
  return false;
}

}  // namespace pennon
