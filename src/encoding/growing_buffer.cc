#include "encoding/growing_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "base/little_endian.h"
#include "pennon/base/error.h"

namespace pennon {
namespace {

constexpr uint64_t kCapacityMin = 64;
/// Alignment that every Arrow value type is content with.
constexpr uintptr_t kSharedAlignment = 16;

/// Gathers the lowest bits of eight bytes that are 0 or 1.
inline uint64_t PackFlags(uint64_t flags) { return (flags * 0x0102040810204080) >> 56; }

inline uint64_t PackFlags64(const uint8_t* flags) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < 8; ++i)
    bits |= PackFlags(LoadLittleEndian<uint64_t>(flags + 8 * i)) << (8 * i);
  return bits;
}

inline uint64_t LowBits(unsigned count) {
  return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
}

/// Loads up to 64 bits that start at any bit, never reading a byte beyond the last one needed.
inline uint64_t LoadBits(const uint8_t* bitmap, uint64_t begin, unsigned count) {
  const uint8_t* bytes = bitmap + begin / 8;
  const auto shift = static_cast<unsigned>(begin % 8);
  const size_t num_bytes = (shift + count + 7) / 8;
  uint64_t low = 0;
  std::memcpy(&low, bytes, std::min<size_t>(num_bytes, 8));
  uint64_t bits = low >> shift;
  if (num_bytes > 8) bits |= uint64_t{bytes[8]} << (64 - shift);
  return bits & LowBits(count);
}

}  // namespace

arrow::Status GrowingBuffer::Grow(uint64_t extra) {
  const uint64_t needed = size_ + extra;
  if (needed < size_ || needed > budget_.buffer_bytes_max) {
    return MakeError(ErrorKind::kTooLarge,
                     fmt::format("decoded buffer is larger than allowed: {} bytes, at most {}",
                                 needed, budget_.buffer_bytes_max));
  }
  // What is expected, or what is asked for; growing beyond it is by half again.
  const uint64_t likely = std::max({expected_, kCapacityMin, capacity_ + capacity_ / 2});
  const uint64_t capacity = std::max(needed, std::min(likely, budget_.buffer_bytes_max));
  ARROW_ASSIGN_OR_RAISE(
      auto buffer, arrow::AllocateResizableBuffer(static_cast<int64_t>(capacity), budget_.pool));
  if (size_ != 0) std::memcpy(buffer->mutable_data(), data_, size_);
  shared_ = nullptr;
  buffer_ = std::move(buffer);
  data_ = buffer_->mutable_data();
  // The allocation may be padded beyond the budget.
  capacity_ = std::min(static_cast<uint64_t>(buffer_->capacity()), budget_.buffer_bytes_max);
  return arrow::Status::OK();
}

arrow::Status GrowingBuffer::Append(std::span<const uint8_t> bytes) {
  ARROW_RETURN_NOT_OK(Reserve(bytes.size()));
  if (!bytes.empty()) std::memcpy(end(), bytes.data(), bytes.size());
  Advance(bytes.size());
  return arrow::Status::OK();
}

arrow::Status GrowingBuffer::AppendShared(std::span<const uint8_t> bytes,
                                          const std::shared_ptr<arrow::Buffer>& owner) {
  if (size_ != 0 || bytes.empty() ||
      reinterpret_cast<uintptr_t>(bytes.data()) % kSharedAlignment != 0) {
    return Append(bytes);
  }
  if (bytes.size() > budget_.buffer_bytes_max) return Grow(bytes.size());
  buffer_ = nullptr;
  shared_ = owner;
  data_ = const_cast<uint8_t*>(bytes.data());
  size_ = capacity_ = bytes.size();
  return arrow::Status::OK();
}

arrow::Status GrowingBuffer::AppendZeros(uint64_t size) {
  ARROW_RETURN_NOT_OK(Reserve(size));
  if (size != 0) std::memset(end(), 0, size);
  Advance(size);
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::Buffer>> GrowingBuffer::Finish() {
  if (shared_ != nullptr) {
    auto slice = std::make_shared<arrow::Buffer>(shared_, data_ - shared_->data(),
                                                 static_cast<int64_t>(size_));
    shared_ = nullptr;
    data_ = nullptr;
    size_ = capacity_ = expected_ = 0;
    return slice;
  }
  if (buffer_ == nullptr) {
    ARROW_ASSIGN_OR_RAISE(buffer_, arrow::AllocateResizableBuffer(0, budget_.pool));
  }
  ARROW_RETURN_NOT_OK(buffer_->Resize(static_cast<int64_t>(size_), /*shrink_to_fit=*/false));
  data_ = nullptr;
  size_ = capacity_ = expected_ = 0;
  return std::shared_ptr<arrow::Buffer>(std::move(buffer_));
}

void GrowingBits::AppendWord(uint64_t bits, unsigned count) {
  bits &= LowBits(count);
  const auto used = static_cast<unsigned>(length_ % 8);
  uint8_t* out = bytes_.data() + length_ / 8;
  const uint64_t kept = used == 0 ? 0 : *out & LowBits(used);
  StoreLittleEndian(out, kept | (bits << used));
  if (used + count > 64) out[8] = static_cast<uint8_t>(bits >> (64 - used));
  length_ += count;
  bytes_.Truncate((length_ + 7) / 8);
}

arrow::Status GrowingBits::AppendRun(bool value, uint64_t count) {
  ARROW_RETURN_NOT_OK(Reserve(count));
  const uint64_t word = value ? ~uint64_t{0} : 0;
  const uint64_t head = std::min(count, (8 - length_ % 8) % 8);
  AppendWord(word, static_cast<unsigned>(head));
  count -= head;
  std::memset(bytes_.end(), value ? 0xFF : 0, count / 8);
  bytes_.Advance(count / 8);
  length_ += count / 8 * 8;
  AppendWord(word, static_cast<unsigned>(count % 8));
  return arrow::Status::OK();
}

arrow::Status GrowingBits::AppendBitmap(const uint8_t* bitmap, uint64_t begin, uint64_t count) {
  ARROW_RETURN_NOT_OK(Reserve(count));
  if (begin % 8 == 0 && length_ % 8 == 0) {
    std::memcpy(bytes_.end(), bitmap + begin / 8, count / 8);
    bytes_.Advance(count / 8);
    length_ += count / 8 * 8;
    begin += count / 8 * 8;
    count %= 8;
  }
  for (; count >= 64; count -= 64, begin += 64) AppendWord(LoadBits(bitmap, begin, 64), 64);
  if (count != 0)
    AppendWord(LoadBits(bitmap, begin, static_cast<unsigned>(count)), static_cast<unsigned>(count));
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::Buffer>> GrowingBits::Finish() {
  length_ = 0;
  return bytes_.Finish();
}

arrow::Status GrowingValidity::Materialize(uint64_t extra) {
  if (!has_bits_) {
    ARROW_RETURN_NOT_OK(bits_.Reserve(std::max(expected_, length_ + extra)));
    ARROW_RETURN_NOT_OK(bits_.AppendRun(true, length_));
    has_bits_ = true;
  }
  return bits_.Reserve(extra);
}

void GrowingValidity::AppendValid(uint64_t count) {
  // Once there are bits, the missing tail of set ones is made up when it is needed.
  length_ += count;
}

arrow::Status GrowingValidity::AppendNull(uint64_t count) {
  if (count == 0) return arrow::Status::OK();
  ARROW_RETURN_NOT_OK(Materialize(count));
  ARROW_RETURN_NOT_OK(bits_.AppendRun(true, length_ - bits_.length()));
  ARROW_RETURN_NOT_OK(bits_.AppendRun(false, count));
  length_ += count;
  null_count_ += count;
  return arrow::Status::OK();
}

arrow::Status GrowingValidity::AppendLevels(std::span<const uint16_t> levels,
                                            uint16_t highest_valid) {
  std::array<uint8_t, 64> flags;
  ARROW_RETURN_NOT_OK(Materialize(levels.size()));
  ARROW_RETURN_NOT_OK(bits_.AppendRun(true, length_ - bits_.length()));
  ARROW_RETURN_NOT_OK(bits_.Reserve(levels.size()));
  const uint16_t* level = levels.data();
  uint64_t left = levels.size();
  uint64_t num_valid = 0;
  for (; left >= 64; left -= 64, level += 64) {
    for (size_t i = 0; i < 64; ++i) flags[i] = level[i] <= highest_valid;
    const uint64_t bits = PackFlags64(flags.data());
    num_valid += static_cast<uint64_t>(std::popcount(bits));
    bits_.AppendWord(bits, 64);
  }
  uint64_t bits = 0;
  for (uint64_t i = 0; i < left; ++i) bits |= uint64_t{level[i] <= highest_valid} << i;
  num_valid += static_cast<uint64_t>(std::popcount(bits));
  bits_.AppendWord(bits, static_cast<unsigned>(left));
  length_ += levels.size();
  null_count_ += levels.size() - num_valid;
  return arrow::Status::OK();
}

arrow::Status GrowingValidity::AppendFlags(std::span<const uint8_t> flags) {
  ARROW_RETURN_NOT_OK(Materialize(flags.size()));
  ARROW_RETURN_NOT_OK(bits_.AppendRun(true, length_ - bits_.length()));
  ARROW_RETURN_NOT_OK(bits_.Reserve(flags.size()));
  uint64_t num_valid = 0;
  for (size_t i = 0; i < flags.size(); i += 64) {
    const size_t count = std::min<size_t>(64, flags.size() - i);
    uint64_t bits = 0;
    for (size_t j = 0; j < count; ++j) bits |= uint64_t{flags[i + j] != 0} << j;
    num_valid += static_cast<uint64_t>(std::popcount(bits));
    bits_.AppendWord(bits, static_cast<unsigned>(count));
  }
  length_ += flags.size();
  null_count_ += flags.size() - num_valid;
  return arrow::Status::OK();
}

arrow::Status GrowingValidity::AppendBitmap(const uint8_t* bitmap, uint64_t begin, uint64_t count) {
  ARROW_RETURN_NOT_OK(Materialize(count));
  ARROW_RETURN_NOT_OK(bits_.AppendRun(true, length_ - bits_.length()));
  ARROW_RETURN_NOT_OK(bits_.AppendBitmap(bitmap, begin, count));
  uint64_t num_valid = 0;
  for (uint64_t done = 0; done < count; done += 64) {
    const auto piece = static_cast<unsigned>(std::min<uint64_t>(64, count - done));
    num_valid += static_cast<uint64_t>(std::popcount(LoadBits(bitmap, begin + done, piece)));
  }
  length_ += count;
  null_count_ += count - num_valid;
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::Buffer>> GrowingValidity::Finish() {
  std::shared_ptr<arrow::Buffer> buffer;
  if (null_count_ != 0) {
    ARROW_RETURN_NOT_OK(bits_.AppendRun(true, length_ - bits_.length()));
    ARROW_ASSIGN_OR_RAISE(buffer, bits_.Finish());
  } else if (has_bits_) {
    bits_ = GrowingBits(bits_.budget());
  }
  length_ = expected_ = null_count_ = 0;
  has_bits_ = false;
  return buffer;
}

}  // namespace pennon
