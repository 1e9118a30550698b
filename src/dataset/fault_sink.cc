#include "dataset/fault_sink.h"

#include <algorithm>
#include <utility>

namespace pennon {

std::string_view VerifySeverityName(VerifySeverity severity) {
  switch (severity) {
    case VerifySeverity::kNote:
      return "note";
    case VerifySeverity::kWarning:
      return "warning";
    case VerifySeverity::kError:
      return "error";
  }
  return "error";
}

uint64_t VerifyReport::Count(VerifySeverity severity) const {
  uint64_t count = 0;
  for (const auto& tally : tallies) count += tally.severity == severity ? tally.count : 0;
  return count;
}

void FaultSink::Add(VerifySeverity severity, std::string_view code, FaultPlace place,
                    std::string message) {
  auto tally = std::find_if(tallies_.begin(), tallies_.end(), [&](const VerifyTally& item) {
    return item.code == code && item.severity == severity;
  });
  if (tally == tallies_.end())
    tally = tallies_.insert(tally, VerifyTally{severity, std::string(code), 0});
  if (++tally->count > per_code_max_) return;
  if (!place.file.empty() && message.find(place.file) == std::string::npos) {
    message += ": " + place.file;
  }
  faults_.push_back({severity, std::string(code), place.fragment, place.row_id,
                     std::move(place.file), std::move(message)});
}

void FaultSink::MoveInto(VerifyReport* report) {
  const auto worse = [](const auto& a, const auto& b) { return a.severity > b.severity; };
  std::stable_sort(faults_.begin(), faults_.end(), worse);
  std::stable_sort(tallies_.begin(), tallies_.end(), worse);
  report->faults = std::move(faults_);
  report->tallies = std::move(tallies_);
}

}  // namespace pennon
