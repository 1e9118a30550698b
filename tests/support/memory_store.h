/// \file
/// A Store that keeps everything in memory, for tests: quick, and its whole contents can be
/// compared. Spec: src/io/store.h (the contract), tests/support/store_suite.h (the proof).
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/store.h"
#include "pennon/base/error.h"

namespace pennon::testing_support {

class MemoryFile : public RandomAccessFile {
 public:
  MemoryFile(std::string path, std::shared_ptr<const std::string> bytes)
      : path_(std::move(path)), bytes_(std::move(bytes)) {}
  const std::string& path() const override { return path_; }
  uint64_t size_bytes() const override { return bytes_->size(); }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(ByteRange range) override {
    ARROW_RETURN_NOT_OK(Check(range));
    return arrow::Buffer::FromString(bytes_->substr(range.begin, range.size()));
  }
  arrow::Status ReadInto(ByteRange range, uint8_t* out) override {
    ARROW_RETURN_NOT_OK(Check(range));
    if (range.size() > 0) std::memcpy(out, bytes_->data() + range.begin, range.size());
    return arrow::Status::OK();
  }

 private:
  arrow::Status Check(ByteRange range) const {
    if (range.begin <= range.end && range.end <= bytes_->size()) return arrow::Status::OK();
    return MakeError(ErrorKind::kCorrupt,
                     fmt::format("file is cut short: needed bytes {} to {}, it has {}: {}",
                                 range.begin, range.end, bytes_->size(), path_));
  }

  std::string path_;
  std::shared_ptr<const std::string> bytes_;
};

/// Folders exist as long as something lies in them.
class MemoryStore : public Store {
 public:
  using Files = std::map<std::string, std::string>;

  /// Everything there is, by path.
  Files files() const {
    const std::lock_guard lock(mutex_);
    Files out;
    for (const auto& [path, bytes] : files_) out[path] = *bytes;
    return out;
  }

  arrow::Result<std::shared_ptr<RandomAccessFile>> OpenFile(const std::string& path) override {
    ARROW_ASSIGN_OR_RAISE(auto bytes, Find(path));
    return std::make_shared<MemoryFile>(path, std::move(bytes));
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadWhole(const std::string& path,
                                                          uint64_t size_bytes_max) override {
    ARROW_ASSIGN_OR_RAISE(const auto bytes, Find(path));
    if (bytes->size() > size_bytes_max) {
      return MakeError(ErrorKind::kTooLarge, "file is larger than allowed: " + path);
    }
    return arrow::Buffer::FromString(*bytes);
  }

  arrow::Result<std::vector<FolderEntry>> ListFolder(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    const std::string prefix = path + "/";
    std::vector<FolderEntry> entries;
    for (auto at = files_.lower_bound(prefix); at != files_.end() && at->first.starts_with(prefix);
         ++at) {
      const std::string rest = at->first.substr(prefix.size());
      const size_t slash = rest.find('/');
      FolderEntry entry;
      entry.name = rest.substr(0, slash);
      entry.is_folder = slash != std::string::npos;
      // Neighbours in the map share their folder.
      if (!entries.empty() && entries.back().name == entry.name) continue;
      entries.push_back(std::move(entry));
    }
    if (entries.empty()) return Missing(path);
    return entries;
  }

  arrow::Result<FolderEntry> Stat(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    FolderEntry entry;
    entry.name = path.substr(path.rfind('/') + 1);
    const auto found = files_.find(path);
    if (found != files_.end()) {
      entry.size_bytes = found->second->size();
    } else if (IsFolder(path)) {
      entry.is_folder = true;
    } else {
      return Missing(path);
    }
    return entry;
  }

  arrow::Status Put(const std::string& path, std::string_view bytes) override {
    const std::lock_guard lock(mutex_);
    if (IsFolder(path)) return MakeError(ErrorKind::kIo, "is a folder: " + path);
    files_[path] = std::make_shared<const std::string>(bytes);
    return arrow::Status::OK();
  }

  arrow::Result<PutOutcome> PutIfAbsent(const std::string& path, std::string_view bytes) override {
    const std::lock_guard lock(mutex_);
    if (IsFolder(path)) return PutOutcome::kAlreadyExists;
    const bool is_new = files_.try_emplace(path, std::make_shared<const std::string>(bytes)).second;
    return is_new ? PutOutcome::kWritten : PutOutcome::kAlreadyExists;
  }

  arrow::Status Remove(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    if (IsFolder(path)) return MakeError(ErrorKind::kIo, "is a folder: " + path);
    return files_.erase(path) == 1 ? arrow::Status::OK() : Missing(path);
  }

 private:
  static arrow::Status Missing(const std::string& path) {
    return MakeError(ErrorKind::kNotFound, "no such file or folder: " + path);
  }
  bool IsFolder(const std::string& path) const {
    const auto next = files_.lower_bound(path + "/");
    return next != files_.end() && next->first.starts_with(path + "/");
  }
  arrow::Result<std::shared_ptr<const std::string>> Find(const std::string& path) const {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(path);
    if (found != files_.end()) return found->second;
    if (IsFolder(path)) return MakeError(ErrorKind::kIo, "is a folder: " + path);
    return Missing(path);
  }

  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const std::string>> files_;
};

}  // namespace pennon::testing_support
