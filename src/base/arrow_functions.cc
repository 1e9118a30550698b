#include "base/arrow_functions.h"

#include "base/late_library.h"

namespace pennon {
namespace {

arrow::Status Load() {
  // arrow::compute::Initialize()
  ARROW_ASSIGN_OR_RAISE(auto* const initialize,
                        FindLateFunctionOf<arrow::Status()>(PENNON_ARROW_COMPUTE_FILE,
                                                            "_ZN5arrow7compute10InitializeEv"));
  return initialize();
}

}  // namespace

arrow::Status LoadArrowFunctions() {
  static const arrow::Status kLoaded = Load();
  return kLoaded;
}

}  // namespace pennon
