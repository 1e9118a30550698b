/// \file
/// What a version says about how it came to be, and the transaction that a migration records.
/// Spec: format/commit.md, headings 2 (message) and 5.7 (the migration's operation).
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pennon/base/ids.h"

namespace pennon {

/// Fragments that a rewrite replaced, and those that took their rows over, both in row order.
struct RewriteGroup {
  std::vector<FragmentId> old_fragments;
  std::vector<FragmentId> new_fragments;
};

/// A decoded transaction, as far as history and conflict reports need it.
struct Transaction {
  Version read_version{};
  std::string uuid;
  std::string operation;  ///< "Append", "Rewrite" and so on; "Unknown" for a number we do not know.
  std::map<std::string, std::string> properties;
  /// One line on what the operation says of itself, e.g. "where k < 3" of a delete; may be empty.
  std::string detail;
  std::vector<RewriteGroup> rewrite_groups;  ///< Of a Rewrite only.
};

/// Reads a transaction message. Errors: kCorrupt; kUnsupportedFeature as DecodeFragment.
arrow::Result<Transaction> DecodeTransaction(std::string_view bytes);

/// Returns the bytes of a Rewrite whose one group maps each of `fragments` onto itself; with no
/// fragments the group is left out. Carries ids only, so it stays small and always fits into the
/// manifest file.
std::string EncodeSelfRewrite(Version read_version, std::string_view uuid,
                              const std::vector<FragmentId>& fragments,
                              const std::map<std::string, std::string>& properties);

/// Returns the name of a transaction file, e.g. "4-550e8400-e29b-41d4-a716-446655440000.txn".
std::string TransactionFileName(Version read_version, std::string_view uuid);

}  // namespace pennon
