// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Writes the manual page parity(1) from the parser's declarations.
#include <algorithm>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/words/completion.hpp"
#include "core/environment.hpp"

namespace parity::cli {
namespace {

/// Returns `text` escaped so that troff reads no request or macro in it.
std::string roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c == '\'' ? "\\(aq" : std::string(1, c);
    }
  }
  return result.starts_with('.') ? "\\&" + result : result;
}

/// Returns the lines of `text` unfilled, in a fixed-width font.
std::string literal(const std::string& text) {
  std::string result = ".nf\n";
  size_t first = 0;
  for (size_t end = 0; first < text.size(); first = end + 1) {
    end = std::min(text.find('\n', first), text.size());
    result += "\\&" + roff(text.substr(first, end - first)) + "\n";
  }
  return result + ".fi\n";
}

/// Returns the date of the page: SOURCE_DATE_EPOCH if it is set, so that builds are repeatable, else today.
std::string date() {
  const char* fixed = std::getenv("SOURCE_DATE_EPOCH");
  return fixed == nullptr ? capture_environment().when.substr(0, 10)
                          : fmt::format("{:%Y-%m-%d}", fmt::gmtime(static_cast<std::time_t>(std::atoll(fixed))));
}

std::string option_text(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  std::string head = option.get_positional() ? option.get_single_name() : fmt::format("{}", fmt::join(names, ", "));
  const std::string usual = option.get_default_str();
  std::string text = ".TP\n\\fB" + roff(head) + "\\fR";
  if (!option.get_positional() && option.get_items_expected_max() > 0) text += " \\fIvalue\\fR";
  return text + "\n" + roff(option.get_description()) +
         (usual.empty() ? "" : roff(usual.front() == '[' ? " " + usual : " [" + usual + "]")) + "\n";
}

/// Returns the usage line of a command: "parity run [OPTIONS] [goldens...]".
std::string synopsis(const std::string& name, const CLI::App& command) {
  std::string text = name;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const std::string word = option->get_single_name() + (option->get_items_expected_max() > 1 ? "..." : "");
    text += option->get_required() ? " " + word : " [" + word + "]";
  }
  return text + " [options]";
}

std::string command_text(const std::string& name, const CLI::App& command) {
  std::string text = fmt::format(".SS {}\n{}\n", roff(synopsis(name, command)), roff(command.get_description()));
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_group().empty() && option->get_name() != "--help") text += option_text(*option);
  }
  if (!command.get_footer().empty()) text += ".PP\n" + literal(command.get_footer());
  for (const CLI::App* part : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (!part->get_group().empty()) text += command_text(name + " " + part->get_name(), *part);
  }
  return text;
}

}  // namespace

std::string manual_page(const CLI::App& app) {
  const std::string name = app.get_name();
  const std::string about = app.get_description();
  std::string text =
      fmt::format(".TH PARITY 1 \"{}\" \"parity {}\" \"User Commands\"\n", date(), capture_environment().version);
  text += fmt::format(".SH NAME\n{} \\- {}\n", name, roff(about.substr(about.find(' ') + 1)));
  text += fmt::format(".SH SYNOPSIS\n\\fB{}\\fR \\fIcommand\\fR [\\fIoptions\\fR]\n", name);
  text += ".SH COMMANDS\n";
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) text += command_text(name + " " + command->get_name(), *command);
  }
  text += ".SH EXIT STATUS\n" + literal(app.get_footer().substr(app.get_footer().find("Exit")));
  text += ".SH FILES\n";
  text += "Recordings are in share/parity/golden of the installation, documents in share/doc/parity.\n";
  return text;
}

}  // namespace parity::cli
