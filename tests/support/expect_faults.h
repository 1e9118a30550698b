/// \file
/// Runs verify on a table that a test has broken and compares what it names.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pennon/dataset/verify.h"

namespace pennon {

struct ExpectedFault {
  VerifySeverity severity = VerifySeverity::kError;
  std::string code;
  std::string message;
  std::optional<uint32_t> fragment{};
  std::optional<uint64_t> row_id{};
  std::string file{};
};

inline VerifyReport VerifyNow(const std::filesystem::path& table, VerifyOptions options = {},
                              const std::string& version = "") {
  OpenOptions open;
  open.version = version;
  auto report = VerifyTable(table.string(), open, options);
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() ? *report : VerifyReport();
}

inline std::string Show(const VerifyReport& report) {
  std::string out;
  for (const auto& fault : report.faults) {
    out += std::string(VerifySeverityName(fault.severity)) + " " + fault.code + ": " +
           fault.message + " [" + fault.file + "]\n";
  }
  return out.empty() ? "no faults" : out;
}

/// The report holds these faults, in this order, and no others.
inline void ExpectFaults(const VerifyReport& report, const std::vector<ExpectedFault>& expected) {
  ASSERT_EQ(report.faults.size(), expected.size()) << Show(report);
  for (size_t i = 0; i < expected.size(); ++i) {
    const VerifyFault& fault = report.faults[i];
    EXPECT_EQ(fault.severity, expected[i].severity) << Show(report);
    EXPECT_EQ(fault.code, expected[i].code);
    const std::string suffix = ": " + fault.file;  // the place, which tests name on its own
    const bool has_suffix = !fault.file.empty() && fault.message.ends_with(suffix);
    EXPECT_EQ(fault.message.substr(0, fault.message.size() - (has_suffix ? suffix.size() : 0)),
              expected[i].message);
    EXPECT_EQ(fault.fragment, expected[i].fragment
                                  ? std::optional(FragmentId{*expected[i].fragment})
                                  : std::nullopt)
        << fault.message;
    EXPECT_EQ(fault.row_id,
              expected[i].row_id ? std::optional(RowId{*expected[i].row_id}) : std::nullopt)
        << fault.message;
    if (!expected[i].file.empty()) {
      EXPECT_EQ(fault.file, expected[i].file);
    }
  }
}

}  // namespace pennon
