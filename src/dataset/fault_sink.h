/// \file
/// Collects the faults of one verification, bounded, and puts them in order at the end.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pennon/dataset/verify.h"

namespace pennon {

/// Where a fault lies; what does not apply stays empty.
struct FaultPlace {
  std::optional<FragmentId> fragment{};
  std::optional<RowId> row_id{};
  std::string file{};
};

class FaultSink {
 public:
  /// Keeps at most `per_code_max` faults of each code.
  explicit FaultSink(size_t per_code_max) : per_code_max_(per_code_max) {}

  void Error(std::string_view code, FaultPlace place, std::string message) {
    Add(VerifySeverity::kError, code, std::move(place), std::move(message));
  }
  void Warning(std::string_view code, FaultPlace place, std::string message) {
    Add(VerifySeverity::kWarning, code, std::move(place), std::move(message));
  }
  void Note(std::string_view code, FaultPlace place, std::string message) {
    Add(VerifySeverity::kNote, code, std::move(place), std::move(message));
  }
  /// Appends the file to the message unless it is in there.
  void Add(VerifySeverity severity, std::string_view code, FaultPlace place, std::string message);

  /// Moves faults and tallies into the report, worst first.
  void MoveInto(VerifyReport* report);

 private:
  size_t per_code_max_;
  std::vector<VerifyFault> faults_;
  std::vector<VerifyTally> tallies_;
};

}  // namespace pennon
