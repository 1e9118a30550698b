#include "program.h"

#include <arrow/util/utf8.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstring>
#include <exception>

#include "command.h"
#include "pennon/base/error.h"
#include "pennon/version.h"

namespace {

using namespace pennon::cli;

/// Errors are one line of UTF-8 that does not steer a terminal, whatever a path or a damaged file
/// holds.
std::string OneLine(std::string text) {
  arrow::util::InitializeUTF8();
  const bool is_utf8 = arrow::util::ValidateUTF8(text);
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) c = ' ';
    if (byte >= 0x80 && !is_utf8) c = '?';
  }
  return text;
}

void ReportError(std::string_view kind, const std::string& message, bool json) {
  if (json) {  // One line: it may follow JSON lines.
    const Json error = {{"error", {{"kind", kind}, {"message", message}}}};
    fmt::print("{}\n", error.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  std::fflush(stdout);
  fmt::print(stderr, "pennon: error: {}\n", OneLine(message));
}

int ExitCodeOf(const arrow::Status& status) {
  return pennon::KindOf(status) == pennon::ErrorKind::kConflict ? kExitConflict : kExitFailed;
}

bool WantsJson(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0) return true;
  }
  return false;
}

void AddCommands(CLI::App& app, Action* action) {
  AddInfo(app, action);
  AddVersions(app, action);
  AddTransactions(app, action);
  AddFragments(app, action);
  AddRowIds(app, action);
  AddLocate(app, action);
  AddHead(app, action);
  AddScan(app, action);
  AddCount(app, action);
  AddTake(app, action);
  AddMigrate(app, action);
  AddVerify(app, action);
}

/// CLI11 only says that a command is missing when the first word is none.
std::string NameUnknownCommand(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return "";
  std::string known;
  for (const auto* command : app.get_subcommands({})) {
    if (command->get_name() == argv[1]) return "";
    known += (known.empty() ? "" : ", ") + command->get_name();
  }
  return fmt::format("no such command: {}; commands are {}", argv[1], known);
}

int RunProgram(int argc, char** argv) {
  CLI::App app(
      "Lance tables whose rows keep their identity: look at them, check them, give them stable row "
      "ids.");
  app.name("pennon");
  app.set_version_flag("--version", std::string("pennon ") + pennon::kVersion);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 conflict that a retry may cure, 4 verify "
      "found something "
      "broken.\n'pennon COMMAND --help' says what a command takes.");
  Action action;
  AddCommands(app, &action);
  const std::string unknown = NameUnknownCommand(app, argc, argv);
  if (!unknown.empty()) {
    ReportError("usage", unknown, WantsJson(argc, argv));
    return kExitUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    const auto* command = app.get_subcommands().empty() ? nullptr : app.get_subcommands().front();
    ReportError("usage",
                fmt::format("{} (see 'pennon {}--help')", error.what(),
                            command ? command->get_name() + " " : ""),
                WantsJson(argc, argv));
    return kExitUsage;
  }
  const auto result = action();
  if (!result.ok()) {
    ReportError(pennon::ErrorKindName(pennon::KindOf(result.status())),
                pennon::MessageOf(result.status()), WantsJson(argc, argv));
    return ExitCodeOf(result.status());
  }
  if (std::fflush(stdout) != 0) return kExitFailed;
  return *result;
}

}  // namespace

namespace pennon::cli {

int Main(int argc, char** argv) {
  int exit_code = kExitFailed;
  // Libraries below may throw when memory runs out; that is one line too.
  try {
    exit_code = RunProgram(argc, argv);
  } catch (const std::exception& error) {
    std::fputs("pennon: error: ", stderr);
    std::fputs(error.what(), stderr);
    std::fputs("\n", stderr);
  }
  if (std::fflush(stdout) != 0 && exit_code == kExitDone) exit_code = kExitFailed;
  return exit_code;
}

}  // namespace pennon::cli
