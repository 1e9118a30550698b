#include "io/observed_store.h"

#include <utility>

namespace pennon {
namespace {

class ObservedFile : public RandomAccessFile {
 public:
  ObservedFile(std::shared_ptr<RandomAccessFile> file, std::shared_ptr<StoreObserver> observer)
      : file_(std::move(file)), observer_(std::move(observer)) {}
  const std::string& path() const override { return file_->path(); }
  uint64_t size_bytes() const override { return file_->size_bytes(); }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(ByteRange range) override {
    const StoreEvent event{StoreCall::kRead, path(), range.size()};
    ARROW_RETURN_NOT_OK(observer_->Before(event));
    ARROW_ASSIGN_OR_RAISE(auto buffer, file_->ReadAt(range));
    ARROW_RETURN_NOT_OK(observer_->After(event));
    return buffer;
  }
  arrow::Status ReadInto(ByteRange range, uint8_t* out) override {
    const StoreEvent event{StoreCall::kRead, path(), range.size()};
    ARROW_RETURN_NOT_OK(observer_->Before(event));
    ARROW_RETURN_NOT_OK(file_->ReadInto(range, out));
    return observer_->After(event);
  }

 private:
  std::shared_ptr<RandomAccessFile> file_;
  std::shared_ptr<StoreObserver> observer_;
};

class ObservedStore : public Store {
 public:
  ObservedStore(std::shared_ptr<Store> store, std::shared_ptr<StoreObserver> observer)
      : store_(std::move(store)), observer_(std::move(observer)) {}

  arrow::Result<std::shared_ptr<RandomAccessFile>> OpenFile(const std::string& path) override {
    const StoreEvent event{StoreCall::kOpen, path, 0};
    ARROW_RETURN_NOT_OK(observer_->Before(event));
    ARROW_ASSIGN_OR_RAISE(auto file, store_->OpenFile(path));
    ARROW_RETURN_NOT_OK(observer_->After(event));
    return std::make_shared<ObservedFile>(std::move(file), observer_);
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadWhole(const std::string& path,
                                                          uint64_t size_bytes_max) override {
    StoreEvent event{StoreCall::kReadWhole, path, 0};
    ARROW_RETURN_NOT_OK(observer_->Before(event));
    ARROW_ASSIGN_OR_RAISE(auto buffer, store_->ReadWhole(path, size_bytes_max));
    event.num_bytes = static_cast<uint64_t>(buffer->size());
    ARROW_RETURN_NOT_OK(observer_->After(event));
    return buffer;
  }
  arrow::Result<std::vector<FolderEntry>> ListFolder(const std::string& path) override {
    const StoreEvent event{StoreCall::kList, path, 0};
    ARROW_RETURN_NOT_OK(observer_->Before(event));
    ARROW_ASSIGN_OR_RAISE(auto entries, store_->ListFolder(path));
    ARROW_RETURN_NOT_OK(observer_->After(event));
    return entries;
  }
  arrow::Result<FolderEntry> Stat(const std::string& path) override {
    const StoreEvent event{StoreCall::kStat, path, 0};
    ARROW_RETURN_NOT_OK(observer_->Before(event));
    ARROW_ASSIGN_OR_RAISE(auto entry, store_->Stat(path));
    ARROW_RETURN_NOT_OK(observer_->After(event));
    return entry;
  }
  arrow::Status Put(const std::string& path, std::string_view bytes) override {
    const StoreEvent event{StoreCall::kPut, path, bytes.size()};
    ARROW_RETURN_NOT_OK(observer_->Before(event));
    ARROW_RETURN_NOT_OK(store_->Put(path, bytes));
    return observer_->After(event);
  }
  arrow::Result<PutOutcome> PutIfAbsent(const std::string& path, std::string_view bytes) override {
    const StoreEvent event{StoreCall::kPutIfAbsent, path, bytes.size()};
    ARROW_RETURN_NOT_OK(observer_->Before(event));
    ARROW_ASSIGN_OR_RAISE(const auto outcome, store_->PutIfAbsent(path, bytes));
    ARROW_RETURN_NOT_OK(observer_->After(event));
    return outcome;
  }
  arrow::Status Remove(const std::string& path) override {
    const StoreEvent event{StoreCall::kRemove, path, 0};
    ARROW_RETURN_NOT_OK(observer_->Before(event));
    ARROW_RETURN_NOT_OK(store_->Remove(path));
    return observer_->After(event);
  }

 private:
  std::shared_ptr<Store> store_;
  std::shared_ptr<StoreObserver> observer_;
};

}  // namespace

std::shared_ptr<Store> MakeObservedStore(std::shared_ptr<Store> store,
                                         std::shared_ptr<StoreObserver> observer) {
  return std::make_shared<ObservedStore>(std::move(store), std::move(observer));
}

}  // namespace pennon
