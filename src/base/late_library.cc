#include "base/late_library.h"

#include <arrow/config.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

#include "pennon/base/error.h"

namespace pennon {
namespace {

/// Where Arrow's main library lies: its other libraries come with it.
std::string FolderOfArrow() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&arrow::GetBuildInfo), &info) == 0 ||
      info.dli_fname == nullptr)
    return "";
  const std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/') + 1);
}

std::string LastError() {
  const char* const message = dlerror();
  return message == nullptr ? "no reason is given" : message;
}

}  // namespace

arrow::Result<void*> FindLateFunction(std::string_view library, std::string_view symbol) {
  // By its whole path: a name alone is also looked for where a run path has an empty part, in the
  // folder of the day.
  const std::string path = FolderOfArrow() + std::string(library);
  void* const handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) {
    return MakeError(ErrorKind::kUnsupportedFeature,
                     fmt::format("a library of Arrow cannot be loaded: {}; install it beside the "
                                 "others of the same version",
                                 LastError()));
  }
  void* const found = dlsym(handle, std::string(symbol).c_str());
  if (found == nullptr) {
    return MakeError(ErrorKind::kUnsupportedFeature,
                     fmt::format("a library of Arrow is of another version than Pennon was built "
                                 "for: {}: {}",
                                 path, LastError()));
  }
  return found;
}

}  // namespace pennon
