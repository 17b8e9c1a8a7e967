// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// For tests: runs the built program as a user does.
#pragma once

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <sys/wait.h>

#include "golden/files/temporary_folder.hpp"
#include "replay/testing/golden_copy.hpp"

namespace parity::cli::tests {

using golden::TemporaryFolder;
using replay::tests::Changes;
using replay::tests::copy_golden;
using replay::tests::with_element;

namespace fs = std::filesystem;

inline const fs::path kData = "golden/data";  // relative to the repository root, where tests run
inline const std::string kGolden = "golden/data/m3-text-only-aux";

struct Output {
  int exit_code = -1;  // 128 + signal number if a signal ended the program
  std::string out, err;
};

inline std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void write(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
}

inline std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

inline std::string quoted(const std::string& word) {
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

/// Runs the program. `before` is shell text in front of it, for example variables and limits.
inline Output run_program(const std::vector<std::string>& arguments, const std::string& before = "") {
  const TemporaryFolder scratch;
  std::string command = before + " " + quoted(PARITY_PROGRAM);
  for (const std::string& argument : arguments) command += " " + quoted(argument);
  command += " 2>" + quoted((scratch / "stderr").string());
  Output output;
  std::FILE* pipe = popen(command.c_str(), "r");
  PARITY_CHECK(pipe != nullptr, io, "cannot run {}", command);
  char buffer[4096];
  for (size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) output.out.append(buffer, n);
  const int status = pclose(pipe);
  output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  output.err = content(scratch / "stderr");
  return output;
}

}  // namespace parity::cli::tests
