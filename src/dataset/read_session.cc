#include "dataset/read_session.h"

#include <utility>

#include "base/recycling_pool.h"
#include "table/deletions.h"
#include "table/location.h"

namespace pennon {
namespace {

/// Each holds a file descriptor; systems allow a process some thousands, and not all are ours.
constexpr size_t kOpenFilesMax = 4096;
constexpr size_t kDeletionVectorsMax = 65536;

}  // namespace

ReadSession::ReadSession(int num_threads)
    : files_(kOpenFilesMax), deletions_(kDeletionVectorsMax), pool_(num_threads) {}

arrow::Result<std::shared_ptr<DataFileReader>> ReadSession::OpenFile(const Snapshot& snapshot,
                                                                     const DataFile& file) {
  ARROW_ASSIGN_OR_RAISE(const std::string path,
                        DataFilePath(snapshot.table.root, snapshot.manifest, file));
  if (auto open = files_.Find(path)) return open;
  ARROW_ASSIGN_OR_RAISE(auto opened, snapshot.store->OpenFile(path));
  DataFileReaderOptions options;
  options.pool = RecyclingPool::Shared();
  ARROW_ASSIGN_OR_RAISE(auto reader, DataFileReader::Open(std::move(opened), options));
  return files_.Keep(path, std::move(reader));
}

arrow::Result<std::shared_ptr<const DeletionVector>> ReadSession::Deletions(
    const Snapshot& snapshot, const Fragment& fragment) {
  static const auto none = std::make_shared<const DeletionVector>();
  if (!fragment.deletion_file.has_value()) return none;
  ARROW_ASSIGN_OR_RAISE(const std::string path,
                        DeletionFilePath(snapshot.table.root, snapshot.manifest, fragment));
  if (auto kept = deletions_.Find(path)) return kept;
  ARROW_ASSIGN_OR_RAISE(auto loaded, LoadDeletions(snapshot, fragment));
  return deletions_.Keep(path, std::make_shared<const DeletionVector>(std::move(loaded)));
}

}  // namespace pennon
