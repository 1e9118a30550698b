#include "unfinished_file.h"

#include <unistd.h>

#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>

namespace pennon::cli {
namespace {

// What a signal handler may look at.
char unfinished[PATH_MAX];
std::atomic<bool> is_unfinished{false};

// Two signals may come at once, and remove the file twice.
extern "C" void RemoveAndEnd(int signal) {
  if (is_unfinished) unlink(unfinished);
  struct sigaction ends {};
  ends.sa_handler = SIG_DFL;
  sigaction(signal, &ends, nullptr);
  raise(signal);  // held until this returns
}

void Install() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = RemoveAndEnd;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace

void RemoveIfInterrupted(const std::string& path) {
  is_unfinished = false;
  if (path.size() >= sizeof(unfinished)) return;
  std::memcpy(unfinished, path.c_str(), path.size() + 1);
  is_unfinished = true;
  Install();
}

void NothingToRemove() { is_unfinished = false; }

}  // namespace pennon::cli
