#include "txn/lineage_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

#include "pennon/base/error.h"

namespace pennon {
namespace {

/// More rows have no addresses; a manifest that says so is broken.
constexpr uint64_t kRowsPerFragmentMax = uint64_t{1} << 32;

size_t HashFiles(const Fragment& fragment) {
  size_t hash = 0;
  for (const auto& file : fragment.files)
    hash = hash * 1099511628211u + std::hash<std::string>{}(file.path);
  return hash;
}

/// Operations whose change of a fragment's files changes values of its rows. A projection only
/// drops columns.
bool ChangesValues(const Transaction* transaction) {
  if (transaction == nullptr) return true;
  const auto& operation = transaction->operation;
  return operation == "Merge" || operation == "DataReplacement" || operation == "Update" ||
         operation == "DataOverlay" || operation == "Restore" || operation == "Unknown";
}

}  // namespace

FragmentStamps LineageTrace::StampsOf(const Fragment& fragment) const {
  const auto found = states_.find(ToInteger(fragment.id));
  if (found == states_.end()) return {};
  const State& state = found->second;
  if (state.runs != nullptr) return *state.runs;
  return {VersionSequence::Uniform(fragment.physical_rows, state.created),
          VersionSequence::Uniform(fragment.physical_rows, state.last_updated)};
}

arrow::Status LineageTrace::AppendLive(const Fragment& fragment, FragmentStamps* out) const {
  const FragmentStamps stamps = StampsOf(fragment);
  std::vector<OffsetRange> live = {{0, fragment.physical_rows}};
  if (fragment.deletion_file.has_value()) {
    ARROW_ASSIGN_OR_RAISE(const auto deletions, load_deletions_(*previous_, fragment));
    live = deletions.LiveRanges({0, fragment.physical_rows});
  }
  for (const auto& range : live) {
    ARROW_ASSIGN_OR_RAISE(const auto created, stamps.created.Slice(range.begin, range.size()));
    ARROW_ASSIGN_OR_RAISE(const auto last_updated,
                          stamps.last_updated.Slice(range.begin, range.size()));
    out->created.Append(created);
    out->last_updated.Append(last_updated);
  }
  return arrow::Status::OK();
}

arrow::Status LineageTrace::CarryRewrites(const Manifest& manifest,
                                          const Transaction& transaction) {
  for (const auto& group : transaction.rewrite_groups) {
    FragmentStamps carried;
    std::vector<const Fragment*> sources;
    for (const FragmentId id : group.old_fragments) {
      const Fragment* source = previous_->FindFragment(id);
      if (source == nullptr || source->physical_rows > kRowsPerFragmentMax) break;
      sources.push_back(source);
    }
    // A group that does not add up was not a plain move of rows: its fragments count as written
    // now.
    if (sources.size() != group.old_fragments.size()) continue;
    for (const Fragment* source : sources) ARROW_RETURN_NOT_OK(AppendLive(*source, &carried));
    // Counted down, since the row counts of a broken manifest may sum up to more than 64 bits hold.
    uint64_t num_rows_left = carried.created.size();
    std::vector<const Fragment*> targets;
    std::vector<uint64_t> sizes;
    std::unordered_set<uint32_t> seen;
    for (const FragmentId id : group.new_fragments) {
      const Fragment* target = manifest.FindFragment(id);
      if (target == nullptr || states_.count(ToInteger(id)) != 0 ||
          !seen.insert(ToInteger(id)).second || target->physical_rows > num_rows_left) {
        break;
      }
      targets.push_back(target);
      sizes.push_back(target->physical_rows);
      num_rows_left -= target->physical_rows;
    }
    if (targets.size() != group.new_fragments.size() || num_rows_left != 0) continue;
    ARROW_ASSIGN_OR_RAISE(auto created, Rechunk(std::span(&carried.created, 1), sizes, false));
    ARROW_ASSIGN_OR_RAISE(auto last_updated,
                          Rechunk(std::span(&carried.last_updated, 1), sizes, false));
    for (size_t i = 0; i < targets.size(); ++i) {
      State& state = states_[ToInteger(targets[i]->id)];
      state.runs = std::make_shared<FragmentStamps>(
          FragmentStamps{std::move(created[i]), std::move(last_updated[i])});
      state.files_hash = HashFiles(*targets[i]);
    }
  }
  return arrow::Status::OK();
}

arrow::Status LineageTrace::Advance(std::shared_ptr<const Manifest> manifest,
                                    const Transaction* transaction) {
  const Version now = manifest->version;
  if (now <= version()) {
    return MakeError(
        ErrorKind::kInvalidArgument,
        fmt::format("versions must ascend: {} behind {}", ToInteger(now), ToInteger(version())));
  }
  const bool follows = previous_ != nullptr && now == NextVersion(version());
  if (follows && transaction != nullptr)
    ARROW_RETURN_NOT_OK(CarryRewrites(*manifest, *transaction));
  const bool changes_values = ChangesValues(follows ? transaction : nullptr);
  states_.reserve(states_.size() + (previous_ == nullptr ? manifest->fragments.size() : 0));
  for (const auto& fragment : manifest->fragments) {
    const size_t files_hash = HashFiles(fragment);
    const auto [entry, is_new] = states_.try_emplace(ToInteger(fragment.id));
    State& state = entry->second;
    if (is_new) {
      state.created = now;
      state.last_updated = now;
    } else if (state.files_hash != files_hash && changes_values) {
      if (state.runs == nullptr) {
        state.last_updated = now;
      } else {
        state.runs = std::make_shared<FragmentStamps>(FragmentStamps{
            state.runs->created, VersionSequence::Uniform(fragment.physical_rows, now)});
      }
    }
    state.files_hash = files_hash;
  }
  previous_ = std::move(manifest);
  return arrow::Status::OK();
}

}  // namespace pennon
