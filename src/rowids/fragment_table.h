/// \file
/// The fragments of one version as the row id index needs them: their encoded sequences, opened
/// when first touched, and their deletion vectors, fetched when first needed. Spec:
/// format/row-ids.md, heading 3 (inline and spilled sequences); design.md, heading 3.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "pennon/base/ids.h"
#include "rowids/publish_once.h"
#include "rowids/row_id_sequence.h"
#include "rowset/deletion_vector.h"

namespace pennon {

/// What the manifest says of a fragment.
struct IndexedFragment {
  FragmentId id{};
  uint64_t physical_rows = 0;
  bool has_deletions = false;
  /// The sequence lies in a column of a data file, not in `row_ids`.
  bool is_spilled = false;
  std::string_view row_ids{};
};

/// Fetches what lies outside of the manifest. Called by readers of the index, by several at once;
/// what it returns is kept, so it is asked once for each fragment (twice at worst, by readers that
/// come at the same time).
class RowIdSource {
 public:
  virtual ~RowIdSource() = default;
  /// The deletion vectors of fragments that have one, in the order asked.
  virtual arrow::Result<std::vector<DeletionVector>> LoadDeletions(
      std::span<const FragmentId> fragments) = 0;
  /// The sequences of fragments whose `is_spilled` is set, in the order asked.
  virtual arrow::Result<std::vector<RowIdSequence>> LoadSequences(
      std::span<const FragmentId> fragments) = 0;
};

class FragmentTable {
 public:
  FragmentTable(std::span<const IndexedFragment> fragments, std::shared_ptr<const void> owner,
                std::shared_ptr<RowIdSource> source);

  size_t size() const { return size_; }
  FragmentId id(size_t ordinal) const { return heads_[ordinal].id; }
  /// Whether there is such a row and none of its fragment is deleted: all that most look-ups ask
  /// for, of as few bytes as can be. False also for the last of 2^32 rows.
  bool IsSurelyLive(size_t ordinal, uint64_t offset) const {
    return offset < heads_[ordinal].num_surely_live;
  }
  uint64_t physical_rows(size_t ordinal) const { return fragments_[ordinal].physical_rows; }
  bool has_deletions(size_t ordinal) const { return fragments_[ordinal].has_deletions; }
  bool is_spilled(size_t ordinal) const { return fragments_[ordinal].is_spilled; }
  std::string_view row_ids(size_t ordinal) const { return fragments_[ordinal].row_ids; }
  /// Ordinal of a fragment, if the version has it. Cost: logarithmic, usually constant.
  std::optional<size_t> OrdinalOf(FragmentId id) const;

  /// The sequence, opened at the first call; null for a spilled one that nobody has loaded.
  const RowIdSequence* SequenceIfThere(size_t ordinal) const;
  /// Shares what look-ups in `previous` have made of inline sequences that are the same here. Cost:
  /// the fragments of `previous`, and a comparison of the bytes of those that were opened.
  void Adopt(const FragmentTable& previous);
  /// The sequence, loaded if need be. Errors: those of the source; kCorrupt.
  arrow::Result<const RowIdSequence*> Sequence(size_t ordinal) const;

  /// Whether the row is deleted; nothing if its fragment's deletion vector is not there yet.
  std::optional<bool> IsDeletedIfKnown(size_t ordinal, uint32_t offset) const {
    const Fragment& fragment = fragments_[ordinal];
    if (!fragment.has_deletions) return false;
    if (const uint64_t* bits = fragment.dead_bits.load(std::memory_order_acquire)) {
      return offset < fragment.physical_rows && ((bits[offset / 64] >> (offset % 64)) & 1) != 0;
    }
    const DeletionVector* deletions = fragment.deletions.get();
    if (deletions == nullptr) return std::nullopt;
    if (fragment.num_asked.load(std::memory_order_relaxed) <= kAskedBeforeBits &&
        fragment.num_asked.fetch_add(1, std::memory_order_relaxed) == kAskedBeforeBits) {
      MakeBits(fragment);
    }
    return deletions->Contains(RowOffset{offset});
  }
  /// Fetches what IsDeletedIfKnown will look at into the cache.
  __attribute__((always_inline)) void Prefetch(size_t ordinal, uint32_t offset) const {
    const Fragment& fragment = fragments_[ordinal];
    if (!fragment.has_deletions) return;
    const uint64_t* bits = fragment.dead_bits.load(std::memory_order_acquire);
    if (bits != nullptr && offset < fragment.physical_rows) __builtin_prefetch(bits + offset / 64);
  }

  /// Fetches deletion vectors and spilled sequences that are not there yet, each kind in one call
  /// to the source.
  arrow::Status LoadDeletions(std::span<const uint32_t> ordinals) const;
  arrow::Status LoadSequences(std::span<const uint32_t> ordinals) const;

  /// Memory of this table and of the sequences opened, without deletion vectors (they are shared).
  uint64_t memory_bytes() const;

 private:
  // One cache line.
  struct alignas(64) Fragment {
    Fragment() = default;
    Fragment(const Fragment&) = delete;
    Fragment& operator=(const Fragment&) = delete;
    ~Fragment() { delete[] dead_bits.load(std::memory_order_relaxed); }

    bool has_deletions = false;
    bool is_spilled = false;
    uint64_t physical_rows = 0;
    std::string_view row_ids;
    PublishOnce<RowIdSequence> sequence;
    PublishOnce<DeletionVector> deletions;
    // A bit a row, where many are deleted and many were asked for.
    mutable std::atomic<const uint64_t*> dead_bits{nullptr};
    mutable std::atomic<uint32_t> num_asked{0};
  };
  struct Head {
    FragmentId id{};
    uint32_t num_surely_live = 0;
  };
  static constexpr uint32_t kAskedBeforeBits = 64;
  static constexpr uint64_t kRowsPerDeadForBits = 64;
  static void MakeBits(const Fragment& fragment);

  size_t size_;
  std::unique_ptr<Fragment[]> fragments_;
  std::vector<Head> heads_;
  std::vector<uint32_t> by_id_;  // ordinals by fragment id, when they do not ascend by themselves
  std::shared_ptr<const void> owner_;
  std::shared_ptr<RowIdSource> source_;
};

}  // namespace pennon
