// Mini-block pages: chunks of a few KiB, each with its own levels and values.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/checked_math.h"
#include "base/little_endian.h"
#include "encoding/block_values.h"
#include "encoding/dictionary_keys.h"
#include "encoding/mini_block_values.h"
#include "encoding/page_cursor.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

using Bytes = std::span<const uint8_t>;

constexpr uint64_t kPartAlignment = 8;

arrow::Status Corrupt(std::string message) {
  return MakeError(ErrorKind::kCorrupt, std::move(message));
}

/// One chunk taken apart.
struct ChunkParts {
  uint64_t num_levels = 0;
  Bytes rep;
  Bytes def;
  std::vector<Bytes> buffers;
};

arrow::Status SplitChunk(const MiniBlockLayout& layout, Bytes chunk, ChunkParts* parts) {
  const uint64_t size_width = layout.has_large_chunk ? 4 : 2;
  const uint64_t header_size =
      2 + (layout.rep ? 2 : 0) + (layout.def ? 2 : 0) + layout.num_buffers * size_width;
  if (header_size > chunk.size()) return Corrupt("chunk is shorter than its header");
  const uint8_t* header = chunk.data();
  const auto next_size = [&](uint64_t width) -> uint64_t {
    const uint64_t size =
        width == 4 ? LoadLittleEndian<uint32_t>(header) : LoadLittleEndian<uint16_t>(header);
    header += width;
    return size;
  };
  uint64_t at = header_size;
  const auto take = [&](uint64_t size, Bytes* part) {
    at = CeilDivide(at, kPartAlignment) * kPartAlignment;
    if (at > chunk.size() || size > chunk.size() - at) return false;
    *part = chunk.subspan(at, size);
    at += size;
    return true;
  };
  parts->num_levels = next_size(2);
  const uint64_t rep_size = layout.rep ? next_size(2) : 0;
  const uint64_t def_size = layout.def ? next_size(2) : 0;
  bool fits =
      (!layout.rep || take(rep_size, &parts->rep)) && (!layout.def || take(def_size, &parts->def));
  parts->buffers.resize(layout.num_buffers);
  for (Bytes& buffer : parts->buffers) fits = fits && take(next_size(size_width), &buffer);
  if (fits && CeilDivide(at, kPartAlignment) * kPartAlignment == chunk.size())
    return arrow::Status::OK();
  return Corrupt(
      fmt::format("chunk has the wrong size: {} bytes, its parts need {}", chunk.size(), at));
}

const LeafType& KeyType(uint64_t bits) {
  static const LeafType types[] = {MakeWordType(1), MakeWordType(2), MakeWordType(4),
                                   MakeWordType(8)};
  return types[bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3];
}

/// Bits of the words that an encoding of fixed-width values gives, whatever lies around them.
uint64_t WordBits(const ValueEncoding& encoding) {
  return encoding.kind == EncodingKind::kGeneral ? WordBits(encoding.children[0]) : encoding.bits;
}

class MiniBlockCursor : public PageCursor {
 public:
  explicit MiniBlockCursor(PageSelection selection)
      : selection_(std::move(selection)),
        index_(*selection_.index),
        layout_(std::get<MiniBlockLayout>(index_.layout.layout)),
        max_rep_(MaxRep(index_.layout.layers)),
        keys_(KeyType(WordBits(layout_.values)), selection_.budget) {}

  arrow::Status Plan(std::vector<ByteRange>* wanted) override {
    if (is_planned_) return arrow::Status::OK();
    is_planned_ = true;
    for (const RowRange& rows : selection_.rows) {
      const ChunkRun run = ChunksOf(rows);
      if (runs_.empty() || run.begin > runs_.back().end) {
        runs_.push_back(run);
      } else {
        runs_.back().end = std::max(runs_.back().end, run.end);
      }
    }
    const uint64_t base = selection_.page->buffers[1].begin;
    for (const ChunkRun& run : runs_) {
      wanted->push_back(
          {base + index_.chunks[run.begin].begin, base + index_.chunks[run.end].begin});
    }
    return arrow::Status::OK();
  }

  arrow::Status Accept(std::span<const FetchedBytes> bytes) override {
    for (size_t i = 0; i < runs_.size(); ++i) runs_[i].bytes = bytes[i];
    return arrow::Status::OK();
  }

  arrow::Status Decode(uint64_t num_rows, LeafOutput* out) override {
    const uint64_t values_before = out->values.length;
    num_slots_ = 0;
    uint64_t left = num_rows;
    while (left != 0) {
      const RowRange& rows = selection_.rows[range_];
      const RowRange piece{rows.begin + rows_done_,
                           rows.begin + rows_done_ + std::min(left, rows.size() - rows_done_)};
      ARROW_RETURN_NOT_OK(DecodeRows(piece, out));
      left -= piece.size();
      rows_done_ += piece.size();
      if (rows_done_ == rows.size()) {
        ++range_;
        rows_done_ = 0;
      }
    }
    ARROW_RETURN_NOT_OK(FlushChunk(out));
    const bool has_levels = layout_.rep || layout_.def;
    return out->AppendStructure(index_.layout.layers, layout_.rep.has_value(),
                                layout_.def.has_value(), has_levels ? num_slots_ : num_rows,
                                num_rows, out->values.length - values_before);
  }

 private:
  /// Chunks [begin, end) that lie one after the other, and their bytes.
  struct ChunkRun {
    size_t begin = 0;
    size_t end = 0;
    FetchedBytes bytes;
  };

  size_t ChunkOfRow(uint64_t row) const {
    const auto after = std::upper_bound(
        index_.chunks.begin(), index_.chunks.end(), row,
        [](uint64_t r, const LayoutPageIndex::Chunk& chunk) { return r < chunk.first_row; });
    return static_cast<size_t>(after - index_.chunks.begin()) - 1;
  }

  ChunkRun ChunksOf(const RowRange& rows) const {
    ChunkRun run;
    run.begin = ChunkOfRow(rows.begin);
    run.end = ChunkOfRow(rows.end - 1) + 1;
    // The last row may go on in the chunks behind.
    const size_t num_chunks = index_.chunks.size() - 1;
    if (!index_.has_preamble.empty() && rows.end == index_.chunks[run.end].first_row) {
      while (run.end < num_chunks && index_.has_preamble[run.end] &&
             index_.chunks[run.end].first_row == rows.end) {
        ++run.end;
        if (index_.chunks[run.end].first_row != rows.end) break;
      }
    }
    return run;
  }

  arrow::Status DecodeRows(const RowRange& rows, LeafOutput* out) {
    const ChunkRun run = ChunksOf(rows);
    for (size_t c = run.begin; c < run.end; ++c) {
      if (chunk_ != c || !is_open_) {
        ARROW_RETURN_NOT_OK(FlushChunk(out));
        ARROW_RETURN_NOT_OK(OpenChunk(c, out));
      }
      ARROW_RETURN_NOT_OK(max_rep_ == 0 ? KeepValues(rows) : KeepSlots(rows, out));
    }
    return arrow::Status::OK();
  }

  uint64_t NumValues(size_t c) const {
    return index_.chunks[c + 1].first_value - index_.chunks[c].first_value;
  }

  Bytes ChunkBytes(size_t c) {
    while (runs_[run_].end <= c) ++run_;
    const uint64_t begin = index_.chunks[c].begin - index_.chunks[runs_[run_].begin].begin;
    return runs_[run_].bytes.data.subspan(begin,
                                          index_.chunks[c + 1].begin - index_.chunks[c].begin);
  }

  arrow::Status OpenChunk(size_t c, LeafOutput* out) {
    chunk_ = c;
    is_open_ = true;
    keep_.clear();
    ARROW_RETURN_NOT_OK(InChunk(SplitChunk(layout_, ChunkBytes(c), &parts_)));
    // Levels go behind those collected so far; what is not kept of them is cut out again.
    rep_begin_ = out->rep.length;
    def_begin_ = out->def.length;
    chunk_levels_ = parts_.num_levels;
    if (layout_.rep) {
      ARROW_RETURN_NOT_OK(InChunk(AppendLevels(*layout_.rep, parts_.rep, &out->rep, out)));
    }
    if (layout_.def) {
      const uint64_t rep_levels = chunk_levels_;
      ARROW_RETURN_NOT_OK(InChunk(AppendLevels(*layout_.def, parts_.def, &out->def, out)));
      if (layout_.rep && rep_levels != chunk_levels_) {
        return InChunk(Corrupt("level streams have different lengths"));
      }
    }
    if (max_rep_ == 0) {
      if (layout_.def && chunk_levels_ != NumValues(c)) {
        return InChunk(Corrupt(fmt::format("levels and values do not match: {} levels, {} values",
                                           chunk_levels_, NumValues(c))));
      }
      return arrow::Status::OK();
    }
    return FindRows(out);
  }

  arrow::Status AppendLevels(const ValueEncoding& encoding, Bytes bytes, ValueBuilder* levels,
                             LeafOutput* out) {
    ARROW_ASSIGN_OR_RAISE(chunk_levels_,
                          DecodeLevels(encoding, bytes, parts_.num_levels, &out->scratch, levels));
    return arrow::Status::OK();
  }

  /// Notes where the rows of the open chunk start.
  arrow::Status FindRows(LeafOutput* out) {
    const auto* rep = reinterpret_cast<const uint16_t*>(out->rep.values.data()) + rep_begin_;
    row_starts_.clear();
    for (uint64_t slot = 0; slot < chunk_levels_; ++slot) {
      if (rep[slot] >= max_rep_) row_starts_.push_back(static_cast<uint32_t>(slot));
    }
    const uint64_t expected = index_.chunks[chunk_ + 1].first_row - index_.chunks[chunk_].first_row;
    if (row_starts_.size() == expected) return arrow::Status::OK();
    return InChunk(Corrupt(
        fmt::format("repetition index does not match the levels: {} rows start, the index says {}",
                    row_starts_.size(), expected)));
  }

  /// Without lists rows are slots and slots are values.
  arrow::Status KeepValues(const RowRange& rows) {
    const uint64_t first = index_.chunks[chunk_].first_row;
    const uint64_t begin = std::max(rows.begin, first) - first;
    const uint64_t end = std::min(rows.end, index_.chunks[chunk_ + 1].first_row) - first;
    if (begin == end) return arrow::Status::OK();
    keep_.push_back({begin, end});
    KeepLevels(begin, end);
    return arrow::Status::OK();
  }

  arrow::Status KeepSlots(const RowRange& rows, LeafOutput* out) {
    const uint64_t first = index_.chunks[chunk_].first_row;
    const uint64_t slot_begin = rows.begin < first ? 0 : StartOf(rows.begin - first);
    const uint64_t slot_end = rows.end < first ? 0 : StartOf(rows.end - first);
    if (slot_begin >= slot_end) return arrow::Status::OK();
    // Values before and within the slots; a chunk without invisible slots needs no counting.
    RowRange values{slot_begin, slot_end};
    if (layout_.def) {
      const auto* def = reinterpret_cast<const uint16_t*>(out->def.values.data()) + def_begin_;
      values.begin = visible_before_ + CountVisible(index_.layout.layers,
                                                    {def + slots_seen_, slot_begin - slots_seen_});
      values.end = values.begin +
                   CountVisible(index_.layout.layers, {def + slot_begin, slot_end - slot_begin});
      visible_before_ = values.end;
      slots_seen_ = slot_end;
    }
    if (values.end > NumValues(chunk_)) {
      return InChunk(Corrupt(fmt::format("levels own more values than the chunk has: {} of {}",
                                         values.end, NumValues(chunk_))));
    }
    if (values.begin != values.end) keep_.push_back(values);
    KeepLevels(slot_begin, slot_end);
    return arrow::Status::OK();
  }

  /// Slot where the i-th row of the open chunk starts; the end of the chunk for the one behind the
  /// last.
  uint64_t StartOf(uint64_t i) const {
    return i < row_starts_.size() ? row_starts_[i] : chunk_levels_;
  }

  void KeepLevels(uint64_t begin, uint64_t end) {
    kept_slots_.push_back({begin, end});
    num_slots_ += end - begin;
  }

  /// Decodes the kept values of the open chunk and cuts the levels that are not kept.
  arrow::Status FlushChunk(LeafOutput* out) {
    if (!is_open_) return arrow::Status::OK();
    is_open_ = false;
    if (layout_.rep) CutLevels(rep_begin_, &out->rep);
    if (layout_.def) CutLevels(def_begin_, &out->def);
    kept_slots_.clear();
    slots_seen_ = visible_before_ = 0;
    if (keep_.empty()) return arrow::Status::OK();
    if (layout_.dictionary) return InChunk(DecodeKeys(out));
    return InChunk(DecodeMiniBlock(layout_.values, parts_.buffers, NumValues(chunk_), keep_,
                                   &out->scratch, &out->values));
  }

  void CutLevels(uint64_t begin, ValueBuilder* levels) const {
    auto* words = reinterpret_cast<uint16_t*>(levels->values.data()) + begin;
    uint64_t kept = 0;
    for (const RowRange& slots : kept_slots_) {
      if (kept != slots.begin) std::copy(words + slots.begin, words + slots.end, words + kept);
      kept += slots.size();
    }
    levels->length = begin + kept;
    levels->values.Truncate(levels->length * sizeof(uint16_t));
  }

  arrow::Status DecodeKeys(LeafOutput* out) {
    keys_.values.Truncate(0);
    keys_.length = 0;
    ARROW_RETURN_NOT_OK(DecodeMiniBlock(layout_.values, parts_.buffers, NumValues(chunk_), keep_,
                                        &out->scratch, &keys_));
    const uint32_t width = keys_.type->width_bytes;
    if (out->values.type->kind == LeafKind::kDictionary) {
      return AppendKeys(keys_.values.data(), width, keys_.length, index_.dictionary, &out->values);
    }
    return AppendLookedUp(keys_.values.data(), width, keys_.length, *index_.dictionary,
                          &out->values);
  }

  arrow::Status InChunk(const arrow::Status& status) const {
    if (status.ok()) [[likely]]
      return status;
    return AddContext(status, fmt::format(" (chunk {})", chunk_));
  }

  PageSelection selection_;
  const LayoutPageIndex& index_;
  const MiniBlockLayout& layout_;
  const uint16_t max_rep_;
  bool is_planned_ = false;
  std::vector<ChunkRun> runs_;
  size_t run_ = 0;          // run of the last chunk asked for
  size_t range_ = 0;        // next range of the selection
  uint64_t rows_done_ = 0;  // rows of it that are decoded

  bool is_open_ = false;
  size_t chunk_ = 0;
  ChunkParts parts_;
  uint64_t chunk_levels_ = 0;
  uint64_t rep_begin_ = 0;  // where the chunk's levels lie in the output
  uint64_t def_begin_ = 0;
  uint64_t slots_seen_ = 0;  // slots of the chunk whose values have been counted
  uint64_t visible_before_ = 0;
  uint64_t num_slots_ = 0;  // kept since Decode began
  std::vector<uint32_t> row_starts_;
  std::vector<RowRange> keep_;        // values
  std::vector<RowRange> kept_slots_;  // levels
  ValueBuilder keys_;
};

}  // namespace

std::unique_ptr<PageCursor> MakeMiniBlockCursor(PageSelection selection) {
  return std::make_unique<MiniBlockCursor>(std::move(selection));
}

}  // namespace pennon
