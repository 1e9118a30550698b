/// \file
/// The kinds of error that callers act on differently, carried by every arrow::Status we make.
#pragma once

#include <arrow/status.h>

#include <string>
#include <string_view>

#include "pennon/export.h"

namespace pennon {

/// What went wrong, as far as a caller would act on it differently.
enum class ErrorKind {
  kNotFound,            ///< No such path, table, version, tag or branch.
  kAlreadyExists,       ///< The name is taken.
  kInvalidArgument,     ///< The caller asked for something that cannot be.
  kCorrupt,             ///< Bytes do not follow the format; the message names file and place.
  kUnsupportedFeature,  ///< Valid as far as we know, but not ours to read or write; the message
                        ///< names the feature.
  kTooLarge,            ///< A budget of size or memory would be exceeded.
  kConflict,            ///< Another commit is in the way; a retry may help.
  kCancelled,           ///< The caller asked to stop.
  kIo,                  ///< The store failed: permission, disk, network.
  kInternal,            ///< A mistake of ours.
};

/// Returns the word for a kind as shown in `--json` output, e.g. "not_found".
PENNON_EXPORT std::string_view ErrorKindName(ErrorKind kind);

/// Makes a failed status that carries `kind`. The message is fixed text first, values last; control
/// characters in it are written as \xNN, so it is one line.
PENNON_EXPORT arrow::Status MakeError(ErrorKind kind, std::string message);

/// Returns the kind of a failed status. A status that is not ours is classified by its Arrow code.
PENNON_EXPORT ErrorKind KindOf(const arrow::Status& status);

/// Returns the message alone, without Arrow's code in front and without the detail behind.
PENNON_EXPORT std::string MessageOf(const arrow::Status& status);

/// Returns `status` with `suffix` appended to its message, kind kept; OK stays OK. Used to add the
/// file or fragment that a lower layer does not know.
PENNON_EXPORT arrow::Status AddContext(const arrow::Status& status, std::string_view suffix);

}  // namespace pennon
