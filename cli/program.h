/// \file
/// The program: parses the command line, runs one subcommand, turns its outcome into one line and
/// an exit code.
#pragma once

namespace pennon::cli {

/// Returns the exit code. Everything that was to be printed has been.
int Main(int argc, char** argv);

}  // namespace pennon::cli
