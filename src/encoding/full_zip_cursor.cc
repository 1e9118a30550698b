// Full-zip pages: slot after slot, each with a control word and, if it owns one, its value.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/checked_math.h"
#include "base/little_endian.h"
#include "encoding/page_cursor.h"
#include "encoding/zipped_values.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

using Bytes = std::span<const uint8_t>;

/// Index entries between the first and the last one of a range are fetched along while they take no
/// more than this.
constexpr uint64_t kEntriesBytesMax = 4096;

arrow::Status Corrupt(std::string message) {
  return MakeError(ErrorKind::kCorrupt, std::move(message));
}

uint64_t ControlWordBytes(const FullZipLayout& layout) {
  const uint32_t bits = layout.bits_rep + layout.bits_def;
  return bits == 0 ? 0 : bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
}

uint64_t LoadUnsigned(const uint8_t* bytes, uint64_t width) {
  switch (width) {
    case 1:
      return *bytes;
    case 2:
      return LoadLittleEndian<uint16_t>(bytes);
    case 4:
      return LoadLittleEndian<uint32_t>(bytes);
    default:
      return LoadLittleEndian<uint64_t>(bytes);
  }
}

class FullZipCursor : public PageCursor {
 public:
  explicit FullZipCursor(PageSelection selection)
      : selection_(std::move(selection)),
        layers_(selection_.index->layout.layers),
        layout_(std::get<FullZipLayout>(selection_.index->layout.layout)),
        max_rep_(MaxRep(layers_)),
        max_visible_(MaxVisibleDef(layers_)),
        control_bytes_(ControlWordBytes(layout_)),
        value_bytes_(layout_.bits_per_value / 8),
        parts_(selection_.rows.size()) {}

  arrow::Status Plan(std::vector<ByteRange>* wanted) override {
    switch (stage_) {
      case Stage::kNew:
        ARROW_RETURN_NOT_OK(CheckBuffers());
        if (HasFixedStride()) {
          const uint64_t stride = control_bytes_ + value_bytes_;
          for (size_t i = 0; i < parts_.size(); ++i) {
            parts_[i].begin = selection_.rows[i].begin * stride;
            parts_[i].end = selection_.rows[i].end * stride;
          }
          return PlanData(wanted);
        }
        stage_ = Stage::kEntries;
        PlanEntries(wanted);
        if (!entries_.empty()) return arrow::Status::OK();
        ARROW_RETURN_NOT_OK(FindParts({}));
        return PlanData(wanted);
      case Stage::kHasEntries:
        return PlanData(wanted);
      default:
        return arrow::Status::OK();
    }
  }

  arrow::Status Accept(std::span<const FetchedBytes> bytes) override {
    if (stage_ == Stage::kEntries) {
      stage_ = Stage::kHasEntries;
      return FindParts(bytes);
    }
    for (size_t i = 0; i < runs_.size(); ++i) runs_[i].bytes = bytes[i];
    return arrow::Status::OK();
  }

  arrow::Status Decode(uint64_t num_rows, LeafOutput* out) override {
    const uint64_t values_before = out->values.length;
    num_slots_ = 0;
    ARROW_RETURN_NOT_OK(CheckValues(*out->values.type));
    for (uint64_t left = num_rows; left != 0;) {
      const RowRange& rows = selection_.rows[range_];
      const uint64_t count = std::min(left, rows.size() - rows_done_);
      if (rows_done_ == 0) EnterPart();
      const bool is_bulk = HasFixedStride() && (control_bytes_ == 0 || max_rep_ == 0);
      ARROW_RETURN_NOT_OK(is_bulk ? DecodeStrided(count, out) : DecodeSlots(count, out));
      left -= count;
      rows_done_ += count;
      if (rows_done_ == rows.size()) {
        if (!rest_.empty())
          return Corrupt(
              fmt::format("rows end before their bytes: {} bytes are left", rest_.size()));
        ++range_;
        rows_done_ = 0;
      }
    }
    const bool has_def = layout_.bits_def != 0;
    return out->AppendStructure(layers_, max_rep_ != 0, has_def, num_slots_, num_rows,
                                out->values.length - values_before);
  }

 private:
  enum class Stage { kNew, kEntries, kHasEntries, kPlanned };

  /// Bytes of one range of rows in the data buffer, and where they have been fetched.
  struct Part {
    uint64_t begin = 0;
    uint64_t end = 0;
    size_t run = 0;
  };
  /// Joined parts.
  struct Run {
    uint64_t begin = 0;
    uint64_t end = 0;
    FetchedBytes bytes;
  };
  /// Entries [first, last] of the repetition index, fetched for one range of rows.
  struct Entries {
    uint64_t first = 0;
    uint64_t last = 0;
  };

  bool IsVariable() const { return layout_.bits_per_offset != 0; }
  bool HasFixedStride() const { return !IsVariable() && max_rep_ == 0; }
  uint64_t data_size() const { return selection_.page->buffers[0].size(); }

  arrow::Status CheckBuffers() {
    const PageInfo& page = *selection_.page;
    const size_t expected = HasFixedStride() ? 1 : 2;
    if (page.buffers.size() != expected) {
      return Corrupt(fmt::format("page has the wrong number of buffers: expected {}, got {}",
                                 expected, page.buffers.size()));
    }
    if (max_rep_ != 0 && layout_.bits_rep == 0)
      return Corrupt("page has lists without repetition levels");
    if (!HasFixedStride()) {
      entry_bytes_ = page.num_rows == UINT64_MAX ? 0 : page.buffers[1].size() / (page.num_rows + 1);
      const bool is_width =
          entry_bytes_ == 1 || entry_bytes_ == 2 || entry_bytes_ == 4 || entry_bytes_ == 8;
      if (!is_width || page.buffers[1].size() != entry_bytes_ * (page.num_rows + 1)) {
        return Corrupt(fmt::format("repetition index has the wrong size: {} rows, {} bytes",
                                   page.num_rows, page.buffers[1].size()));
      }
      return arrow::Status::OK();
    }
    const uint64_t expected_size = SaturatingMultiply(page.num_rows, control_bytes_ + value_bytes_);
    if (expected_size != data_size()) {
      return Corrupt(fmt::format("page has the wrong size: expected {} bytes, got {}",
                                 expected_size, data_size()));
    }
    return arrow::Status::OK();
  }

  arrow::Status CheckValues(const LeafType& type) const {
    if (IsVariable()) return CheckZippedVariable(layout_.values, type);
    ARROW_ASSIGN_OR_RAISE(const uint64_t size, ZippedBytes(layout_.values, type));
    if (size == value_bytes_ && size != 0) return arrow::Status::OK();
    return Corrupt(fmt::format("values have the wrong width: {} bytes, their encoding has {}",
                               value_bytes_, size));
  }

  /// The ends of the page are known without the index.
  bool IsKnown(uint64_t row) const { return row == 0 || row == selection_.page->num_rows; }

  void PlanEntries(std::vector<ByteRange>* wanted) {
    const uint64_t base = selection_.page->buffers[1].begin;
    const auto want = [&](uint64_t first, uint64_t last) {
      entries_.push_back({first, last});
      wanted->push_back({base + first * entry_bytes_, base + (last + 1) * entry_bytes_});
    };
    for (const RowRange& rows : selection_.rows) {
      const bool needs_begin = !IsKnown(rows.begin);
      const bool needs_end = !IsKnown(rows.end);
      if (needs_begin && needs_end && (rows.size() + 1) * entry_bytes_ <= kEntriesBytesMax) {
        want(rows.begin, rows.end);
        continue;
      }
      if (needs_begin) want(rows.begin, rows.begin);
      if (needs_end) want(rows.end, rows.end);
    }
  }

  arrow::Status FindParts(std::span<const FetchedBytes> bytes) {
    size_t at = 0;
    const auto entry = [&](uint64_t row) -> uint64_t {
      if (row == 0) return 0;
      if (row == selection_.page->num_rows) return data_size();
      while (entries_[at].last < row) ++at;
      return LoadUnsigned(bytes[at].data.data() + (row - entries_[at].first) * entry_bytes_,
                          entry_bytes_);
    };
    uint64_t before = 0;
    for (size_t i = 0; i < parts_.size(); ++i) {
      parts_[i].begin = entry(selection_.rows[i].begin);
      parts_[i].end = entry(selection_.rows[i].end);
      if (parts_[i].begin < before || parts_[i].end < parts_[i].begin ||
          parts_[i].end > data_size()) {
        return Corrupt(
            fmt::format("repetition index is out of order: rows {} to {}, bytes {} to {} of {}",
                        selection_.rows[i].begin, selection_.rows[i].end, parts_[i].begin,
                        parts_[i].end, data_size()));
      }
      before = parts_[i].end;
    }
    return arrow::Status::OK();
  }

  arrow::Status PlanData(std::vector<ByteRange>* wanted) {
    stage_ = Stage::kPlanned;
    for (Part& part : parts_) {
      if (runs_.empty() || runs_.back().end != part.begin)
        runs_.push_back({part.begin, part.begin, {}});
      runs_.back().end = part.end;
      part.run = runs_.size() - 1;
    }
    const uint64_t base = selection_.page->buffers[0].begin;
    for (const Run& run : runs_) wanted->push_back({base + run.begin, base + run.end});
    return arrow::Status::OK();
  }

  void EnterPart() {
    const Part& part = parts_[range_];
    const Run& run = runs_[part.run];
    rest_ = run.bytes.data.subspan(part.begin - run.begin, part.end - part.begin);
    owner_ = &run.bytes.owner;
  }

  /// Rows of one width: no lists, no lengths.
  arrow::Status DecodeStrided(uint64_t count, LeafOutput* out) {
    const uint64_t stride = control_bytes_ + value_bytes_;
    const uint64_t size = count * stride;
    if (size > rest_.size()) return Corrupt("page is cut short");
    const uint8_t* first = rest_.data();
    if (layout_.bits_def != 0) {
      ARROW_RETURN_NOT_OK(out->def.values.Reserve(count * 2));
      for (uint64_t i = 0; i < count; ++i)
        PushDef(LoadUnsigned(first + i * stride, control_bytes_), out);
    }
    num_slots_ += count;
    first += control_bytes_;
    if (control_bytes_ == 0 && layout_.values.kind == EncodingKind::kFlat &&
        out->values.type->kind == LeafKind::kFixed) {
      ARROW_RETURN_NOT_OK(out->values.AppendShared(rest_.first(size), *owner_, count));
    } else if (control_bytes_ == 0 && IsPlainList(layout_.values, *out->values.type)) {
      ARROW_RETURN_NOT_OK(AppendSharedLists(rest_.first(size), count, &out->values));
    } else {
      ARROW_RETURN_NOT_OK(AppendZipped(layout_.values, first, stride, count, &out->values));
    }
    rest_ = rest_.subspan(size);
    return arrow::Status::OK();
  }

  /// Fixed-size lists of whole-byte items without validity: their items lie as Arrow wants them.
  static bool IsPlainList(const ValueEncoding& encoding, const LeafType& type) {
    return encoding.kind == EncodingKind::kFixedSizeList && !encoding.has_validity &&
           encoding.children[0].kind == EncodingKind::kFlat &&
           type.children[0].kind == LeafKind::kFixed;
  }

  arrow::Status AppendSharedLists(Bytes bytes, uint64_t count, ValueBuilder* lists) {
    ValueBuilder& items = lists->children[0];
    const uint64_t num_items = count * lists->type->list_size;
    ARROW_RETURN_NOT_OK(items.AppendShared(bytes, *owner_, num_items));
    items.validity.AppendValid(num_items);
    lists->length += count;
    return arrow::Status::OK();
  }

  void PushDef(uint64_t control_word, LeafOutput* out) const {
    const auto def = static_cast<uint16_t>(control_word & ((uint64_t{1} << layout_.bits_def) - 1));
    StoreLittleEndian(out->def.values.end(), def);
    out->def.values.Advance(2);
    ++out->def.length;
  }

  /// Rows of lists or of values with a length: slot by slot until the rows are through.
  arrow::Status DecodeSlots(uint64_t count, LeafOutput* out) {
    const uint64_t length_bytes = layout_.bits_per_offset / 8;
    uint64_t rows_started = 0;
    while (!rest_.empty()) {
      if (rest_.size() < control_bytes_) return Corrupt("page is cut short inside a control word");
      const uint64_t word = control_bytes_ == 0 ? 0 : LoadUnsigned(rest_.data(), control_bytes_);
      const uint64_t rep = layout_.bits_rep == 0 ? 0 : word >> layout_.bits_def;
      const uint64_t def = word & ((uint64_t{1} << layout_.bits_def) - 1);
      if (rep >= max_rep_) {
        if (rows_started == count) break;
        ++rows_started;
      }
      ARROW_RETURN_NOT_OK(AppendSlotLevels(rep, word, out));
      Bytes rest = rest_.subspan(control_bytes_);
      if (def <= max_visible_) {
        uint64_t size = value_bytes_;
        if (IsVariable()) {
          size = 0;
          if (def == 0) {
            if (rest.size() < length_bytes) return Corrupt("page is cut short inside a length");
            size = LoadUnsigned(rest.data(), length_bytes);
            rest = rest.subspan(length_bytes);
          }
        }
        if (size > rest.size())
          return Corrupt(fmt::format("value is longer than its row: {} bytes", size));
        ARROW_RETURN_NOT_OK(AppendValue(rest.first(size), def == 0, out));
        rest = rest.subspan(size);
      }
      rest_ = rest;
    }
    if (rows_started == count) return arrow::Status::OK();
    return Corrupt(fmt::format("bytes end before their rows: {} rows of {}", rows_started, count));
  }

  arrow::Status AppendSlotLevels(uint64_t rep, uint64_t word, LeafOutput* out) {
    if (max_rep_ != 0) {
      ARROW_RETURN_NOT_OK(out->rep.values.Reserve(2));
      StoreLittleEndian(out->rep.values.end(), static_cast<uint16_t>(rep));
      out->rep.values.Advance(2);
      ++out->rep.length;
    }
    if (layout_.bits_def != 0) {
      ARROW_RETURN_NOT_OK(out->def.values.Reserve(2));
      PushDef(word, out);
    }
    ++num_slots_;
    return arrow::Status::OK();
  }

  arrow::Status AppendValue(Bytes value, bool is_valid, LeafOutput* out) const {
    if (!IsVariable())
      return AppendZipped(layout_.values, value.data(), value_bytes_, 1, &out->values);
    if (!is_valid) return out->values.AppendEmpty(1);
    return AppendZippedVariable(layout_.values, value, &out->scratch, &out->values);
  }

  PageSelection selection_;
  const Layers& layers_;
  const FullZipLayout& layout_;
  const uint16_t max_rep_;
  const uint16_t max_visible_;
  const uint64_t control_bytes_;
  const uint64_t value_bytes_;
  uint64_t entry_bytes_ = 0;
  Stage stage_ = Stage::kNew;
  std::vector<Entries> entries_;
  std::vector<Part> parts_;
  std::vector<Run> runs_;

  size_t range_ = 0;
  uint64_t rows_done_ = 0;  // rows of the range that are decoded
  Bytes rest_;              // bytes of the range that are not
  const std::shared_ptr<arrow::Buffer>* owner_ = nullptr;
  uint64_t num_slots_ = 0;  // since Decode began
};

}  // namespace

std::unique_ptr<PageCursor> MakeFullZipCursor(PageSelection selection) {
  return std::make_unique<FullZipCursor>(std::move(selection));
}

}  // namespace pennon
