/// \file
/// What Pennon asks of the place where tables lie: whole objects, ranges of them, listings, and a
/// put that succeeds only if nobody was first. Paths are absolute within one store, '/'-separated,
/// without a scheme. Spec: format/commit.md, heading 1 (put-if-absent per store).
#pragma once

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_range.h"

namespace pennon {

/// A file opened for reading. Safe for concurrent use by many threads.
class RandomAccessFile {
 public:
  virtual ~RandomAccessFile() = default;
  virtual const std::string& path() const = 0;
  virtual uint64_t size_bytes() const = 0;
  /// Returns exactly the bytes of `range`. One store call.
  /// Errors: kCorrupt if the file ends before range.end (names the path), kIo.
  virtual arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(ByteRange range) = 0;
  /// The same into memory of the caller's, which has room for range.size() bytes.
  virtual arrow::Status ReadInto(ByteRange range, uint8_t* out) = 0;
};

struct FolderEntry {
  std::string name;  ///< Last part of the path.
  uint64_t size_bytes = 0;
  bool is_folder = false;
};

enum class PutOutcome { kWritten, kAlreadyExists };

/// Safe for concurrent use. Every method is one store call; a missing path is kNotFound, a refused
/// one kIo with the reason of the system in the message.
class Store {
 public:
  virtual ~Store() = default;

  virtual arrow::Result<std::shared_ptr<RandomAccessFile>> OpenFile(const std::string& path) = 0;
  /// Returns the whole object; large local files are mapped, not copied.
  /// Errors: kTooLarge when it has more than `size_bytes_max` bytes.
  virtual arrow::Result<std::shared_ptr<arrow::Buffer>> ReadWhole(const std::string& path,
                                                                  uint64_t size_bytes_max) = 0;
  /// Returns the entries of one folder, not of those below it, in no particular order.
  virtual arrow::Result<std::vector<FolderEntry>> ListFolder(const std::string& path) = 0;
  /// Returns size and kind of one path.
  virtual arrow::Result<FolderEntry> Stat(const std::string& path) = 0;
  /// Writes or replaces an object; folders above it are made. Readers see the old or the new bytes,
  /// never a part.
  virtual arrow::Status Put(const std::string& path, std::string_view bytes) = 0;
  /// Writes an object only if there is none of that name, all of it or nothing.
  virtual arrow::Result<PutOutcome> PutIfAbsent(const std::string& path,
                                                std::string_view bytes) = 0;
  virtual arrow::Status Remove(const std::string& path) = 0;
};

/// Joins two parts with exactly one '/'.
std::string JoinPath(std::string_view folder, std::string_view name);

}  // namespace pennon
