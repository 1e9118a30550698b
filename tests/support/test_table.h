/// \file
/// A table without stable ids that other writers work on: each method commits the next version by
/// hand-made bytes, as the reference engine would, without any code of ours that commits. Spec:
/// format/commit.md, headings 1 to 3; format/table.md, headings 2, 3 and 6.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "format/deletion_file.h"
#include "io/store.h"
#include "rowset/roaring.h"
#include "support/manifest_builder.h"
#include "table/versions.h"

namespace pennon::testing_support {

class TestTable {
 public:
  explicit TestTable(std::shared_ptr<Store> store, std::string root = "/table",
                     ManifestNaming naming = ManifestNaming::kV2)
      : store_(std::move(store)), root_(std::move(root)), naming_(naming) {
    newest_.version = 0;
  }

  Store& store() const { return *store_; }
  const std::string& root() const { return root_; }
  /// The version committed last, as it was spelled. Version 0: none.
  const ManifestSpec& newest() const { return newest_; }
  std::string ManifestPathOf(uint64_t version) const {
    return ManifestPath(root_, Version{version}, naming_);
  }
  std::string ReadManifest(uint64_t version) const {
    return store_->ReadWhole(ManifestPathOf(version), uint64_t{1} << 30).ValueOrDie()->ToString();
  }

  /// Whether the transaction also lies in the manifest, as it normally does; its file is always
  /// there.
  bool inline_transactions = true;
  /// Whether commits move the version hint.
  bool writes_hint = true;

  /// Commits `next` as the version behind the newest. A version that is taken already fails the
  /// test.
  void Commit(ManifestSpec next, Operation operation, const std::string& body = "") {
    const uint64_t read_version = newest_.version;
    next.version = read_version + 1;
    next.timestamp_seconds = 1700000000 + static_cast<int64_t>(next.version);
    const std::string uuid = "uuid-" + std::to_string(next.version);
    const std::string transaction = TransactionBytes(read_version, uuid, operation, body);
    next.transaction_file = std::to_string(read_version) + "-" + uuid + ".txn";
    next.transaction.reset();
    if (inline_transactions) next.transaction = transaction;
    next.index_section.reset();
    if (!indexes_.empty()) next.index_section = IndexSectionBytes(indexes_);
    ASSERT_TRUE(
        store_->Put(JoinPath(root_, "_transactions/" + next.transaction_file), transaction).ok());
    ASSERT_EQ(store_->PutIfAbsent(ManifestPathOf(next.version), ManifestBytes(next)).ValueOrDie(),
              PutOutcome::kWritten);
    if (writes_hint) {
      const std::string hint = "{\"version\":" + std::to_string(next.version) + "}";
      ASSERT_TRUE(store_->Put(JoinPath(root_, "_versions/latest_version_hint.json"), hint).ok());
    }
    newest_ = std::move(next);
  }

  /// Adds fragments of so many rows.
  void Append(const std::vector<uint64_t>& rows) {
    ManifestSpec next = newest_;
    for (const uint64_t count : rows) next.fragments.push_back(Rows(TakeFragmentId(&next), count));
    Commit(std::move(next), newest_.version == 0 ? Operation::kOverwrite : Operation::kAppend);
  }

  /// Deletes rows with a new deletion file that replaces the old one.
  void Delete(uint32_t fragment_id, const std::vector<uint32_t>& offsets) {
    ManifestSpec next = newest_;
    FragmentSpec& fragment = Find(&next, fragment_id);
    auto& deleted = deleted_[fragment_id];
    deleted.insert(offsets.begin(), offsets.end());
    const auto encoded =
        EncodeDeletionFile(DeletionVector::FromOffsets({deleted.begin(), deleted.end()}))
            .ValueOrDie();
    DeletionSpec spec;
    spec.is_bitmap = encoded.type == DeletionFileType::kBitmap;
    spec.read_version = newest_.version;
    spec.id = 1000 + newest_.version;
    spec.num_deleted_rows = deleted.size();
    fragment.deletion = spec;
    const std::string name = std::to_string(fragment_id) + "-" + std::to_string(spec.read_version) +
                             "-" + std::to_string(spec.id) + (spec.is_bitmap ? ".bin" : ".arrow");
    const std::string_view bytes(reinterpret_cast<const char*>(encoded.bytes->data()),
                                 static_cast<size_t>(encoded.bytes->size()));
    ASSERT_TRUE(store_->Put(JoinPath(root_, "_deletions/" + name), bytes).ok());
    const std::string body = Field(1, FragmentBytes(fragment));
    Commit(std::move(next), Operation::kDelete, body);
  }

  /// Moves the live rows of fragments into one new fragment.
  void Compact(const std::vector<uint32_t>& fragment_ids) {
    ManifestSpec next = newest_;
    uint64_t live = 0;
    for (const uint32_t id : fragment_ids) live += Find(&next, id).rows - deleted_[id].size();
    std::erase_if(next.fragments, [&](const FragmentSpec& fragment) {
      return std::find(fragment_ids.begin(), fragment_ids.end(), fragment.id) != fragment_ids.end();
    });
    const uint32_t new_id = TakeFragmentId(&next);
    next.fragments.push_back(Rows(new_id, live));
    Commit(std::move(next), Operation::kRewrite, RewriteBody(fragment_ids, {new_id}));
  }

  /// Adds a column: one more file for each fragment.
  void AddColumn(const std::string& name) {
    ManifestSpec next = newest_;
    const auto field = static_cast<int32_t>(next.columns.size());
    next.columns.push_back(name);
    for (auto& fragment : next.fragments) {
      if (fragment.files.empty())
        fragment.files.push_back({std::to_string(fragment.id) + ".lance"});
      fragment.files.push_back({std::to_string(fragment.id) + "-" + name + ".lance", {field}});
    }
    Commit(std::move(next), Operation::kMerge);
  }

  void ReserveFragments(uint32_t count) {
    ManifestSpec next = newest_;
    for (uint32_t i = 0; i < count; ++i) TakeFragmentId(&next);
    Commit(std::move(next), Operation::kReserveFragments, Scalar(1, count));
  }

  void CreateIndex(IndexSpec index) {
    if (index.fragment_bitmap.empty()) {
      std::vector<uint32_t> ids;
      for (const auto& fragment : newest_.fragments) ids.push_back(fragment.id);
      index.fragment_bitmap = EncodeRoaring(RoaringSet::FromUnsorted(std::move(ids)));
    }
    index.dataset_version = newest_.version;
    const std::string body = Field(1, IndexBytes(index));
    indexes_.push_back(std::move(index));
    Commit(newest_, Operation::kCreateIndex, body);
  }

  void SetConfig(const std::string& key, const std::string& value) {
    ManifestSpec next = newest_;
    next.config[key] = value;
    next.writer_flags |= 8;
    Commit(std::move(next), Operation::kUpdateConfig);
  }

  /// Turns on feature bits in both words.
  void SetFlags(uint64_t flags) {
    ManifestSpec next = newest_;
    next.reader_flags |= flags;
    next.writer_flags |= flags;
    Commit(std::move(next), Operation::kUpdateConfig);
  }

  /// What another program's migration leaves: ids are addresses, lineage unset.
  void MigrateByHand() {
    ManifestSpec next = newest_;
    next.reader_flags |= 2;
    next.writer_flags |= 2;
    uint32_t above = next.max_fragment_id.has_value() ? *next.max_fragment_id + 1 : 0;
    std::vector<uint32_t> ids;
    for (auto& fragment : next.fragments) {
      fragment.row_ids = RangeIds(uint64_t{fragment.id} << 32, fragment.rows);
      above = std::max(above, fragment.id + 1);
      ids.push_back(fragment.id);
    }
    next.next_row_id = uint64_t{above} << 32;
    Commit(std::move(next), Operation::kRewrite, RewriteBody(ids, ids));
  }

  /// Makes a branch from the newest version: a root of its own below this one, its first version a
  /// clone.
  TestTable MakeBranch(const std::string& name) {
    TestTable branch(store_, JoinPath(root_, "tree/" + name), naming_);
    branch.newest_ = newest_;
    branch.indexes_ = indexes_;
    branch.deleted_ = deleted_;
    --branch.newest_.version;
    ManifestSpec clone = newest_;
    clone.branch = name;
    branch.Commit(std::move(clone), static_cast<Operation>(113),
                  Scalar(1, 1) + Scalar(3, newest_.version));
    std::string file_name = name;
    for (size_t at = file_name.find('/'); at != std::string::npos; at = file_name.find('/')) {
      file_name.replace(at, 1, "%2F");
    }
    const std::string json =
        "{\"parentBranch\":null,\"parentVersion\":" + std::to_string(newest_.version) + "}";
    EXPECT_TRUE(store_->Put(JoinPath(root_, "_refs/branches/" + file_name + ".json"), json).ok());
    return branch;
  }

  void Tag(const std::string& name, uint64_t version, const std::string& branch = "") {
    const std::string json = "{\"branch\":" + (branch.empty() ? "null" : "\"" + branch + "\"") +
                             ",\"version\":" + std::to_string(version) + ",\"manifestSize\":1}";
    ASSERT_TRUE(store_->Put(JoinPath(root_, "_refs/tags/" + name + ".json"), json).ok());
  }

  const std::vector<IndexSpec>& indexes() const { return indexes_; }

 private:
  static FragmentSpec& Find(ManifestSpec* spec, uint32_t id) {
    const auto found =
        std::find_if(spec->fragments.begin(), spec->fragments.end(),
                     [id](const FragmentSpec& fragment) { return fragment.id == id; });
    if (found == spec->fragments.end()) std::abort();
    return *found;
  }
  static uint32_t TakeFragmentId(ManifestSpec* spec) {
    spec->max_fragment_id = spec->max_fragment_id.has_value() ? *spec->max_fragment_id + 1 : 0;
    return *spec->max_fragment_id;
  }

  std::shared_ptr<Store> store_;
  std::string root_;
  ManifestNaming naming_;
  ManifestSpec newest_;
  std::vector<IndexSpec> indexes_;
  std::map<uint32_t, std::set<uint32_t>> deleted_;
};

}  // namespace pennon::testing_support
