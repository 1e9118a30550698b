/// \file
/// Somewhere to put a table for a test, in memory or on disk, with all its files to look at.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

#include "io/local_store.h"
#include "support/memory_store.h"
#include "support/temp_folder.h"

namespace pennon::testing_support {

enum class PlaceKind { kMemory, kDisk };

class Place {
 public:
  explicit Place(PlaceKind kind) {
    if (kind == PlaceKind::kMemory) {
      memory_ = std::make_shared<MemoryStore>();
      store_ = memory_;
      root_ = "/table";
    } else {
      folder_.emplace();
      store_ = MakeLocalStore({.sync = false});
      root_ = folder_->path() + "/table";
    }
  }

  const std::shared_ptr<Store>& store() const { return store_; }
  const std::string& root() const { return root_; }

  MemoryStore::Files files() const {
    if (memory_ != nullptr) return memory_->files();
    MemoryStore::Files out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_->path())) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      out[entry.path().string()] =
          std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return out;
  }

 private:
  std::optional<TempFolder> folder_;
  std::shared_ptr<MemoryStore> memory_;
  std::shared_ptr<Store> store_;
  std::string root_;
};

}  // namespace pennon::testing_support
