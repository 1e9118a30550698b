#include "rowids/fragment_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "pennon/base/error.h"
#include "rowset/roaring_builder.h"

namespace pennon {

FragmentTable::FragmentTable(std::span<const IndexedFragment> fragments,
                             std::shared_ptr<const void> owner, std::shared_ptr<RowIdSource> source)
    : size_(fragments.size()),
      fragments_(std::make_unique<Fragment[]>(fragments.size())),
      owner_(std::move(owner)),
      source_(std::move(source)) {
  heads_.reserve(size_);
  for (size_t i = 0; i < size_; ++i) {
    const uint64_t num_surely_live =
        fragments[i].has_deletions ? 0
                                   : std::min<uint64_t>(fragments[i].physical_rows, ~uint32_t{0});
    heads_.push_back({fragments[i].id, static_cast<uint32_t>(num_surely_live)});
    fragments_[i].has_deletions = fragments[i].has_deletions;
    fragments_[i].is_spilled = fragments[i].is_spilled;
    fragments_[i].physical_rows = fragments[i].physical_rows;
    fragments_[i].row_ids = fragments[i].row_ids;
  }
  const auto ascends = [](const IndexedFragment& a, const IndexedFragment& b) {
    return a.id < b.id;
  };
  if (std::is_sorted(fragments.begin(), fragments.end(), ascends)) return;
  by_id_.resize(size_);
  std::iota(by_id_.begin(), by_id_.end(), 0);
  std::sort(by_id_.begin(), by_id_.end(),
            [&](uint32_t a, uint32_t b) { return ascends(fragments[a], fragments[b]); });
}

std::optional<size_t> FragmentTable::OrdinalOf(FragmentId id) const {
  if (by_id_.empty() && size_ > 0 && id >= heads_[0].id) {
    // Most tables number their fragments without gaps.
    const size_t guess = ToInteger(id) - ToInteger(heads_[0].id);
    if (guess < size_ && heads_[guess].id == id) return guess;
  }
  size_t low = 0;
  size_t high = size_;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const size_t ordinal = by_id_.empty() ? middle : by_id_[middle];
    if (heads_[ordinal].id == id) return ordinal;
    if (heads_[ordinal].id < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return std::nullopt;
}

const RowIdSequence* FragmentTable::SequenceIfThere(size_t ordinal) const {
  const Fragment& fragment = fragments_[ordinal];
  if (const auto* sequence = fragment.sequence.get()) return sequence;
  if (fragment.is_spilled) return nullptr;
  // The headers were read when the index was made, so this cannot fail.
  return &fragment.sequence.GetOrMake(
      [&] { return DecodeRowIdSequence(fragment.row_ids, owner_).ValueOr(RowIdSequence()); });
}

void FragmentTable::Adopt(const FragmentTable& previous) {
  for (size_t i = 0; i < previous.size_; ++i) {
    const auto* sequence = previous.fragments_[i].sequence.get();
    if (sequence == nullptr || previous.fragments_[i].is_spilled) continue;
    const auto ordinal = OrdinalOf(previous.heads_[i].id);
    if (!ordinal || fragments_[*ordinal].row_ids != previous.fragments_[i].row_ids) continue;
    const Fragment& fragment = fragments_[*ordinal];
    fragment.sequence.Set(
        std::make_unique<const RowIdSequence>(sequence->Rebind(fragment.row_ids, owner_)));
  }
}

arrow::Result<const RowIdSequence*> FragmentTable::Sequence(size_t ordinal) const {
  if (const auto* sequence = SequenceIfThere(ordinal)) return sequence;
  const auto which = static_cast<uint32_t>(ordinal);
  ARROW_RETURN_NOT_OK(LoadSequences(std::span(&which, 1)));
  return SequenceIfThere(ordinal);
}

void FragmentTable::MakeBits(const Fragment& fragment) {
  const DeletionVector& deletions = *fragment.deletions.get();
  const uint64_t rows = fragment.physical_rows;
  if (rows > uint64_t{1} << 32 || deletions.empty() ||
      deletions.count() < rows / kRowsPerDeadForBits)
    return;
  // Whole chunks of the set at a time.
  const uint64_t num_chunks = (rows + kChunkValues - 1) / kChunkValues;
  auto bits = std::make_unique<uint64_t[]>(num_chunks * kChunkWords);
  const RoaringChunks& chunks = *deletions.offsets().chunks();
  for (size_t i = 0; i < chunks.entries.size() && chunks.entries[i].key < num_chunks; ++i) {
    ChunkSetBits(chunks.View(i),
                 ChunkWords(bits.get() + chunks.entries[i].key * kChunkWords, kChunkWords));
  }
  const uint64_t* expected = nullptr;
  if (fragment.dead_bits.compare_exchange_strong(expected, bits.get(), std::memory_order_acq_rel))
    bits.release();
}

arrow::Status FragmentTable::LoadDeletions(std::span<const uint32_t> ordinals) const {
  std::vector<FragmentId> ids;
  std::vector<uint32_t> wanted;
  for (const uint32_t ordinal : ordinals) {
    if (!fragments_[ordinal].has_deletions || fragments_[ordinal].deletions.get() != nullptr)
      continue;
    wanted.push_back(ordinal);
    ids.push_back(heads_[ordinal].id);
  }
  if (wanted.empty()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(auto loaded, source_->LoadDeletions(ids));
  if (loaded.size() != ids.size())
    return MakeError(ErrorKind::kInternal, "wrong number of deletion vectors loaded");
  for (size_t i = 0; i < wanted.size(); ++i) {
    fragments_[wanted[i]].deletions.Set(
        std::make_unique<const DeletionVector>(std::move(loaded[i])));
  }
  return arrow::Status::OK();
}

arrow::Status FragmentTable::LoadSequences(std::span<const uint32_t> ordinals) const {
  std::vector<FragmentId> ids;
  std::vector<uint32_t> wanted;
  for (const uint32_t ordinal : ordinals) {
    if (!fragments_[ordinal].is_spilled || fragments_[ordinal].sequence.get() != nullptr) continue;
    wanted.push_back(ordinal);
    ids.push_back(heads_[ordinal].id);
  }
  if (wanted.empty()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(auto loaded, source_->LoadSequences(ids));
  if (loaded.size() != ids.size())
    return MakeError(ErrorKind::kInternal, "wrong number of row id sequences loaded");
  for (size_t i = 0; i < wanted.size(); ++i) {
    fragments_[wanted[i]].sequence.Set(std::make_unique<const RowIdSequence>(std::move(loaded[i])));
  }
  return arrow::Status::OK();
}

uint64_t FragmentTable::memory_bytes() const {
  uint64_t bytes = sizeof(*this) + size_ * sizeof(Fragment) + heads_.capacity() * sizeof(Head) +
                   by_id_.capacity() * sizeof(uint32_t);
  for (size_t i = 0; i < size_; ++i) {
    if (fragments_[i].dead_bits.load(std::memory_order_relaxed) != nullptr)
      bytes += (fragments_[i].physical_rows + kChunkValues - 1) / kChunkValues * kChunkWords *
               sizeof(uint64_t);
    if (const auto* sequence = fragments_[i].sequence.get()) {
      bytes += sizeof(*sequence) + sequence->memory_bytes();
      if (fragments_[i].is_spilled) bytes += sequence->encoded().size();
    }
  }
  return bytes;
}

}  // namespace pennon
