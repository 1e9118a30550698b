/// \file
/// Output buffers that grow: bytes, and bitmaps that stay absent while every bit is set.
#pragma once

#include <arrow/buffer.h>
#include <arrow/memory_pool.h>
#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdint>
#include <memory>
#include <span>

namespace pennon {

/// Where output memory comes from and how large one buffer may become.
struct BufferBudget {
  arrow::MemoryPool* pool = arrow::default_memory_pool();
  uint64_t buffer_bytes_max = uint64_t{1} << 34;
};

/// Bytes appended at the end. Not initialised before they are written.
class GrowingBuffer {
 public:
  explicit GrowingBuffer(BufferBudget budget = {}) : budget_(budget) {}

  const BufferBudget& budget() const { return budget_; }
  uint64_t size() const { return size_; }
  /// Not to be written through after AppendShared.
  uint8_t* data() { return data_; }
  const uint8_t* data() const { return data_; }

  /// Tells how many bytes will follow: the next allocation, if there is one, takes them into
  /// account.
  void Expect(uint64_t extra) { expected_ = size_ + extra; }
  /// Makes room for `extra` bytes behind the present ones. Errors: kTooLarge, out of memory.
  arrow::Status Reserve(uint64_t extra) {
    if (extra <= capacity_ - size_) [[likely]]
      return arrow::Status::OK();
    return Grow(extra);
  }
  /// The first free byte; Reserve has made room.
  uint8_t* end() { return data_ + size_; }
  /// Counts `size` bytes written at end() as part of the buffer.
  void Advance(uint64_t size) { size_ += size; }
  /// Cuts the buffer back to `size` bytes.
  void Truncate(uint64_t size) {
    size_ = size;
    if (shared_ != nullptr) capacity_ = size;
  }

  arrow::Status Append(std::span<const uint8_t> bytes);
  /// Appends bytes without copying them if the buffer is empty and they are aligned well enough for
  /// any value; the result of Finish is then a slice of `owner`. Otherwise like Append.
  arrow::Status AppendShared(std::span<const uint8_t> bytes,
                             const std::shared_ptr<arrow::Buffer>& owner);
  arrow::Status AppendZeros(uint64_t size);

  /// Returns the bytes and starts anew. Never null.
  arrow::Result<std::shared_ptr<arrow::Buffer>> Finish();

 private:
  arrow::Status Grow(uint64_t extra);

  BufferBudget budget_;
  std::unique_ptr<arrow::ResizableBuffer> buffer_;
  /// Keeps data_ alive while it is not buffer_'s; capacity_ is size_ then, so that any growth
  /// copies.
  std::shared_ptr<arrow::Buffer> shared_;
  uint8_t* data_ = nullptr;
  uint64_t size_ = 0;
  uint64_t capacity_ = 0;
  uint64_t expected_ = 0;
};

/// Bits appended at the end, lowest first.
class GrowingBits {
 public:
  explicit GrowingBits(BufferBudget budget = {}) : bytes_(budget) {}

  const BufferBudget& budget() const { return bytes_.budget(); }
  uint64_t length() const { return length_; }
  void Expect(uint64_t extra) { bytes_.Expect(extra / 8 + 16); }
  /// Makes room for `extra` bits.
  arrow::Status Reserve(uint64_t extra) { return bytes_.Reserve(extra / 8 + 16); }

  /// Appends the low `count` (at most 64) bits of `bits`; Reserve has made room.
  void AppendWord(uint64_t bits, unsigned count);
  /// Appends `count` equal bits.
  arrow::Status AppendRun(bool value, uint64_t count);
  /// Appends bits [begin, begin + count) of a bitmap.
  arrow::Status AppendBitmap(const uint8_t* bitmap, uint64_t begin, uint64_t count);

  /// Returns the bitmap, whole bytes, and starts anew.
  arrow::Result<std::shared_ptr<arrow::Buffer>> Finish();

 private:
  GrowingBuffer bytes_;
  uint64_t length_ = 0;
};

/// Validity of one array: which slots hold a value. Costs nothing while all do.
class GrowingValidity {
 public:
  explicit GrowingValidity(BufferBudget budget = {}) : bits_(budget) {}

  uint64_t length() const { return length_; }
  uint64_t null_count() const { return null_count_; }

  /// Tells how many slots will follow, for one allocation.
  void Expect(uint64_t count) { expected_ = length_ + count; }
  void AppendValid(uint64_t count);
  arrow::Status AppendNull(uint64_t count);
  /// Appends one slot per level: valid where the level is at most `highest_valid`.
  arrow::Status AppendLevels(std::span<const uint16_t> levels, uint16_t highest_valid);
  /// Appends one slot per byte: valid where it is not 0.
  arrow::Status AppendFlags(std::span<const uint8_t> flags);
  arrow::Status AppendBitmap(const uint8_t* bitmap, uint64_t begin, uint64_t count);

  /// Returns the bitmap, null when there are no nulls, and starts anew.
  arrow::Result<std::shared_ptr<arrow::Buffer>> Finish();

 private:
  arrow::Status Materialize(uint64_t extra);

  GrowingBits bits_;
  uint64_t length_ = 0;
  uint64_t expected_ = 0;
  uint64_t null_count_ = 0;
  /// Whether bits_ holds all length_ slots; before, all are valid and it is empty.
  bool has_bits_ = false;
};

}  // namespace pennon
