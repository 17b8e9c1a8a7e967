// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The program: parses the arguments, runs the command, and turns errors into exit codes.
#include <filesystem>
#include <new>
#include <sstream>

#include <fmt/core.h>

#include "cli/gate/shards.hpp"
#include "cli/reports/document.hpp"
#include "cli/terminal/given_files.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/standard_streams.hpp"
#include "cli/words/arguments.hpp"
#include "core/error.hpp"
#include "core/shell.hpp"
#include "core/text.hpp"
#include "golden/files/leftovers.hpp"
#include "ranks/communicator.hpp"

namespace parity::cli {
namespace {

constexpr const char* kExitCodes =
    "Exit codes: 0 parity holds; 1 broken, mistrusted, unimplemented or different; 2 usage;\n"
    "3 golden missing or damaged; 4 device or library absent; 5 nothing was judged; 70 internal.";

int exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
      return usage;
    case ErrorCode::unsupported:
      return broken;
    case ErrorCode::device:
      return device_absent;
    case ErrorCode::internal:
      return internal_error;
    case ErrorCode::not_found:
    case ErrorCode::schema:
    case ErrorCode::checksum:
    case ErrorCode::io:
      return golden_damaged;
  }
  return internal_error;
}

/// What is wrong with the words, with the nearest name of an unknown one, and whose --help to see.
std::string complaint(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const CLI::App* scope = &app;
  int first = 1;  // first word after the recognised commands
  std::string words = "parity";
  for (; !scope->get_subcommands().empty(); ++first) {
    scope = scope->get_subcommands().front();
    words += " " + scope->get_name();
  }
  const std::string see = fmt::format("; see {} --help", words);
  std::vector<std::string> names;
  for (const CLI::Option* option : scope->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const auto commands = scope->get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  for (int i = first; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    if (scope->get_require_subcommand_min() > 0 && !word.starts_with("-"))
      return fmt::format("'{}' is not a command of {}{}", word, words, did_you_mean(word, names)) + see;
    const bool meant = word.starts_with("--") || !commands.empty();
    if (meant && std::find(names.begin(), names.end(), word) == names.end())
      return error.what() + did_you_mean(word, names) + see;
    const auto of_letter = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
      return word.size() == 2 && word[0] == '-' && word[1] != '-' && name.starts_with("-" + word);
    });
    const bool unknown = std::string(error.what()).find(": " + word) != std::string::npos;
    if (unknown && of_letter != names.end())
      return fmt::format("{} (did you mean '{}'?)", error.what(), *of_letter) + see;
  }
  return error.what() + see;
}

int guarded(const Action& action) {
  try {
    return action();
  } catch (const ranks::RankFailed& failure) {
    complain(failure.what());
    return broken;
  } catch (const Error& error) {
    const bool ours = error.code() == ErrorCode::internal;
    complain(error.what() + (ours ? fmt::format(" (at {}:{}; this is a defect of parity, please report it)",
                                                error.location().file_name(), error.location().line())
                                  : std::string()));
    return exit_code_of(error.code());
  } catch (const std::filesystem::filesystem_error& error) {  // for example a loop of links, or a name that is too long
    complain(fmt::format("{}: {}; name another file or folder", error.path1().string(), error.code().message()));
    return golden_damaged;
  } catch (const std::bad_alloc&) {
    complain("out of memory; judge fewer goldens at once, or use a machine with more memory");
    return internal_error;
  } catch (const std::exception& error) {
    complain(fmt::format("{} (this is a defect of parity, please report it)", error.what()));
    return internal_error;
  }
}

/// Prints the help through our stdout, which detects a full disk; CLI11 would write past it.
int helped(const CLI::App& app, const CLI::ParseError& help) {
  std::ostringstream text;
  const int code = app.exit(help, text, text);
  fmt::print("{}", text.str());
  return code;
}

int program(int argc, char** argv) {
  CLI::App app{
      "parity: checks whether a MiniMax kernel, layer or model is right, and if not, where and why it is wrong",
      "parity"};
  app.require_subcommand(1);
  AllOptions o;
  Action action;
  o.run.command_line = shell_line({argv, argv + argc});
  o.walk.command_line = o.run.command_line;
  o.run.whole_command = o.battery.whole_command = whole_command({argv, argv + argc});
  remember_command(o.run.command_line);
  add_commands(app, o, action);
  app.footer(std::string("Examples:\n  parity run golden/data/*/\n  parity diff a.h5 b.h5\n  parity golden verify "
                         "golden/data/m3-text-bf16\n") +
             kExitCodes);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return helped(app, error);
    complain(complaint(app, error, argc, argv));
    return usage;
  }
  return guarded([&] {
    check_given_files(app);
    remember_renderings(o.renderings);
    return action();
  });
}

}  // namespace
}  // namespace parity::cli

int main(int argc, char** argv) {
  parity::cli::guard_standard_streams();
  parity::golden::clean_up_when_interrupted();
  return parity::cli::flushed(parity::cli::program(argc, argv));
}
