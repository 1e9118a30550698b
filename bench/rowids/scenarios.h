/// \file
/// The tables, sequences and lineages that the row id benchmark asks about.
#pragma once

#include <string>
#include <vector>

namespace pennon::bench {

/// Names of the scenarios of one kind: index, sequence or lineage.
std::vector<std::string> ScenarioNames(const std::string& kind);

/// Writes a scenario to a file for both engines; always the same one for a name. Returns false for
/// an unknown name.
bool WriteScenario(const std::string& name, const std::string& path);

}  // namespace pennon::bench
