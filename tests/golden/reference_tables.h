/// \file
/// The reference engine's tables and what it answers about them: those kept here, and all of them
/// where the folder `shared/reference` lies beside the sources.
#pragma once

#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>
#include <arrow/table.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace pennon {

/// One table with its expectations.
struct ReferenceTable {
  std::string name;
  std::string dataset;
  std::filesystem::path expected_folder;
  nlohmann::json expected;
};

/// How a test names its table.
inline void PrintTo(const ReferenceTable& table, std::ostream* out) { *out << table.name; }

/// Returns all tables, by name, each once.
inline std::vector<ReferenceTable> ReferenceTables() {
  namespace fs = std::filesystem;
  std::map<std::string, ReferenceTable> tables;
  const fs::path here(PENNON_SOURCE_DIR);
  for (const fs::path& root :
       {here / "tests/golden/14.0.2", here.parent_path() / "shared/reference"}) {
    if (!fs::exists(root / "expected")) continue;
    for (const auto& entry : fs::directory_iterator(root / "expected")) {
      if (entry.path().extension() != ".json") continue;
      ReferenceTable table;
      table.name = entry.path().stem().string();
      table.expected_folder = root / "expected";
      std::ifstream file(entry.path());
      table.expected = nlohmann::json::parse(file);
      if (!table.expected.contains("versions") || !table.expected.contains("dataset")) continue;
      table.dataset =
          (root / "datasets" / table.expected.at("dataset").get<std::string>()).string();
      if (fs::exists(table.dataset)) tables.emplace(table.name, std::move(table));
    }
  }
  std::vector<ReferenceTable> out;
  for (auto& [name, table] : tables) out.push_back(std::move(table));
  return out;
}

/// Reads a file of expected rows; null if it is not kept here.
inline std::shared_ptr<arrow::Table> ReadExpectedRows(const ReferenceTable& table,
                                                      const std::string& name) {
  const auto path = table.expected_folder / name;
  if (!std::filesystem::exists(path)) return nullptr;
  auto file = arrow::io::ReadableFile::Open(path.string()).ValueOrDie();
  return arrow::ipc::RecordBatchFileReader::Open(file).ValueOrDie()->ToTable().ValueOrDie();
}

}  // namespace pennon
