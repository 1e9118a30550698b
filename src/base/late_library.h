/// \file
/// Functions of shared libraries that few runs need: the library is loaded when the first of them
/// is asked for, because loading a large one takes milliseconds.
#pragma once

#include <arrow/result.h>

#include <string_view>

namespace pennon {

/// Returns the function that `library`, a file beside Arrow's main library, exports under the
/// symbol, a mangled name. The library stays loaded. Cost: some milliseconds at the first call for
/// a library. Errors: kUnsupportedFeature when it cannot be loaded or exports no such function.
/// Safe for concurrent use.
arrow::Result<void*> FindLateFunction(std::string_view library, std::string_view symbol);

/// The same as a pointer to a function of the given type, which nothing checks.
template <typename Function>
arrow::Result<Function*> FindLateFunctionOf(std::string_view library, std::string_view symbol) {
  ARROW_ASSIGN_OR_RAISE(void* const found, FindLateFunction(library, symbol));
  return reinterpret_cast<Function*>(found);
}

}  // namespace pennon
