// The trace against a model that keeps both stamps of every single row.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "txn/lineage_trace.h"

namespace pennon {
namespace {

struct Row {
  uint64_t created;
  uint64_t last_updated;
  bool deleted = false;
};

struct ModelFragment {
  std::vector<Row> rows;
  std::vector<std::string> files;
};

enum class Step {
  kAppend,
  kDelete,
  kUpdate,
  kCompact,
  kMerge,
  kProject,
  kReplaceFile,
  kUnknown,
  kForget
};

/// A table of which every row is known. Each step makes the next version.
class Model {
 public:
  std::map<uint32_t, ModelFragment> fragments;
  Transaction transaction;
  uint64_t version = 0;

  uint32_t AddFragment(std::vector<Row> rows) {
    const uint32_t id = next_id_++;
    fragments[id] = {std::move(rows), {FreshFile()}};
    return id;
  }
  std::string FreshFile() { return "file" + std::to_string(num_files_++); }

  void Begin(const std::string& operation) {
    ++version;
    transaction = {};
    transaction.operation = operation;
  }

  std::shared_ptr<const Manifest> ToManifest() const {
    auto manifest = std::make_shared<Manifest>();
    manifest->version = Version{version};
    for (const auto& [id, model] : fragments) {
      Fragment fragment;
      fragment.id = FragmentId{id};
      fragment.physical_rows = model.rows.size();
      for (const auto& path : model.files) {
        fragment.files.emplace_back();
        fragment.files.back().path = path;
      }
      if (std::any_of(model.rows.begin(), model.rows.end(),
                      [](const Row& row) { return row.deleted; })) {
        fragment.deletion_file = DeletionFile{};
      }
      manifest->fragments.push_back(std::move(fragment));
    }
    return manifest;
  }

  DeletionVector Deletions(uint32_t id) const {
    std::vector<uint32_t> offsets;
    const auto& rows = fragments.at(id).rows;
    for (uint32_t i = 0; i < rows.size(); ++i) {
      if (rows[i].deleted) offsets.push_back(i);
    }
    return DeletionVector::FromOffsets(std::move(offsets));
  }

 private:
  uint32_t next_id_ = 0;
  int num_files_ = 0;
};

std::vector<uint32_t> Ids(const Model& model) {
  std::vector<uint32_t> ids;
  for (const auto& [id, fragment] : model.fragments) ids.push_back(id);
  return ids;
}

void Append(Model* model) {
  model->Begin("Append");
  const int count = *rc::gen::inRange(1, 4);
  for (int i = 0; i < count; ++i) {
    model->AddFragment(
        std::vector<Row>(*rc::gen::inRange<size_t>(1, 9), {model->version, model->version}));
  }
}

/// Deletes some rows, and fragments in which none is left.
void Delete(Model* model) {
  model->Begin("Delete");
  for (const uint32_t id : Ids(*model)) {
    auto& rows = model->fragments[id].rows;
    for (auto& row : rows) row.deleted = row.deleted || *rc::gen::inRange(0, 4) == 0;
    if (std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.deleted; }))
      model->fragments.erase(id);
  }
}

/// An update without stable ids: rows are written anew, their old places deleted.
void Update(Model* model) {
  model->Begin("Update");
  std::vector<Row> moved;
  for (const uint32_t id : Ids(*model)) {
    for (auto& row : model->fragments[id].rows) {
      if (row.deleted || *rc::gen::inRange(0, 4) != 0) continue;
      row.deleted = true;
      moved.push_back({model->version, model->version});
    }
  }
  if (!moved.empty()) model->AddFragment(std::move(moved));
}

/// Groups of fragments, in any order, become new ones of any sizes; some fragments are left alone.
void Compact(Model* model) {
  model->Begin("Rewrite");
  std::vector<std::vector<uint32_t>> groups(*rc::gen::inRange<size_t>(1, 4));
  for (const uint32_t id : Ids(*model)) {
    const auto group = *rc::gen::inRange<size_t>(0, groups.size() + 1);
    if (group < groups.size()) groups[group].push_back(id);
  }
  for (auto& sources : groups) {
    if (*rc::gen::inRange(0, 3) == 0) std::reverse(sources.begin(), sources.end());
    RewriteGroup recorded;
    std::vector<Row> live;
    for (const uint32_t id : sources) {
      recorded.old_fragments.push_back(FragmentId{id});
      for (const Row& row : model->fragments[id].rows) {
        if (!row.deleted) live.push_back(row);
      }
      model->fragments.erase(id);
    }
    for (size_t begin = 0; begin < live.size();) {
      const size_t count = std::min(live.size() - begin, *rc::gen::inRange<size_t>(1, 20));
      const auto first = live.begin() + static_cast<ptrdiff_t>(begin);
      recorded.new_fragments.push_back(
          FragmentId{model->AddFragment({first, first + static_cast<ptrdiff_t>(count)})});
      begin += count;
    }
    if (!recorded.old_fragments.empty())
      model->transaction.rewrite_groups.push_back(std::move(recorded));
  }
}

void TouchFiles(Model* model, bool one_only) {
  for (const uint32_t id : Ids(*model)) {
    if (one_only && *rc::gen::inRange(0, 2) == 0) continue;
    ModelFragment& fragment = model->fragments[id];
    if (one_only) {
      fragment.files.back() = model->FreshFile();
    } else {
      fragment.files.push_back(model->FreshFile());
    }
    for (auto& row : fragment.rows) row.last_updated = model->version;
  }
}

void Project(Model* model) {
  model->Begin("Project");
  for (auto& [id, fragment] : model->fragments) {
    if (fragment.files.size() > 1) fragment.files.erase(fragment.files.begin());
  }
}

/// Everything that changed counts as written in this version: its transaction is not known, or it
/// follows a gap.
void ForgetSince(Model* model, const Model& before) {
  for (auto& [id, fragment] : model->fragments) {
    const auto old = before.fragments.find(id);
    for (size_t i = 0; i < fragment.rows.size(); ++i) {
      Row& row = fragment.rows[i];
      if (old == before.fragments.end()) {
        row.created = model->version;
        row.last_updated = model->version;
      } else {
        row.created = old->second.rows[i].created;
        row.last_updated =
            old->second.files != fragment.files ? model->version : old->second.rows[i].last_updated;
      }
    }
  }
}

void Apply(Step step, Model* model) {
  switch (step) {
    case Step::kAppend:
      return Append(model);
    case Step::kDelete:
      return Delete(model);
    case Step::kUpdate:
      return Update(model);
    case Step::kCompact:
    case Step::kUnknown:
    case Step::kForget:
      return Compact(model);
    case Step::kMerge:
      model->Begin("Merge");
      return TouchFiles(model, false);
    case Step::kProject:
      return Project(model);
    case Step::kReplaceFile:
      model->Begin("DataReplacement");
      return TouchFiles(model, true);
  }
}

void ExpectStamps(const LineageTrace& trace, const Manifest& manifest, const Model& model) {
  for (const auto& fragment : manifest.fragments) {
    const auto stamps = trace.StampsOf(fragment);
    const auto& rows = model.fragments.at(ToInteger(fragment.id)).rows;
    std::vector<uint64_t> created(rows.size());
    std::vector<uint64_t> updated(rows.size());
    RC_ASSERT(stamps.created.size() == rows.size());
    RC_ASSERT(stamps.last_updated.size() == rows.size());
    RC_ASSERT(stamps.created.Read(0, created).ok());
    RC_ASSERT(stamps.last_updated.Read(0, updated).ok());
    for (size_t i = 0; i < rows.size(); ++i) {
      RC_ASSERT(created[i] == rows[i].created);
      RC_ASSERT(updated[i] == rows[i].last_updated);
    }
  }
}

RC_GTEST_PROP(LineageTraceProperty, KnowsBothStampsOfEveryRow, ()) {
  std::map<uint64_t, Model> history;
  LineageTrace trace([&history](const Manifest& manifest,
                                const Fragment& fragment) -> arrow::Result<DeletionVector> {
    return history.at(ToInteger(manifest.version)).Deletions(ToInteger(fragment.id));
  });
  Model model;
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 12));
  Append(&model);
  for (size_t i = 0; i <= steps.size(); ++i) {
    const auto manifest = model.ToManifest();
    history[model.version] = model;
    const bool is_unknown = i > 0 && steps[i - 1] == static_cast<int>(Step::kUnknown);
    RC_ASSERT(trace.Advance(manifest, is_unknown ? nullptr : &model.transaction).ok());
    ExpectStamps(trace, *manifest, model);
    if (i == steps.size()) break;
    // Appends come more often than the rest.
    const Step step =
        steps[i] > static_cast<int>(Step::kForget) ? Step::kAppend : static_cast<Step>(steps[i]);
    const Model before = model;
    Apply(step, &model);
    if (step == Step::kForget) {
      // Two versions whose manifests were cleaned up.
      Append(&model);
      Delete(&model);
    }
    if (step == Step::kUnknown || step == Step::kForget) ForgetSince(&model, before);
  }
}

}  // namespace
}  // namespace pennon
