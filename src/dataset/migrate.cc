#include "pennon/dataset/migrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <thread>
#include <utility>

#include "base/uuid.h"
#include "dataset/migrate_check.h"
#include "format/transaction.h"
#include "pennon/base/error.h"
#include "pennon/version.h"
#include "table/commit.h"
#include "table/deletions.h"
#include "table/history.h"
#include "table/refs.h"
#include "table/snapshot.h"
#include "txn/lineage_trace.h"
#include "txn/stable_ids_plan.h"

namespace pennon {
namespace {

using SnapshotPtr = std::shared_ptr<const Snapshot>;

std::shared_ptr<const Manifest> ManifestOf(const SnapshotPtr& snapshot) {
  return {snapshot, &snapshot->manifest};
}

/// Follows one branch from its oldest kept version to the newest, once; later attempts go on from
/// there.
class BranchHistory {
 public:
  explicit BranchHistory(const SnapshotPtr& newest)
      : store_(newest->store), root_(newest->table.root), trace_(MakeLoader(store_, root_)) {}

  arrow::Status AdvanceTo(const SnapshotPtr& newest) {
    ARROW_ASSIGN_OR_RAISE(const auto listing, ListVersions(*store_, root_));
    for (const Version version : listing.versions) {
      if (version <= trace_.version() || version >= newest->version()) continue;
      auto snapshot = LoadSnapshot(store_, root_, version);
      // A version that cleanup removed meanwhile has nothing to tell; one that cannot be read must
      // not be passed over.
      if (!snapshot.ok() && KindOf(snapshot.status()) == ErrorKind::kNotFound) continue;
      ARROW_RETURN_NOT_OK(snapshot.status());
      ARROW_RETURN_NOT_OK(Take(*snapshot));
    }
    if (trace_.version() < newest->version()) ARROW_RETURN_NOT_OK(Take(newest));
    return arrow::Status::OK();
  }

  uint64_t num_versions() const { return num_versions_; }
  const LineageTrace& trace() const { return trace_; }

 private:
  static LineageTrace::LoadDeletions MakeLoader(std::shared_ptr<Store> store, std::string root) {
    return [store = std::move(store), root = std::move(root)](const Manifest& manifest,
                                                              const Fragment& fragment) {
      return LoadDeletions(*store, root, manifest, fragment);
    };
  }

  arrow::Status Take(const SnapshotPtr& snapshot) {
    ++num_versions_;
    ARROW_ASSIGN_OR_RAISE(const auto transaction, ReadTransaction(*snapshot));
    return trace_.Advance(ManifestOf(snapshot), transaction.has_value() ? &*transaction : nullptr);
  }

  std::shared_ptr<Store> store_;
  std::string root_;
  LineageTrace trace_;
  uint64_t num_versions_ = 0;
};

StableIdsOptions PlanOptions(const MigrateOptions& options) {
  StableIdsOptions out;
  out.ids = options.ids == MigrateIds::kAddresses ? IdChoice::kAddresses : IdChoice::kConsecutive;
  out.drop_broken_indexes = options.drop_broken_indexes;
  return out;
}

MigrateReport MakeReport(const Snapshot& snapshot, const StableIdsPlan& plan,
                         const MigrateOptions& options) {
  MigrateReport report;
  report.root = snapshot.table.root;
  report.branch = snapshot.manifest.branch.value_or("");
  report.from_version = snapshot.version();
  report.to_version = plan.already_stable ? snapshot.version() : NextVersion(snapshot.version());
  report.outcome = plan.already_stable ? MigrateOutcome::kAlreadyStable : MigrateOutcome::kPlanned;
  for (const auto& blocker : plan.blockers)
    report.blockers.push_back({blocker.code, blocker.what, blocker.way_out});
  report.ids = options.ids;
  report.lineage = options.lineage;
  report.num_fragments = plan.num_fragments;
  report.num_rows = plan.num_rows;
  for (const auto& fragment : snapshot.manifest.fragments) {
    if (fragment.deletion_file.has_value())
      report.num_deleted_rows += fragment.deletion_file->num_deleted_rows;
  }
  report.first_row_id = plan.first_row_id;
  report.next_row_id = plan.next_row_id;
  report.manifest_bytes_before = snapshot.manifest_bytes;
  report.manifest_bytes_after = snapshot.manifest_bytes;
  for (const auto& index : plan.indexes) {
    report.indexes.push_back({index.name, index.type, index.uuid, index.kept, index.reason});
  }
  report.num_unused_sequences = plan.num_unused_sequences;
  return report;
}

arrow::Status Refuse(const MigrateReport& report) {
  std::string message =
      fmt::format("cannot migrate version {}: {} ({})", ToInteger(report.from_version),
                  report.blockers.front().what, report.blockers.front().way_out);
  if (report.blockers.size() > 1) {
    message += fmt::format("; and {} more, see --dry-run", report.blockers.size() - 1);
  }
  return MakeError(ErrorKind::kInvalidArgument, message + ": " + report.root);
}

void WaitBeforeRetry(int attempt) {
  thread_local std::minstd_rand random(std::random_device{}());
  const int slots = 1 << std::min(attempt, 6);
  std::this_thread::sleep_for(
      std::chrono::milliseconds(std::uniform_int_distribution<int>(0, slots)(random)));
}

/// One branch, from plan to checked commit.
class BranchMigration {
 public:
  BranchMigration(SnapshotPtr newest, const MigrateOptions& options)
      : newest_(std::move(newest)), options_(options), history_(newest_) {}

  /// What would happen to the version at hand. The sizes are those of the very bytes that a commit
  /// would write.
  arrow::Result<MigrateReport> Plan() {
    ARROW_ASSIGN_OR_RAISE(plan_, PlanStableIds(newest_->manifest, PlanOptions(options_)));
    report_ = MakeReport(*newest_, plan_, options_);
    if (plan_.possible()) {
      ARROW_RETURN_NOT_OK(Build());
      report_.manifest_bytes_after = commit_.manifest_file.size();
      report_.transaction_bytes = commit_.transaction.size();
      report_.num_versions_traced = history_.num_versions();
    }
    return report_;
  }

  /// Commits what Plan() made; plans anew whenever another version came first.
  arrow::Result<MigrateReport> Commit() {
    for (int attempt = 1; plan_.possible(); ++attempt) {
      ARROW_ASSIGN_OR_RAISE(const CommitAnswer answer, TryOnce());
      report_.attempts = attempt;
      if (answer.outcome == CommitOutcome::kCommitted) {
        ARROW_RETURN_NOT_OK(Check());
        report_.outcome = MigrateOutcome::kMigrated;
        return report_;
      }
      if (answer.outcome == CommitOutcome::kUnknown) {
        return MakeError(
            ErrorKind::kIo,
            fmt::format(
                "it is not known whether version {} was committed: {}; run migrate again, it "
                "does nothing if it was: {}",
                ToInteger(report_.to_version), MessageOf(answer.cause), report_.root));
      }
      if (attempt >= options_.attempts_max) {
        return MakeError(
            ErrorKind::kConflict,
            fmt::format("other writers were faster {} times, nothing was changed; try again: {}",
                        attempt, report_.root));
      }
      WaitBeforeRetry(attempt);
      ARROW_ASSIGN_OR_RAISE(newest_, LoadLatestSnapshot(newest_->store, newest_->table.root));
      ARROW_RETURN_NOT_OK(Plan().status());
      report_.attempts = attempt;
    }
    if (!plan_.blockers.empty()) return Refuse(report_);
    return report_;
  }

 private:
  arrow::Status Build() {
    StableIdsStamp stamp;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto nanos = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    stamp.timestamp_seconds = nanos / 1000000000;
    stamp.timestamp_nanos = static_cast<int32_t>(nanos % 1000000000);
    stamp.uuid = MakeUuid();
    stamp.writer = WriterVersion{"pennon", kVersion};
    if (options_.lineage == MigrateLineage::kHistory) {
      ARROW_RETURN_NOT_OK(history_.AdvanceTo(newest_));
      stamp.lineage.reserve(newest_->manifest.fragments.size());
      for (const auto& fragment : newest_->manifest.fragments) {
        stamp.lineage.push_back(EncodeStamps(history_.trace().StampsOf(fragment)));
      }
    }
    ARROW_ASSIGN_OR_RAISE(commit_, BuildStableIds(newest_->manifest, plan_, stamp));
    return arrow::Status::OK();
  }

  arrow::Result<CommitAnswer> TryOnce() {
    CommitAttempt attempt;
    attempt.root = newest_->table.root;
    attempt.naming = newest_->naming;
    attempt.version = report_.to_version;
    attempt.manifest_file = commit_.manifest_file;
    attempt.transaction_file = commit_.transaction_file;
    attempt.transaction = commit_.transaction;
    return WriteVersion(newest_->store, attempt);
  }

  arrow::Status ReadBack() const {
    ARROW_ASSIGN_OR_RAISE(const auto committed,
                          LoadSnapshot(newest_->store, newest_->table.root, report_.to_version));
    return CheckMigrated(*newest_, *committed, plan_);
  }

  /// An error says in any case that the version is there.
  arrow::Status Check() const {
    auto status = ReadBack();
    if (status.ok()) return status;
    if (KindOf(status) == ErrorKind::kIo || KindOf(status) == ErrorKind::kNotFound) {
      return MakeError(
          KindOf(status),
          fmt::format(
              "version {} was committed, but could not be read back to be checked: {}; run migrate "
              "again, it does nothing more: {}",
              ToInteger(report_.to_version), MessageOf(status), report_.root));
    }
    return MakeError(
        ErrorKind::kInternal,
        fmt::format(
            "version {} was committed but does not check out: {}; stop writing to the table and "
            "report this: {}",
            ToInteger(report_.to_version), MessageOf(status), report_.root));
  }

  SnapshotPtr newest_;
  MigrateOptions options_;
  BranchHistory history_;
  StableIdsPlan plan_;
  StableIdsCommit commit_;
  MigrateReport report_;
};

struct BranchHead {
  std::string name;
  SnapshotPtr newest;
};

/// The newest versions of the table's other branches, main among them when `snapshot` is of a
/// branch.
arrow::Result<std::vector<BranchHead>> LoadOtherBranches(const Snapshot& snapshot) {
  std::vector<BranchHead> out;
  ARROW_ASSIGN_OR_RAISE(const auto branches,
                        ListBranches(*snapshot.store, snapshot.table.main_root));
  std::vector<std::string> names;
  if (!branches.empty() || snapshot.manifest.branch.has_value()) names.push_back("main");
  for (const auto& branch : branches) names.push_back(branch.name);
  for (const auto& name : names) {
    if (name == snapshot.manifest.branch.value_or("main")) continue;
    const auto& main_root = snapshot.table.main_root;
    auto newest = LoadLatestSnapshot(snapshot.store,
                                     name == "main" ? main_root : BranchRoot(main_root, name));
    // A branch that is being deleted is none any more.
    if (!newest.ok() && KindOf(newest.status()) == ErrorKind::kNotFound) continue;
    ARROW_RETURN_NOT_OK(newest.status());
    out.push_back({name, *std::move(newest)});
  }
  return out;
}

/// The branches as they are once `reports` are carried out; no store call, which could fail behind
/// a commit.
std::vector<MigrateBranch> DescribeBranches(const std::vector<BranchHead>& heads,
                                            const std::vector<MigrateReport>& reports) {
  std::vector<MigrateBranch> out;
  for (const auto& head : heads) {
    MigrateBranch branch{head.name, head.newest->version(),
                         head.newest->manifest.has_stable_row_ids()};
    for (const auto& report : reports) {
      if (report.outcome == MigrateOutcome::kPlanned ||
          (report.branch.empty() ? "main" : report.branch) != head.name) {
        continue;
      }
      branch.version = report.to_version;
      branch.has_stable_row_ids = true;
    }
    out.push_back(std::move(branch));
  }
  return out;
}

/// Adds to the error of one branch what is done already.
arrow::Status AfterOthers(const arrow::Status& status, const std::vector<MigrateReport>& reports,
                          size_t num_done) {
  std::string done;
  for (size_t i = 0; i < num_done; ++i) {
    if (reports[i].outcome != MigrateOutcome::kMigrated) continue;
    done += fmt::format("{}{} (version {} was committed)", done.empty() ? "" : ", ",
                        reports[i].branch.empty() ? "main" : reports[i].branch,
                        ToInteger(reports[i].to_version));
  }
  if (done.empty()) return status;
  return AddContext(status, "; migrated before that: " + done);
}

}  // namespace

arrow::Result<std::vector<MigrateReport>> MigrateToStableRowIds(const Dataset& dataset,
                                                                const MigrateOptions& options) {
  SnapshotPtr newest = dataset.snapshot();
  ARROW_ASSIGN_OR_RAISE(const auto latest, FindLatestVersion(*newest->store, newest->table.root));
  if (latest.version != newest->version()) {
    ARROW_ASSIGN_OR_RAISE(newest, LoadSnapshot(newest->store, newest->table.root, latest.version));
  }
  ARROW_ASSIGN_OR_RAISE(const auto heads, LoadOtherBranches(*newest));
  std::vector<SnapshotPtr> targets = {newest};
  if (options.all_branches) {
    for (const auto& head : heads) targets.push_back(head.newest);
  }
  std::vector<BranchMigration> migrations;
  std::vector<MigrateReport> reports;
  for (const auto& target : targets) {
    ARROW_ASSIGN_OR_RAISE(auto report, migrations.emplace_back(target, options).Plan());
    reports.push_back(std::move(report));
  }
  if (!options.dry_run) {
    for (const auto& report : reports) {
      if (!report.blockers.empty()) return Refuse(report);
    }
    for (size_t i = 0; i < migrations.size(); ++i) {
      auto report = migrations[i].Commit();
      if (!report.ok()) return AfterOthers(report.status(), reports, i);
      reports[i] = *std::move(report);
    }
  }
  reports.front().branches = DescribeBranches(heads, reports);
  return reports;
}

}  // namespace pennon
