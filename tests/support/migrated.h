/// \file
/// What a migrated version must be, derived from the version it was built upon as other writers
/// left it. Spec: format/commit.md, heading 5.7.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "format/transaction.h"
#include "pennon/dataset/migrate.h"
#include "support/memory_store.h"
#include "support/test_table.h"
#include "table/snapshot.h"

namespace pennon::testing_support {

inline std::vector<std::string> EncodedFragments(const Manifest& manifest) {
  std::vector<std::string> out;
  for (const auto& fragment : manifest.fragments) out.emplace_back(ToHex(fragment.encoded));
  return out;
}

/// The fragments that a migration makes of a table when nobody disturbs it; `files` is the whole
/// store.
inline std::vector<std::string> UndisturbedFragments(const MemoryStore::Files& files,
                                                     const std::string& root,
                                                     const MigrateOptions& options) {
  const auto store = std::make_shared<MemoryStore>();
  for (const auto& [path, bytes] : files) EXPECT_TRUE(store->Put(path, bytes).ok());
  const Dataset dataset(LoadLatestSnapshot(store, root).ValueOrDie());
  MigrateOptions alone = options;
  alone.all_branches = false;
  const auto reports = MigrateToStableRowIds(dataset, alone);
  EXPECT_TRUE(reports.ok()) << reports.status();
  return EncodedFragments(LoadLatestSnapshot(store, root).ValueOrDie()->manifest);
}

/// Expects `migrated` to be the migration, ids as addresses, of the version `before`.
inline void ExpectMigrated(const Snapshot& migrated, const ManifestSpec& before) {
  const Manifest& manifest = migrated.manifest;
  EXPECT_EQ(ToInteger(manifest.version), before.version + 1);
  EXPECT_EQ(manifest.reader_flags, before.reader_flags | 2);
  EXPECT_EQ(manifest.writer_flags, before.writer_flags | 2);
  EXPECT_EQ(manifest.max_fragment_id, before.max_fragment_id);
  EXPECT_EQ(manifest.config, before.config);
  EXPECT_EQ(manifest.branch, before.branch);
  EXPECT_EQ(manifest.index_section, before.index_section);
  EXPECT_EQ(manifest.fields.size(), before.columns.size());
  const uint64_t above =
      before.max_fragment_id.has_value() ? uint64_t{*before.max_fragment_id} + 1 : 0;
  EXPECT_EQ(manifest.next_row_id, above << 32);
  ASSERT_EQ(manifest.fragments.size(), before.fragments.size());
  std::vector<FragmentId> ids;
  for (size_t i = 0; i < manifest.fragments.size(); ++i) {
    const FragmentSpec& was = before.fragments[i];
    const Fragment& is = manifest.fragments[i];
    ids.push_back(is.id);
    EXPECT_EQ(is.row_ids.bytes, RangeIds(uint64_t{was.id} << 32, was.rows))
        << "fragment " << was.id;
    // But for the sequences, which come last, every byte is as it was.
    EXPECT_TRUE(is.encoded.starts_with(FragmentBytes(was))) << "fragment " << was.id;
  }
  ASSERT_TRUE(manifest.transaction.has_value());
  const auto transaction = DecodeTransaction(*manifest.transaction);
  ASSERT_TRUE(transaction.ok()) << transaction.status();
  EXPECT_EQ(transaction->operation, "Rewrite");
  EXPECT_EQ(ToInteger(transaction->read_version), before.version);
  ASSERT_EQ(transaction->rewrite_groups.size(), ids.empty() ? 0u : 1u);
  if (!ids.empty()) {
    EXPECT_EQ(transaction->rewrite_groups[0].old_fragments, ids);
    EXPECT_EQ(transaction->rewrite_groups[0].new_fragments, ids);
  }
  EXPECT_EQ(manifest.transaction_file,
            std::to_string(before.version) + "-" + transaction->uuid + ".txn");
}

/// Transaction files that no TestTable wrote: ours.
inline std::vector<std::string> OurTransactionFiles(const MemoryStore::Files& files) {
  std::vector<std::string> out;
  for (const auto& [path, bytes] : files) {
    if (path.ends_with(".txn") && path.find("-uuid-") == std::string::npos) out.push_back(path);
  }
  return out;
}

}  // namespace pennon::testing_support
