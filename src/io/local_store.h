/// \file
/// The local file system as a Store.
/// Spec: format/commit.md, heading 1, "Put-if-absent per store", row "local file system".
#pragma once

#include <memory>

#include "io/store.h"

namespace pennon {

struct LocalStoreOptions {
  /// fsync files and their folders before a put counts as done. Off only for tests and
  /// measurements: without it a power cut may lose or tear the newest version.
  bool sync = true;
};

/// Returns a store over the whole local file system; paths start with '/'.
/// PutIfAbsent writes `<path>#<n>` with O_EXCL, syncs it, links it to the final name and removes
/// it, so it works beside other writers of the format that do the same.
std::shared_ptr<Store> MakeLocalStore(LocalStoreOptions options = {});

/// A staging file left behind by a writer that died ends in '#' and digits; returns true for such a
/// name.
bool IsStagingName(std::string_view name);

}  // namespace pennon
