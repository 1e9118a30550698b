#include "txn/stable_ids_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <string_view>
#include <utility>

#include "format/feature_flags.h"
#include "format/transaction.h"
#include "pennon/base/error.h"
#include "rowids/segment_encoder.h"
#include "rowids/version_sequence.h"
#include "rowset/roaring.h"

namespace pennon {
namespace {

constexpr uint64_t kRowsPerFragmentMax = uint64_t{1} << 32;
/// The reference engine keeps longer transactions out of the manifest.
constexpr size_t kInlineTransactionBytesMax = 20 << 20;
constexpr const char* kRecount =
    "make any commit with the reference engine (for example set a config key): it counts rows "
    "anew; then migrate";

void Block(StableIdsPlan* plan, std::string code, std::string what, std::string way_out) {
  plan->blockers.push_back({std::move(code), std::move(what), std::move(way_out)});
}

/// Text that is no version counts as older.
bool IsOlderThan_0_8_15(const std::string& version) {
  std::array<unsigned, 3> parts{};
  if (std::sscanf(version.c_str(), "%u.%u.%u", &parts[0], &parts[1], &parts[2]) != 3) return true;
  return parts < std::array<unsigned, 3>{0, 8, 15};
}

void CheckWriter(const Manifest& manifest, bool has_indexes, StableIdsPlan* plan) {
  if (!manifest.writer_version.has_value()) {
    Block(plan, "row_counts_unreliable",
          "the newest manifest does not say which writer made it, so its row counts cannot be "
          "relied on",
          kRecount);
  } else if (has_indexes && manifest.writer_version->library == "lance" &&
             IsOlderThan_0_8_15(manifest.writer_version->version)) {
    Block(plan, "index_coverage_unreliable",
          fmt::format(
              "the newest version was written by lance {}, which recorded wrong index coverage",
              manifest.writer_version->version),
          kRecount);
  }
}

void CheckFragments(const Manifest& manifest, StableIdsPlan* plan) {
  uint64_t num_unknown = 0;
  const Fragment* unknown = nullptr;
  const Fragment* too_long = nullptr;
  const Fragment* spilled = nullptr;
  for (const auto& fragment : manifest.fragments) {
    plan->num_rows += fragment.physical_rows;
    if (fragment.physical_rows == 0 && num_unknown++ == 0) unknown = &fragment;
    if (fragment.physical_rows > kRowsPerFragmentMax && too_long == nullptr) too_long = &fragment;
    const LineageSequence* lineage[] = {&fragment.row_ids, &fragment.created,
                                        &fragment.last_updated};
    bool has_inline = false;
    bool has_column = false;
    for (const auto* sequence : lineage) {
      has_inline |= sequence->placement == LineagePlacement::kInline;
      has_column |= sequence->placement == LineagePlacement::kColumn;
    }
    if (has_inline) ++plan->num_unused_sequences;
    if (has_column && spilled == nullptr) spilled = &fragment;
  }
  plan->num_fragments = manifest.fragments.size();
  if (unknown != nullptr) {
    Block(plan, "row_count_unknown",
          fmt::format(
              "{} fragment(s) do not record how many rows they hold, the first is fragment {}",
              num_unknown, ToInteger(unknown->id)),
          kRecount);
  }
  if (too_long != nullptr) {
    Block(plan, "fragment_too_long",
          fmt::format("fragment {} has more than 2^32 rows", ToInteger(too_long->id)),
          "rewrite the fragment into smaller ones");
  }
  if (spilled != nullptr) {
    Block(
        plan, "spilled_lineage_present",
        fmt::format("fragment {} has hidden lineage columns although the table has no stable ids",
                    ToInteger(spilled->id)),
        "compact the table with the reference engine, which leaves the columns out; then migrate");
  }
}

void ChooseIds(const Manifest& manifest, const StableIdsOptions& options, StableIdsPlan* plan) {
  plan->ids = options.ids;
  if (options.ids == IdChoice::kConsecutive) {
    plan->first_row_id = manifest.next_row_id;
    plan->next_row_id = manifest.next_row_id + plan->num_rows;
    if (plan->next_row_id < manifest.next_row_id) {
      Block(plan, "ids_exhausted", "counting on from next_row_id would pass 2^64",
            "use --ids addresses");
    }
    return;
  }
  if (manifest.next_row_id > 0) {
    Block(plan, "was_stable_before",
          fmt::format("ids below {} were given out when the table had stable ids before, and an "
                      "address could be one "
                      "of them",
                      manifest.next_row_id),
          "use --ids consecutive, which counts on from there");
  }
  const int64_t highest = manifest.HighestFragmentId();
  if (highest >= int64_t{std::numeric_limits<uint32_t>::max()}) {
    Block(plan, "ids_exhausted",
          "fragment ids are used up to 2^32-1, no row id above all addresses is left",
          "use --ids consecutive");
    return;
  }
  const auto lowest =
      std::min_element(manifest.fragments.begin(), manifest.fragments.end(),
                       [](const Fragment& a, const Fragment& b) { return a.id < b.id; });
  plan->first_row_id =
      lowest == manifest.fragments.end() ? 0 : uint64_t{ToInteger(lowest->id)} << 32;
  plan->next_row_id = static_cast<uint64_t>(highest + 1) << 32;
}

/// Whether counting on gives each row its address anyhow, as in a table of one fragment 0.
bool ConsecutiveEqualsAddresses(const Manifest& manifest) {
  if (manifest.fragments.empty()) return true;
  return manifest.next_row_id == 0 && manifest.fragments.size() == 1 &&
         manifest.fragments.front().id == FragmentId{0};
}

/// Kinds whose entries are row addresses on a table with stable ids too.
bool StoresAddresses(const IndexEntry& index) {
  return index.type == "ZoneMap" || index.type == "BloomFilter" || index.type == "Fm" ||
         index.type == "FM" || (index.type == "BTree" && index.index_version.value_or(0) >= 1);
}

/// Whether the index may hold addresses from before a compaction that only the fragment reuse index
/// can translate.
arrow::Result<bool> CoversGoneFragments(const IndexEntry& index,
                                        const std::vector<uint32_t>& fragment_ids) {
  if (index.fragment_bitmap.empty()) return true;
  auto covered = DecodeRoaring(index.fragment_bitmap);
  if (!covered.ok()) {
    return AddContext(covered.status(),
                      fmt::format(" in the coverage of index \"{}\"", index.name));
  }
  // Counted, not listed: a few bytes can cover all of 2^32 numbers.
  const auto num_there = std::count_if(fragment_ids.begin(), fragment_ids.end(),
                                       [&covered](uint32_t id) { return covered->Contains(id); });
  return static_cast<uint64_t>(num_there) < covered->count();
}

arrow::Status DecideIndexes(const Manifest& manifest, const std::vector<IndexEntry>& entries,
                            const StableIdsOptions& options, StableIdsPlan* plan) {
  const bool has_reuse_index =
      std::any_of(entries.begin(), entries.end(),
                  [](const IndexEntry& entry) { return entry.name == kFragmentReuseIndexName; });
  const bool ids_are_addresses =
      options.ids == IdChoice::kAddresses || ConsecutiveEqualsAddresses(manifest);
  std::vector<uint32_t> fragment_ids;
  for (const auto& fragment : manifest.fragments) fragment_ids.push_back(ToInteger(fragment.id));
  std::sort(fragment_ids.begin(), fragment_ids.end());

  for (const auto& entry : entries) {
    IndexDecision decision{entry.name, entry.uuid, entry.type, true, ""};
    const char* code = nullptr;
    const char* way_out = nullptr;
    if (entry.name == kFragmentReuseIndexName) {
      decision.kept = false;
      decision.reason =
          "bookkeeping of deferred compactions, which a table with stable ids cannot carry";
    } else if (entry.is_system()) {
      Block(plan, "mem_wal_index",
            fmt::format("system index \"{}\" says that a memory write-ahead log is in use",
                        entry.name),
            "flush and close the log with the engine that keeps it; then migrate");
      decision.reason = "in the way";
    } else {
      ARROW_ASSIGN_OR_RAISE(
          const bool holds_old_addresses,
          has_reuse_index ? CoversGoneFragments(entry, fragment_ids) : arrow::Result<bool>(false));
      if (holds_old_addresses) {
        code = "index_needs_reuse_index";
        decision.reason = "its entries hold addresses from before a deferred compaction";
        way_out =
            "bring it up to date with the reference engine (optimize_indices, or build it anew), "
            "or let it go "
            "with --drop-broken-indexes";
      } else if (!ids_are_addresses && !StoresAddresses(entry)) {
        code = "index_holds_addresses";
        decision.reason = "its entries hold addresses, which would be read as ids";
        way_out =
            "use --ids addresses, which keeps every index right, or let it go with "
            "--drop-broken-indexes and "
            "build it anew";
      } else {
        decision.reason = ids_are_addresses ? "its entries stay right: each id is the row's address"
                                            : "it stores addresses on tables with stable ids too";
      }
    }
    if (code != nullptr && options.drop_broken_indexes) {
      decision.kept = false;
    } else if (code != nullptr) {
      Block(plan, code,
            fmt::format("index \"{}\" ({}): {}", entry.name, entry.type, decision.reason), way_out);
    }
    plan->indexes.push_back(std::move(decision));
  }
  return arrow::Status::OK();
}

std::string RowIdsOf(const Fragment& fragment, const StableIdsPlan& plan,
                     uint64_t* next_consecutive) {
  uint64_t begin = uint64_t{ToInteger(fragment.id)} << 32;
  if (plan.ids == IdChoice::kConsecutive) {
    begin = *next_consecutive;
    *next_consecutive += fragment.physical_rows;
  }
  return RangeRowIds(begin, begin + fragment.physical_rows);
}

/// The index section without the entries that the plan drops; nothing when none is left.
arrow::Result<std::optional<std::string>> KeptIndexes(const Manifest& manifest,
                                                      const StableIdsPlan& plan) {
  if (!manifest.index_section.has_value()) return std::nullopt;
  const bool all_kept =
      std::all_of(plan.indexes.begin(), plan.indexes.end(), [](const auto& d) { return d.kept; });
  if (all_kept) return std::string(*manifest.index_section);
  ARROW_ASSIGN_OR_RAISE(const auto entries, DecodeIndexSection(*manifest.index_section));
  std::vector<std::string_view> kept;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (plan.indexes[i].kept) kept.push_back(entries[i].encoded);
  }
  if (kept.empty()) return std::nullopt;
  return EncodeIndexSection(kept);
}

}  // namespace

EncodedLineage EncodeStamps(const FragmentStamps& stamps) {
  return {stamps.created.Encode(), stamps.last_updated.Encode()};
}

arrow::Result<StableIdsPlan> PlanStableIds(const Manifest& manifest,
                                           const StableIdsOptions& options) {
  StableIdsPlan plan;
  CheckFragments(manifest, &plan);
  std::vector<IndexEntry> entries;
  if (manifest.index_section.has_value()) {
    ARROW_ASSIGN_OR_RAISE(entries, DecodeIndexSection(*manifest.index_section));
  }
  if (manifest.has_stable_row_ids()) {
    plan = StableIdsPlan{};
    plan.already_stable = true;
    plan.num_fragments = manifest.fragments.size();
    plan.next_row_id = manifest.next_row_id;
    return plan;
  }
  const auto writable = CheckWritable(manifest.reader_flags, manifest.writer_flags);
  if (!writable.ok()) {
    Block(&plan, "unsupported_feature", MessageOf(writable),
          "undo the feature with the engine that brought it in, or migrate with a newer pennon");
  }
  const bool has_indexes = std::any_of(entries.begin(), entries.end(),
                                       [](const IndexEntry& entry) { return !entry.is_system(); });
  CheckWriter(manifest, has_indexes, &plan);
  ChooseIds(manifest, options, &plan);
  ARROW_RETURN_NOT_OK(DecideIndexes(manifest, entries, options, &plan));
  return plan;
}

arrow::Result<StableIdsCommit> BuildStableIds(const Manifest& manifest, const StableIdsPlan& plan,
                                              const StableIdsStamp& stamp) {
  if (!plan.possible())
    return MakeError(ErrorKind::kInternal, "plan of a migration that cannot be carried out");
  std::vector<FragmentId> ids;
  ids.reserve(manifest.fragments.size());
  size_t fragment_bytes = 0;
  for (const auto& fragment : manifest.fragments) {
    ids.push_back(fragment.id);
    fragment_bytes += fragment.encoded.size() + 64;
  }
  StableIdsCommit commit;
  commit.transaction =
      EncodeSelfRewrite(manifest.version, stamp.uuid, ids,
                        {{"__lance_commit_message", "pennon migrate: stable row ids"}});
  if ((manifest.writer_flags & kFlagNoTransactionFiles) == 0) {
    commit.transaction_file = TransactionFileName(manifest.version, stamp.uuid);
  }
  ARROW_ASSIGN_OR_RAISE(const auto index_section, KeptIndexes(manifest, plan));

  // A transaction that is too long for the manifest lies in its file alone.
  std::optional<std::string_view> inline_transaction = commit.transaction;
  if (commit.transaction.size() > kInlineTransactionBytesMax && !commit.transaction_file.empty()) {
    inline_transaction.reset();
  }
  ManifestFileBuilder builder(index_section, inline_transaction, fragment_bytes);
  uint64_t next_consecutive = plan.first_row_id;
  std::string encoded;
  for (size_t i = 0; i < manifest.fragments.size(); ++i) {
    const Fragment& fragment = manifest.fragments[i];
    const std::string row_ids = RowIdsOf(fragment, plan, &next_consecutive);
    InlineLineage lineage;
    lineage.row_ids = row_ids;
    if (!stamp.lineage.empty()) {
      lineage.created = stamp.lineage[i].created;
      lineage.last_updated = stamp.lineage[i].last_updated;
    }
    encoded.clear();
    ARROW_RETURN_NOT_OK(AppendFragmentWithLineage(fragment.encoded, lineage, encoded));
    builder.AddFragment(encoded);
  }
  ManifestEdit edit;
  edit.version = NextVersion(manifest.version);
  edit.timestamp_seconds = stamp.timestamp_seconds;
  edit.timestamp_nanos = stamp.timestamp_nanos;
  edit.reader_flags = manifest.reader_flags | kFlagStableRowIds;
  edit.writer_flags = manifest.writer_flags | kFlagStableRowIds;
  edit.next_row_id = plan.next_row_id;
  edit.transaction_file = commit.transaction_file;
  edit.writer_version = stamp.writer;
  if (manifest.HighestFragmentId() >= 0)
    edit.max_fragment_id = static_cast<uint32_t>(manifest.HighestFragmentId());
  ARROW_ASSIGN_OR_RAISE(commit.manifest_file, builder.Finish(manifest, edit));
  return commit;
}

}  // namespace pennon
