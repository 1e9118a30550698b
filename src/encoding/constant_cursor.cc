// Constant pages: one value, or none, for all slots; only the structure differs from row to row.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/checked_math.h"
#include "encoding/page_cursor.h"

namespace pennon {
namespace {

/// Repeats the `size` bytes at the start of `out` until it is `total` long.
void Repeat(uint8_t* out, uint64_t size, uint64_t total) {
  for (uint64_t done = size; done < total; done *= 2)
    std::memcpy(out + done, out, std::min(done, total - done));
}

class ConstantCursor : public PageCursor {
 public:
  explicit ConstantCursor(PageSelection selection)
      : selection_(std::move(selection)), index_(*selection_.index) {}

  arrow::Status Plan(std::vector<ByteRange>*) override { return arrow::Status::OK(); }
  arrow::Status Accept(std::span<const FetchedBytes>) override { return arrow::Status::OK(); }

  arrow::Status Decode(uint64_t num_rows, LeafOutput* out) override {
    uint64_t num_slots = 0;
    uint64_t num_values = 0;
    for (uint64_t left = num_rows; left != 0;) {
      const RowRange& rows = selection_.rows[range_];
      const uint64_t begin = rows.begin + rows_done_;
      const uint64_t count = std::min(left, rows.end - begin);
      ARROW_RETURN_NOT_OK(AppendLevels({begin, begin + count}, &num_slots, &num_values, out));
      left -= count;
      rows_done_ += count;
      if (rows_done_ == rows.size()) {
        ++range_;
        rows_done_ = 0;
      }
    }
    const Layers& layers = index_.layout.layers;
    if (IsSimpleNull()) {
      // There are no levels to say it: of every leaf its own null, the lowest one.
      ARROW_RETURN_NOT_OK(AppendWords(&out->def, 1, num_rows));
      ARROW_RETURN_NOT_OK(out->values.AppendEmpty(num_rows));
      return out->AppendStructure(layers, false, true, num_rows, num_rows, num_rows);
    }
    ARROW_RETURN_NOT_OK(AppendValues(num_values, out));
    return out->AppendStructure(layers, index_.has_rep, index_.has_def, num_slots, num_rows,
                                num_values);
  }

 private:
  /// A page without value and levels: its leaves are null.
  bool IsSimpleNull() const {
    return !index_.has_value && !index_.has_rep && !index_.has_def &&
           index_.layout.layers[0] == LayerKind::kNullableItem;
  }

  static arrow::Status AppendWords(ValueBuilder* levels, uint16_t level, uint64_t count) {
    ARROW_RETURN_NOT_OK(levels->values.Reserve(SaturatingMultiply(count, 2)));
    std::fill_n(reinterpret_cast<uint16_t*>(levels->values.end()), count, level);
    levels->values.Advance(count * 2);
    levels->length += count;
    return arrow::Status::OK();
  }

  arrow::Status AppendLevels(const RowRange& rows, uint64_t* num_slots, uint64_t* num_values,
                             LeafOutput* out) const {
    RowRange slots = rows;
    if (index_.has_rep) slots = {index_.row_starts[rows.begin], index_.row_starts[rows.end]};
    *num_slots += slots.size();
    if (index_.has_rep) {
      const auto* rep = reinterpret_cast<const uint8_t*>(index_.rep.data() + slots.begin);
      ARROW_RETURN_NOT_OK(out->rep.AppendFixed(rep, slots.size()));
    }
    if (!index_.has_def) {
      *num_values += slots.size();
      return arrow::Status::OK();
    }
    const std::span<const uint16_t> def(index_.def.data() + slots.begin, slots.size());
    *num_values += CountVisible(index_.layout.layers, def);
    return out->def.AppendFixed(reinterpret_cast<const uint8_t*>(def.data()), slots.size());
  }

  arrow::Status AppendValues(uint64_t count, LeafOutput* out) const {
    ValueBuilder& values = out->values;
    if (!index_.has_value || count == 0) return values.AppendEmpty(count);
    const std::vector<uint8_t>& value = index_.value;
    if (values.type->kind == LeafKind::kBits) {
      ARROW_RETURN_NOT_OK(values.bits.AppendRun((value[0] & 1) != 0, count));
      values.length += count;
      return arrow::Status::OK();
    }
    if (values.type->kind == LeafKind::kFixed) {
      const uint64_t size = SaturatingMultiply(count, value.size());
      ARROW_RETURN_NOT_OK(values.values.Reserve(size));
      std::memcpy(values.values.end(), value.data(), value.size());
      Repeat(values.values.end(), value.size(), size);
      values.values.Advance(size);
      values.length += count;
      return arrow::Status::OK();
    }
    const uint64_t size = SaturatingMultiply(count, value.size());
    ARROW_RETURN_NOT_OK(values.CheckOffsets(size));
    ARROW_RETURN_NOT_OK(values.ReserveOffsets(count));
    ARROW_RETURN_NOT_OK(values.bytes.Reserve(size));
    uint8_t* const begin = values.bytes.end();
    if (!value.empty()) {
      std::memcpy(begin, value.data(), value.size());
      Repeat(begin, value.size(), size);
    }
    for (uint64_t i = 0; i < count; ++i) {
      values.bytes.Advance(value.size());
      ARROW_RETURN_NOT_OK(values.PushOffset());
    }
    return arrow::Status::OK();
  }

  PageSelection selection_;
  const LayoutPageIndex& index_;
  size_t range_ = 0;
  uint64_t rows_done_ = 0;
};

}  // namespace

std::unique_ptr<PageCursor> MakeConstantCursor(PageSelection selection) {
  return std::make_unique<ConstantCursor>(std::move(selection));
}

}  // namespace pennon
