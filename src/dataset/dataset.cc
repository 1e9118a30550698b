#include "pennon/dataset/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "dataset/open_table.h"
#include "io/local_store.h"
#include "io/observed_store.h"
#include "pennon/base/error.h"
#include "table/location.h"
#include "table/refs.h"
#include "table/row_id_index_cache.h"
#include "table/snapshot.h"

namespace pennon {
namespace {

uint64_t IndexBytesFromEnvironment() {
  const char* text = std::getenv("PENNON_ROW_ID_INDEX_BYTES");
  uint64_t bytes = 0;
  if (text == nullptr || std::from_chars(text, text + std::strlen(text), bytes).ec != std::errc() ||
      bytes == 0) {
    return kRowIdIndexBytesDefault;
  }
  return bytes;
}

bool IsNumber(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

arrow::Result<Version> ParseVersion(const std::string& text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0) {
    return MakeError(ErrorKind::kInvalidArgument,
                     fmt::format("version numbers start at 1 and fit 64 bits, got: {}", text));
  }
  return Version{number};
}

/// The main root of a path that may itself be a branch's folder. Store calls only for a path with
/// "/tree/" in it.
std::string FindMainRoot(Store& store, const std::string& root) {
  for (size_t at = root.rfind("/tree/"); at != std::string::npos && at > 0;
       at = root.rfind("/tree/", at - 1)) {
    std::string main_root = root.substr(0, at);
    if (store.Stat(JoinPath(main_root, "_versions")).ok()) return main_root;
  }
  return root;
}

arrow::Status ExplainMissingBranch(Store& store, const std::string& main_root,
                                   const std::string& branch) {
  ARROW_ASSIGN_OR_RAISE(const auto branches, ListBranches(store, main_root));
  std::string known;
  for (const auto& item : branches) known += (known.empty() ? "" : ", ") + item.name;
  return MakeError(ErrorKind::kNotFound, fmt::format("branch \"{}\" is not there; {}: {}", branch,
                                                     known.empty() ? "the table has only main"
                                                                   : "branches are main, " + known,
                                                     main_root));
}

arrow::Result<std::shared_ptr<const Snapshot>> LoadBranch(const std::shared_ptr<Store>& store,
                                                          const std::string& main_root,
                                                          const std::string& branch,
                                                          std::optional<Version> version,
                                                          ManifestRules rules) {
  const std::string root =
      branch.empty() || branch == "main" ? main_root : BranchRoot(main_root, branch);
  auto snapshot = version.has_value() ? LoadSnapshot(store, root, *version, rules)
                                      : LoadLatestSnapshot(store, root, rules);
  if (!snapshot.ok() && root != main_root && KindOf(snapshot.status()) == ErrorKind::kNotFound &&
      !store->Stat(JoinPath(root, "_versions")).ok()) {
    // A table that is not there at all explains itself better than a missing branch of it.
    ARROW_RETURN_NOT_OK(ListVersions(*store, main_root).status());
    return ExplainMissingBranch(*store, main_root, branch);
  }
  return snapshot;
}

}  // namespace

arrow::Result<std::shared_ptr<const Dataset>> Dataset::Open(const std::string& uri,
                                                            const OpenOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const std::string root, ParseLocation(uri));
  LocalStoreOptions store_options;
  store_options.sync = options.sync;
  auto store = MakeLocalStore(store_options);
  if (options.observer != nullptr) store = MakeObservedStore(std::move(store), options.observer);

  const auto rules = options.tolerate_faults ? ManifestRules::kTolerant : ManifestRules::kEnforced;
  std::optional<Version> version;
  std::string branch = options.branch;
  std::string start = root;
  if (!options.branch.empty()) start = FindMainRoot(*store, root);
  if (IsNumber(options.version)) {
    ARROW_ASSIGN_OR_RAISE(version, ParseVersion(options.version));
  } else if (!options.version.empty()) {
    start = FindMainRoot(*store, root);
    auto tag = ReadTag(*store, start, options.version);
    if (!tag.ok()) {
      if (KindOf(tag.status()) == ErrorKind::kNotFound)
        ARROW_RETURN_NOT_OK(ListVersions(*store, root).status());
      return tag.status();
    }
    if (!options.branch.empty() && tag->branch.value_or("main") != options.branch) {
      return MakeError(ErrorKind::kInvalidArgument,
                       fmt::format("tag \"{}\" belongs to branch {}, not {}: {}", options.version,
                                   tag->branch.value_or("main"), options.branch, start));
    }
    version = tag->version;
    branch = tag->branch.value_or("main");
  }
  ARROW_ASSIGN_OR_RAISE(auto snapshot, LoadBranch(store, start, branch, version, rules));
  const uint64_t bytes_max = options.row_id_index_bytes_max != 0 ? options.row_id_index_bytes_max
                                                                 : IndexBytesFromEnvironment();
  return std::make_shared<const Dataset>(std::move(snapshot),
                                         std::make_shared<RowIdIndexCache>(bytes_max),
                                         std::make_shared<ReadSession>(options.num_threads));
}

Dataset::Dataset(std::shared_ptr<const Snapshot> snapshot,
                 std::shared_ptr<RowIdIndexCache> row_id_indexes,
                 std::shared_ptr<ReadSession> read_session)
    : snapshot_(std::move(snapshot)), row_id_indexes_(std::move(row_id_indexes)) {
  if (row_id_indexes_ == nullptr)
    row_id_indexes_ = std::make_shared<RowIdIndexCache>(IndexBytesFromEnvironment());
  if (read_session == nullptr) read_session = std::make_shared<ReadSession>(0);
  reading_ = std::make_shared<TableReading>(snapshot_, std::move(read_session));
}

arrow::Result<std::shared_ptr<const Dataset>> Dataset::Checkout(const std::string& version) const {
  const auto& store = snapshot_->store;
  const auto& table = snapshot_->table;
  std::optional<Version> number;
  if (IsNumber(version)) {
    ARROW_ASSIGN_OR_RAISE(number, ParseVersion(version));
  } else if (!version.empty()) {
    ARROW_ASSIGN_OR_RAISE(const auto tag, ReadTag(*store, table.main_root, version));
    if (tag.branch.value_or("main") != snapshot_->manifest.branch.value_or("main")) {
      return MakeError(ErrorKind::kInvalidArgument,
                       fmt::format("tag \"{}\" belongs to branch {}: {}", version,
                                   tag.branch.value_or("main"), table.root));
    }
    number = tag.version;
  }
  ARROW_ASSIGN_OR_RAISE(auto snapshot, number.has_value() ? LoadSnapshot(store, table.root, *number)
                                                          : LoadLatestSnapshot(store, table.root));
  return std::make_shared<const Dataset>(std::move(snapshot), row_id_indexes_, reading_->session());
}

Version Dataset::version() const { return snapshot_->version(); }
const std::string& Dataset::root() const { return snapshot_->table.root; }
bool Dataset::has_stable_row_ids() const { return snapshot_->manifest.has_stable_row_ids(); }

}  // namespace pennon
