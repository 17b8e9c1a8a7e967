// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/engines/engine.hpp"

#include <sys/wait.h>

#include "core/error.hpp"
#include "golden/files/child.hpp"

namespace parity::faults {

/// Reports any failure of the engine as `unsupported`: it is the candidate's (exit code 1), not the golden's.
bool run_engine(const Engine& engine, const std::filesystem::path& in, const std::filesystem::path& out) {
  const std::string in_name = in.string(), out_name = out.string();
  const std::string line = engine.command + R"( "$1" "$2")";
  const auto ended = golden::run_child({{"/bin/sh", "-c", line, "engine", in_name, out_name}, engine.timeout_s});
  PARITY_CHECK(ended, unsupported, "engine '{}' did not end within {} s; allow more with --timeout", engine.command,
               engine.timeout_s);
  const int status = *ended;
  PARITY_CHECK(WIFEXITED(status), unsupported,
               "engine '{}' was killed by signal {} on {}; repeat with --keep FOLDER, then run it by hand on the file "
               "kept there",
               engine.command, WTERMSIG(status), in_name);
  const int code = WEXITSTATUS(status);
  if (code == kRefused) return false;
  PARITY_CHECK(code != 127, usage, "engine '{}' cannot be run: the shell finds no such command", engine.command);
  PARITY_CHECK(
      code == 0, unsupported,
      "engine '{}' failed with exit code {}; if it cannot start or stop where it was asked to, it must exit with {}",
      engine.command, code, kRefused);
  PARITY_CHECK(std::filesystem::exists(out), unsupported, "engine '{}' ended with success but did not write {}",
               engine.command, out_name);
  return true;
}

}  // namespace parity::faults
