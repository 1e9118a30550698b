#include "command.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace pennon::cli {
namespace {

/// Kills the process at one of its store calls: an even number 2k before call k, an odd one 2k+1
/// behind it.
class KillingObserver : public StoreObserver {
 public:
  explicit KillingObserver(uint64_t kill_at) : kill_at_(kill_at) {}
  arrow::Status Before(const StoreEvent&) override {
    if (2 * num_calls_.load() == kill_at_) ::kill(::getpid(), SIGKILL);
    return arrow::Status::OK();
  }
  arrow::Status After(const StoreEvent&) override {
    if (2 * num_calls_.fetch_add(1) + 1 == kill_at_) ::kill(::getpid(), SIGKILL);
    return arrow::Status::OK();
  }

 private:
  const uint64_t kill_at_;
  std::atomic<uint64_t> num_calls_{1};
};

}  // namespace

std::shared_ptr<TableArguments> AddTableArguments(CLI::App& command, bool has_version) {
  auto arguments = std::make_shared<TableArguments>();
  command.add_option("PATH", arguments->path, "Folder of the table, or a file:// URI")->required();
  if (has_version) {
    command.add_option("--version", arguments->version,
                       "Version number or tag to look at (default: the newest version)");
  }
  command.add_option("--branch", arguments->branch,
                     "Branch to look at (default: what PATH names, normally main)");
  command.add_flag("--json", arguments->json, "Print JSON for programs");
  command.add_option("--test-kill-at-store-call", arguments->kill_at_call)->group("");
  return arguments;
}

OpenOptions MakeOpenOptions(const TableArguments& arguments) {
  OpenOptions options;
  options.version = arguments.version;
  options.branch = arguments.branch;
  const char* sync = std::getenv("PENNON_FSYNC");
  options.sync = sync == nullptr || std::strcmp(sync, "0") != 0;
  if (arguments.kill_at_call != 0)
    options.observer = std::make_shared<KillingObserver>(arguments.kill_at_call);
  return options;
}

arrow::Result<std::shared_ptr<const Dataset>> OpenTable(const TableArguments& arguments) {
  return Dataset::Open(arguments.path, MakeOpenOptions(arguments));
}

void PrintJson(const Json& json) {
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace pennon::cli
