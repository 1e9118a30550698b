/// \file
/// Row lineage: the table version in which each row of a fragment was created or last updated,
/// run-length coded. Spec: format/row-ids.md, heading 4.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pennon/base/ids.h"

namespace pennon {

struct VersionRun {
  uint64_t num_rows = 0;
  Version version{};

  bool operator==(const VersionRun&) const = default;
};

/// A value; holds 16 bytes a run. Runs need not differ from their neighbours and may be empty when
/// they come from disk; what is built here has neither.
class VersionSequence {
 public:
  VersionSequence() = default;
  static VersionSequence Uniform(uint64_t num_rows, Version version);
  static VersionSequence FromVersions(std::span<const uint64_t> versions);
  /// See DecodeVersionSequence.
  static arrow::Result<VersionSequence> Decode(std::string_view bytes);

  uint64_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  size_t num_runs() const { return ends_.size(); }
  VersionRun run(size_t i) const {
    return {ends_[i] - (i == 0 ? 0 : ends_[i - 1]), Version{versions_[i]}};
  }
  uint64_t memory_bytes() const {
    return (ends_.capacity() + versions_.capacity()) * sizeof(uint64_t);
  }

  /// Version of the row at `offset`, which is below size(). Cost: logarithmic in the runs.
  Version VersionAt(RowOffset offset) const;
  /// Writes the versions of rows [begin, begin + out.size()). Errors: kInvalidArgument beyond the
  /// end.
  arrow::Status Read(uint64_t begin, std::span<uint64_t> out) const;

  /// Adds rows at the end; a run of the version that is there already grows. The total must stay
  /// below 2^64.
  void Append(uint64_t num_rows, Version version);
  void Append(const VersionSequence& other);

  /// The rows [begin, begin + count). Errors: kInvalidArgument beyond the end.
  arrow::Result<VersionSequence> Slice(uint64_t begin, uint64_t count) const;
  /// The rows but for those at `offsets`, which ascend strictly. Errors: kInvalidArgument when they
  /// do not, or lie beyond the end.
  arrow::Result<VersionSequence> Mask(std::span<const uint32_t> offsets) const;

  /// The bytes for the manifest: spans are consecutive ranges from 0. Cost: the number of runs.
  std::string Encode() const;

 private:
  void AppendRun(uint64_t num_rows, uint64_t version);
  size_t RunAt(uint64_t offset) const;

  std::vector<uint64_t> ends_;  // rows up to and with each run
  std::vector<uint64_t> versions_;
};

/// Reads a sequence. Of a span only the number of its elements matters: rows are dealt to runs in
/// order. Borrows nothing. Cost: one pass over the bytes. Errors: kCorrupt with the offset (as
/// DecodeRowIdSequence; a run without a span; more rows than 64 bits can count).
arrow::Result<VersionSequence> DecodeVersionSequence(std::string_view bytes);

/// Cuts the rows of `sequences`, one after the other, into one sequence for each of `sizes`; with
/// `allow_incomplete` the rows may end before the sizes do. Errors: kInvalidArgument if the total
/// does not fit.
arrow::Result<std::vector<VersionSequence>> Rechunk(std::span<const VersionSequence> sequences,
                                                    std::span<const uint64_t> sizes,
                                                    bool allow_incomplete);

/// The encoded lineage of `num_rows` rows that share one version; nothing for no rows. At most 38
/// bytes.
std::string UniformVersions(uint64_t num_rows, Version version);

}  // namespace pennon
