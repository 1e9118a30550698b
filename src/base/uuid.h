/// \file
/// Random identifiers.
#pragma once

#include <string>

namespace pennon {

/// Returns a random UUID (version 4) with dashes, from the system's randomness.
std::string MakeUuid();

}  // namespace pennon
