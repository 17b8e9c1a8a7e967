// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/terminal/given_files.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "reports/files/files.hpp"

namespace parity::cli {
namespace {

namespace fs = std::filesystem;

struct Given {
  std::string name, value;  // "--json", "report.json"
};

constexpr std::array<std::string_view, 8> kTexts{"--json",  "--html", "--junit",          "--markdown",
                                                 "--sarif", "--svg",  "--write-manifest", "--out"};

bool is_text(const Given& given) { return std::find(kTexts.begin(), kTexts.end(), given.name) != kTexts.end(); }
bool is_written(const Given& given) {
  return is_text(given) || given.name == "--save" || given.name == "--state" || given.name == "out";
}

void collect(const CLI::App& app, std::vector<Given>& all) {
  for (const CLI::Option* option : app.get_options()) {
    const bool flag = option->get_items_expected_max() == 0;
    for (const std::string& value : option->results()) {
      const bool positional = option->get_positional();
      PARITY_CHECK(flag || positional || !value.empty(), usage, "{} has an empty value; give one, or remove the option",
                   option->get_name());
      if (!flag) all.push_back({option->get_name(), value});
    }
  }
  for (const CLI::App* command : app.get_subcommands()) collect(*command, all);
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;
  const fs::path first = fs::weakly_canonical(fs::absolute(a, error), error);  // "x" and "./x", which do not exist yet
  if (error) return false;
  const fs::path second = fs::weakly_canonical(fs::absolute(b, error), error);
  return !error && first == second;
}

/// Returns the file that a value names: mine.h5 of "capture:mine.h5", the golden of "golden#tap".
fs::path file_of(const std::string& value) {
  constexpr std::string_view kCapture = "capture:";
  if (value.starts_with(kCapture)) return value.substr(kCapture.size());
  std::error_code error;
  return fs::exists(value, error) ? value : value.substr(0, value.rfind('#'));
}

/// Whether `target` is `path` or a file of the golden at `path`.
bool is_part(const fs::path& target, const fs::path& path) {
  return same_file(target, path) || same_file(target, path / "activations.h5") ||
         (target.has_parent_path() && same_file(target.parent_path(), path / "checkpoint"));
}

bool is_recording(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  std::array<char, 4> start{};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  return std::string_view(start.data(), start.size()) == "\x89HDF";
}

/// Whether `path` is a device, to which two results may be written.
bool is_device(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) && !fs::is_regular_file(path, error);
}

void check(const Given& target, const std::vector<Given>& all) {
  for (const Given& other : all) {
    if (&other == &target) continue;
    PARITY_CHECK(!is_written(other) || is_device(target.value) || !same_file(target.value, other.value), usage,
                 "{} and {} name the same file, {}; name two files", target.name, other.name, target.value);
    PARITY_CHECK(is_written(other) || !is_part(target.value, file_of(other.value)), usage,
                 "{} {} would overwrite an input ({}); name another file", target.name, target.value, other.value);
  }
  PARITY_CHECK(!is_text(target) || !is_recording(target.value), usage,
               "{} {} would overwrite a recording (an HDF5 file); name another file", target.name, target.value);
}

}  // namespace

void check_given_files(const CLI::App& app) {
  std::vector<Given> all;
  collect(app, all);
  const bool folder = app.got_subcommand("golden");  // `golden synthesize OUT` writes a folder
  for (const Given& given : all) {
    if (!is_written(given) || given.value == "-" || folder) continue;
    check(given, all);
    try {
      reports::check_writable(given.value);
    } catch (const Error& error) {
      throw Error(ErrorCode::usage, fmt::format("{}: {}", given.name, error.what()));
    }
  }
}

}  // namespace parity::cli
