#include "rowset/roaring.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <vector>

#include "base/little_endian.h"
#include "pennon/base/error.h"
#include "rowset/roaring_builder.h"

namespace pennon {
namespace {

constexpr uint32_t kCookieWithRuns =
    12347;  // in the low 16 bits; the high ones hold the container count less one
constexpr uint32_t kCookieWithoutRuns = 12346;
constexpr uint32_t kOffsetsThreshold =
    4;  // with runs, positions are stored for this many containers or more
constexpr size_t kBitmapBytes = kChunkBitmapUnits * sizeof(uint16_t);
constexpr uint32_t kContainersMax = 65536;

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : bytes_(bytes) {}

  arrow::Result<RoaringSet> Run() {
    ARROW_RETURN_NOT_OK(ReadHeader());
    for (uint32_t i = 0; i < num_containers_; ++i) {
      if (has_offsets_ &&
          LoadLittleEndian<uint32_t>(bytes_.data() + offsets_ + 4 * i) != position_) {
        return Corrupt("container does not lie at its stated position", position_);
      }
      ARROW_RETURN_NOT_OK(ReadContainer(i));
    }
    if (position_ != bytes_.size())
      return Corrupt("bytes left over behind the last container", position_);
    return builder_.Finish();
  }

 private:
  static arrow::Status Corrupt(const char* what, size_t offset) {
    return MakeError(ErrorKind::kCorrupt,
                     fmt::format("roaring bitmap: {} at byte {}", what, offset));
  }

  // Moves the position behind the next `size` bytes and gives where they begin.
  arrow::Result<size_t> Take(size_t size) {
    if (bytes_.size() - position_ < size) return Corrupt("cut short", bytes_.size());
    const size_t begin = position_;
    position_ += size;
    return begin;
  }

  template <typename T>
  T At(size_t offset) const {
    return LoadLittleEndian<T>(bytes_.data() + offset);
  }

  arrow::Status ReadHeader() {
    ARROW_ASSIGN_OR_RAISE(const size_t begin, Take(4));
    const auto cookie = At<uint32_t>(begin);
    const bool has_runs = (cookie & 0xFFFF) == kCookieWithRuns;
    if (has_runs) {
      num_containers_ = (cookie >> 16) + 1;
      ARROW_ASSIGN_OR_RAISE(run_flags_, Take((num_containers_ + 7) / 8));
    } else if (cookie == kCookieWithoutRuns) {
      ARROW_ASSIGN_OR_RAISE(const size_t size_begin, Take(4));
      num_containers_ = At<uint32_t>(size_begin);
      if (num_containers_ > kContainersMax)
        return Corrupt("impossible container count", size_begin);
    } else {
      return Corrupt("unknown cookie", begin);
    }
    has_runs_ = has_runs;
    ARROW_ASSIGN_OR_RAISE(headers_, Take(4 * size_t{num_containers_}));
    for (size_t i = 1; i < num_containers_; ++i) {
      if (At<uint16_t>(headers_ + 4 * i) <= At<uint16_t>(headers_ + 4 * (i - 1))) {
        return Corrupt("container keys are not ascending", headers_ + 4 * i);
      }
    }
    has_offsets_ = !has_runs || num_containers_ >= kOffsetsThreshold;
    if (has_offsets_) {
      ARROW_ASSIGN_OR_RAISE(offsets_, Take(4 * size_t{num_containers_}));
    }
    return arrow::Status::OK();
  }

  arrow::Status ReadContainer(uint32_t i) {
    const auto key = At<uint16_t>(headers_ + 4 * size_t{i});
    const uint32_t count = At<uint16_t>(headers_ + 4 * size_t{i} + 2) + 1u;
    if (has_runs_ && ((At<uint8_t>(run_flags_ + i / 8) >> (i % 8)) & 1) != 0)
      return ReadRuns(key, count);
    return count > kChunkArrayValuesMax ? ReadBitmap(key, count) : ReadArray(key, count);
  }

  arrow::Status ReadArray(uint16_t key, uint32_t count) {
    ARROW_ASSIGN_OR_RAISE(const size_t begin, Take(count * sizeof(uint16_t)));
    values_.resize(count);
    std::memcpy(values_.data(), bytes_.data() + begin, count * sizeof(uint16_t));
    for (size_t i = 1; i < count; ++i) {
      if (values_[i] <= values_[i - 1])
        return Corrupt("values are not ascending", begin + i * sizeof(uint16_t));
    }
    builder_.Add(key, std::span<const uint16_t>(values_));
    return arrow::Status::OK();
  }

  arrow::Status ReadBitmap(uint16_t key, uint32_t count) {
    ARROW_ASSIGN_OR_RAISE(const size_t begin, Take(kBitmapBytes));
    std::array<uint64_t, kChunkWords> words;
    std::memcpy(words.data(), bytes_.data() + begin, kBitmapBytes);
    size_t found = 0;
    for (const uint64_t word : words) found += static_cast<size_t>(std::popcount(word));
    if (found != count)
      return Corrupt("bitmap container has another number of values than stated", begin);
    builder_.Add(key, ConstChunkWords(words));
    return arrow::Status::OK();
  }

  arrow::Status ReadRuns(uint16_t key, uint32_t count) {
    ARROW_ASSIGN_OR_RAISE(const size_t begin, Take(sizeof(uint16_t)));
    const size_t num_runs = At<uint16_t>(begin);
    ARROW_ASSIGN_OR_RAISE(const size_t runs, Take(num_runs * 4));
    runs_.clear();
    uint64_t found = 0;
    uint32_t next_free = 0;
    for (size_t i = 0; i < num_runs; ++i) {
      const uint32_t first = At<uint16_t>(runs + 4 * i);
      const uint32_t last = first + At<uint16_t>(runs + 4 * i + 2);
      if (first < next_free || last >= kChunkValues) {
        return Corrupt("runs overlap, are out of order or leave the container", runs + 4 * i);
      }
      if (i > 0 && first == next_free) {  // touches the run before: one run
        runs_.back().last = static_cast<uint16_t>(last);
      } else {
        runs_.push_back({static_cast<uint16_t>(first), static_cast<uint16_t>(last)});
      }
      found += last - first + 1;
      next_free = last + 1;
    }
    if (found != count)
      return Corrupt("run container has another number of values than stated", begin);
    builder_.Add(key, std::span<const ChunkRun>(runs_));
    return arrow::Status::OK();
  }

  std::string_view bytes_;
  size_t position_ = 0;
  uint32_t num_containers_ = 0;
  bool has_runs_ = false;
  bool has_offsets_ = false;
  size_t run_flags_ = 0;
  size_t headers_ = 0;
  size_t offsets_ = 0;
  std::vector<uint16_t> values_;
  std::vector<ChunkRun> runs_;
  RoaringBuilder builder_;
};

size_t EncodedBytes(const ChunkView& chunk) {
  switch (chunk.kind) {
    case ChunkKind::kArray:
      return chunk.units.size() * sizeof(uint16_t);
    case ChunkKind::kRuns:
      return 2 + 4 * chunk.num_runs();
    case ChunkKind::kBitmap:
      return kBitmapBytes;
  }
  return 0;
}

void AppendContainer(const ChunkView& chunk, std::string& out) {
  if (chunk.kind != ChunkKind::kRuns) {
    out.append(reinterpret_cast<const char*>(chunk.units.data()), EncodedBytes(chunk));
    return;
  }
  const size_t n = chunk.num_runs();
  AppendLittleEndian(out, static_cast<uint16_t>(n));
  for (size_t i = 0; i < n; ++i) {
    AppendLittleEndian(out, chunk.units[i]);
    AppendLittleEndian(out, static_cast<uint16_t>(chunk.units[n + i] - chunk.units[i]));
  }
}

}  // namespace

arrow::Result<RoaringSet> DecodeRoaring(std::string_view bytes, uint64_t size_bytes_max) {
  if (bytes.size() > size_bytes_max) {
    return MakeError(ErrorKind::kTooLarge,
                     fmt::format("roaring bitmap has too many bytes: limit {}, got {}",
                                 size_bytes_max, bytes.size()));
  }
  return Decoder(bytes).Run();
}

std::string EncodeRoaring(const RoaringSet& set) {
  std::string out;
  if (set.empty()) {
    AppendLittleEndian(out, kCookieWithoutRuns);
    AppendLittleEndian(out, uint32_t{0});
    return out;
  }
  const RoaringChunks& chunks = *set.chunks();
  const size_t n = chunks.entries.size();
  std::string run_flags((n + 7) / 8, '\0');
  bool has_runs = false;
  for (size_t i = 0; i < n; ++i) {
    if (chunks.entries[i].kind != ChunkKind::kRuns) continue;
    has_runs = true;
    run_flags[i / 8] = static_cast<char>(run_flags[i / 8] | (1 << (i % 8)));
  }
  if (has_runs) {
    AppendLittleEndian(out, kCookieWithRuns | (static_cast<uint32_t>(n - 1) << 16));
    out += run_flags;
  } else {
    AppendLittleEndian(out, kCookieWithoutRuns);
    AppendLittleEndian(out, static_cast<uint32_t>(n));
  }
  for (size_t i = 0; i < n; ++i) {
    AppendLittleEndian(out, chunks.entries[i].key);
    AppendLittleEndian(out, static_cast<uint16_t>(chunks.View(i).count - 1));
  }
  if (!has_runs || n >= kOffsetsThreshold) {
    size_t position = out.size() + 4 * n;
    for (size_t i = 0; i < n; ++i) {
      AppendLittleEndian(out, static_cast<uint32_t>(position));
      position += EncodedBytes(chunks.View(i));
    }
  }
  for (size_t i = 0; i < n; ++i) AppendContainer(chunks.View(i), out);
  return out;
}

}  // namespace pennon
