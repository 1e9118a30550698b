/// \file
/// A file that is being written and that an interrupt must not leave behind.
#pragma once

#include <string>

namespace pennon::cli {

/// From now on SIGINT, SIGTERM and SIGHUP remove the file before they end the process as ever
/// (those that are ignored stay ignored). One file at a time: a second one takes the place of the
/// first.
void RemoveIfInterrupted(const std::string& path);

/// The file is finished or gone: nothing is removed any more.
void NothingToRemove();

}  // namespace pennon::cli
