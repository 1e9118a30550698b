#include "io/local_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "pennon/base/error.h"

namespace pennon {
namespace {

/// Files of this size and more are mapped by ReadWhole: a mapping costs a few page faults where a
/// copy costs time and memory for bytes that nobody looks at.
constexpr uint64_t kMapFromBytes = 1 << 20;
constexpr int kStagingTriesMax = 1000;

arrow::Status SystemError(const char* what, const std::string& path) {
  const int code = errno;
  const ErrorKind kind = code == ENOENT || code == ENOTDIR ? ErrorKind::kNotFound : ErrorKind::kIo;
  return MakeError(kind, fmt::format("cannot {}: {}: {}", what, std::strerror(code), path));
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int value) : value_(value) {}
  ~FileDescriptor() {
    if (value_ >= 0) ::close(value_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return value_; }

 private:
  int value_;
};

class MappedBuffer : public arrow::Buffer {
 public:
  MappedBuffer(void* address, uint64_t size)
      : arrow::Buffer(static_cast<const uint8_t*>(address), static_cast<int64_t>(size)),
        address_(address) {}
  ~MappedBuffer() override { ::munmap(address_, static_cast<size_t>(size())); }
  MappedBuffer(const MappedBuffer&) = delete;
  MappedBuffer& operator=(const MappedBuffer&) = delete;

 private:
  void* address_;
};

arrow::Status ReadExactly(int descriptor, const std::string& path, ByteRange range, uint8_t* out) {
  uint64_t done = 0;
  while (done < range.size()) {
    const ssize_t got = ::pread(descriptor, out + done, range.size() - done,
                                static_cast<off_t>(range.begin + done));
    if (got < 0) {
      if (errno == EINTR) continue;
      return SystemError("read", path);
    }
    if (got == 0) {
      return MakeError(ErrorKind::kCorrupt,
                       fmt::format("file is cut short: needed bytes {} to {}, it ends at {}: {}",
                                   range.begin, range.end, range.begin + done, path));
    }
    done += static_cast<uint64_t>(got);
  }
  return arrow::Status::OK();
}

class LocalFile : public RandomAccessFile {
 public:
  LocalFile(int descriptor, std::string path, uint64_t size)
      : descriptor_(descriptor), path_(std::move(path)), size_(size) {}
  const std::string& path() const override { return path_; }
  uint64_t size_bytes() const override { return size_; }
  arrow::Status ReadInto(ByteRange range, uint8_t* out) override {
    return ReadExactly(descriptor_.get(), path_, range, out);
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(ByteRange range) override {
    if (range.end > size_ || range.begin > range.end) {
      return MakeError(ErrorKind::kCorrupt,
                       fmt::format("file is cut short: needed bytes {} to {}, it has {}: {}",
                                   range.begin, range.end, size_, path_));
    }
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateBuffer(static_cast<int64_t>(range.size())));
    ARROW_RETURN_NOT_OK(ReadInto(range, buffer->mutable_data()));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }

 private:
  FileDescriptor descriptor_;
  std::string path_;
  uint64_t size_;
};

arrow::Status WriteExactly(int descriptor, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor, bytes.data(), bytes.size());
    if (put < 0) {
      if (errno == EINTR) continue;
      return SystemError("write", path);
    }
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return arrow::Status::OK();
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

arrow::Status MakeFolders(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0777) == 0 || errno == EEXIST) return arrow::Status::OK();
  if (errno != ENOENT) return SystemError("make folder", folder);
  ARROW_RETURN_NOT_OK(MakeFolders(FolderOf(folder)));
  if (::mkdir(folder.c_str(), 0777) == 0 || errno == EEXIST) return arrow::Status::OK();
  return SystemError("make folder", folder);
}

class LocalStore : public Store {
 public:
  explicit LocalStore(LocalStoreOptions options) : options_(options) {}

  arrow::Result<std::shared_ptr<RandomAccessFile>> OpenFile(const std::string& path) override {
    struct stat info {};
    ARROW_ASSIGN_OR_RAISE(const int descriptor, OpenForReading(path, &info));
    return std::make_shared<LocalFile>(descriptor, path, static_cast<uint64_t>(info.st_size));
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadWhole(const std::string& path,
                                                          uint64_t size_bytes_max) override {
    struct stat info {};
    ARROW_ASSIGN_OR_RAISE(const int raw, OpenForReading(path, &info));
    const FileDescriptor descriptor(raw);
    const auto size = static_cast<uint64_t>(info.st_size);
    if (size > size_bytes_max) {
      return MakeError(ErrorKind::kTooLarge,
                       fmt::format("file is larger than allowed: {} bytes, at most {}: {}", size,
                                   size_bytes_max, path));
    }
    if (size >= kMapFromBytes) {
      void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, raw, 0);
      if (address == MAP_FAILED) return SystemError("map", path);
      return std::shared_ptr<arrow::Buffer>(std::make_shared<MappedBuffer>(address, size));
    }
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateBuffer(info.st_size));
    ARROW_RETURN_NOT_OK(ReadExactly(raw, path, {0, size}, buffer->mutable_data()));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }

  arrow::Result<std::vector<FolderEntry>> ListFolder(const std::string& path) override {
    DIR* folder = ::opendir(path.c_str());
    if (folder == nullptr) return SystemError("list folder", path);
    std::vector<FolderEntry> entries;
    errno = 0;
    while (const dirent* entry = ::readdir(folder)) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      FolderEntry out;
      out.name = name;
      out.is_folder = entry->d_type == DT_DIR;
      struct stat info {};
      if (entry->d_type == DT_UNKNOWN && ::fstatat(::dirfd(folder), entry->d_name, &info, 0) == 0) {
        out.is_folder = S_ISDIR(info.st_mode);
      }
      entries.push_back(std::move(out));
    }
    const int code = errno;
    ::closedir(folder);
    errno = code;
    if (code != 0) return SystemError("list folder", path);
    return entries;
  }

  arrow::Result<FolderEntry> Stat(const std::string& path) override {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return SystemError("look at", path);
    FolderEntry out;
    out.name = path.substr(path.rfind('/') + 1);
    out.is_folder = S_ISDIR(info.st_mode);
    out.size_bytes = static_cast<uint64_t>(info.st_size);
    return out;
  }

  arrow::Status Put(const std::string& path, std::string_view bytes) override {
    ARROW_ASSIGN_OR_RAISE(const std::string staging, WriteStaging(path, bytes));
    if (::rename(staging.c_str(), path.c_str()) != 0) {
      auto status = SystemError("rename", path);
      ::unlink(staging.c_str());
      return status;
    }
    return SyncFolder(FolderOf(path));
  }

  arrow::Result<PutOutcome> PutIfAbsent(const std::string& path, std::string_view bytes) override {
    ARROW_ASSIGN_OR_RAISE(const std::string staging, WriteStaging(path, bytes));
    const int linked = ::link(staging.c_str(), path.c_str());
    auto status = linked == 0 || errno == EEXIST ? arrow::Status::OK() : SystemError("link", path);
    ::unlink(staging.c_str());
    ARROW_RETURN_NOT_OK(status);
    if (linked != 0) return PutOutcome::kAlreadyExists;
    ARROW_RETURN_NOT_OK(SyncFolder(FolderOf(path)));
    return PutOutcome::kWritten;
  }

  arrow::Status Remove(const std::string& path) override {
    if (::unlink(path.c_str()) != 0) return SystemError("remove", path);
    return arrow::Status::OK();
  }

 private:
  static arrow::Result<int> OpenForReading(const std::string& path, struct stat* info) {
    // Without waiting: a pipe of that name would block for ever.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return SystemError("open", path);
    auto status = arrow::Status::OK();
    if (::fstat(descriptor, info) != 0) {
      status = SystemError("look at", path);
    } else if (S_ISDIR(info->st_mode)) {
      errno = EISDIR;
      status = SystemError("open", path);
    } else if (!S_ISREG(info->st_mode)) {
      status = MakeError(ErrorKind::kIo, "cannot open: not a regular file: " + path);
    }
    if (status.ok()) return descriptor;
    ::close(descriptor);
    return status;
  }

  /// Writes `bytes` to a new file beside `path` and returns its name. Nothing is left behind on an
  /// error.
  arrow::Result<std::string> WriteStaging(const std::string& path, std::string_view bytes) {
    std::string staging;
    int raw = -1;
    for (int n = 1; n <= kStagingTriesMax; ++n) {
      staging = fmt::format("{}#{}", path, n);
      raw = ::open(staging.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (raw < 0 && errno == ENOENT) {
        ARROW_RETURN_NOT_OK(MakeFolders(FolderOf(path)));
        raw = ::open(staging.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      }
      if (raw >= 0 || errno != EEXIST) break;
    }
    if (raw < 0) return SystemError("write", staging);
    const FileDescriptor descriptor(raw);
    auto status = WriteExactly(raw, staging, bytes);
    if (status.ok() && options_.sync && ::fdatasync(raw) != 0)
      status = SystemError("sync", staging);
    if (!status.ok()) {
      ::unlink(staging.c_str());
      return status;
    }
    return staging;
  }

  arrow::Status SyncFolder(const std::string& folder) const {
    if (!options_.sync) return arrow::Status::OK();
    const FileDescriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (descriptor.get() < 0 || ::fsync(descriptor.get()) != 0)
      return SystemError("sync folder", folder);
    return arrow::Status::OK();
  }

  LocalStoreOptions options_;
};

}  // namespace

std::string JoinPath(std::string_view folder, std::string_view name) {
  if (folder.empty()) return std::string(name);
  std::string out(folder);
  if (out.back() != '/') out.push_back('/');
  out.append(name);
  return out;
}

std::shared_ptr<Store> MakeLocalStore(LocalStoreOptions options) {
  return std::make_shared<LocalStore>(options);
}

bool IsStagingName(std::string_view name) {
  const size_t mark = name.rfind('#');
  if (mark == std::string_view::npos || mark + 1 == name.size()) return false;
  return name.find_first_not_of("0123456789", mark + 1) == std::string_view::npos;
}

}  // namespace pennon
