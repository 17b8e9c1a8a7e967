// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/engines/engine.hpp"

#include <chrono>
#include <csignal>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"
#include "golden/leftovers.hpp"

namespace parity::faults {
namespace {

[[noreturn]] void become(const std::string& command, const std::string& in, const std::string& out) {
  (void)setpgid(0, 0);                                                               // kills its children with it
  for (const int ignored : {SIGPIPE, SIGXFSZ}) (void)std::signal(ignored, SIG_DFL);  // the defaults of a shell
  (void)dup2(STDERR_FILENO, STDOUT_FILENO);
  const std::string line = command + R"( "$1" "$2")";
  execl("/bin/sh", "sh", "-c", line.c_str(), "engine", in.c_str(), out.c_str(), static_cast<char*>(nullptr));
  _exit(127);
}

/// Waits for the child and returns the status of waitpid.
int wait_for(pid_t child, const Engine& engine) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(engine.timeout_s);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() > end) {
      (void)kill(-child, SIGKILL);
      (void)waitpid(child, &status, 0);
      throw Error(ErrorCode::unsupported, fmt::format("engine '{}' did not end within {} s; allow more with --timeout",
                                                      engine.command, engine.timeout_s));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return status;
}

}  // namespace

/// Reports any failure of the engine as `unsupported`: it is the candidate's (exit code 1), not the golden's.
bool run_engine(const Engine& engine, const std::filesystem::path& in, const std::filesystem::path& out) {
  const std::string in_name = in.string(), out_name = out.string();
  const pid_t child = fork();
  PARITY_CHECK(child >= 0, io, "cannot start engine '{}': the system refuses another process", engine.command);
  if (child == 0) become(engine.command, in_name, out_name);
  (void)setpgid(child, child);  // also in the parent, whichever runs first
  const golden::StartedGroup group(child);
  const int status = wait_for(child, engine);
  PARITY_CHECK(WIFEXITED(status), unsupported, "engine '{}' was killed by signal {}; run it by hand on {}",
               engine.command, WTERMSIG(status), in_name);
  const int code = WEXITSTATUS(status);
  if (code == kRefused) return false;
  PARITY_CHECK(code != 127, usage, "engine '{}' cannot be run: the shell finds no such command", engine.command);
  PARITY_CHECK(code == 0, unsupported, "engine '{}' failed with exit code {} ({} would mean: cannot start there)",
               engine.command, code, kRefused);
  PARITY_CHECK(std::filesystem::exists(out), unsupported, "engine '{}' ended with success but did not write {}",
               engine.command, out_name);
  return true;
}

}  // namespace parity::faults
