// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/files/child.hpp"

#include <chrono>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"
#include "golden/files/leftovers.hpp"

namespace parity::golden {
namespace {

/// `words` ends with a null pointer. Only calls that are allowed between fork and exec.
[[noreturn]] void become(const std::vector<char*>& words, const char* output) {
  constexpr mode_t kOwner = 0600;
  (void)setpgid(0, 0);                                                               // ends with all that it starts
  for (const int ignored : {SIGPIPE, SIGXFSZ}) (void)std::signal(ignored, SIG_DFL);  // the defaults of a shell
  const int file = *output == '\0' ? STDERR_FILENO : open(output, O_WRONLY | O_CREAT | O_TRUNC, kOwner);
  (void)dup2(file, STDOUT_FILENO);
  (void)dup2(file, STDERR_FILENO);
  execvp(words.front(), words.data());
  _exit(127);
}

std::optional<int> wait_for(pid_t child, double timeout_s) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(timeout_s);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() > end) {
      (void)kill(-child, SIGKILL);
      (void)waitpid(child, &status, 0);
      return std::nullopt;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return status;
}

}  // namespace

std::optional<int> run_child(const Child& child) {
  std::vector<std::string> words = child.words;
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::optional<CleanUpWaits> until_noted(std::in_place);
  const pid_t process = fork();
  PARITY_CHECK(process >= 0, io, "cannot start {}: the operating system allows no more processes; end some",
               child.words.front());
  if (process == 0) become(pointers, child.output.c_str());
  (void)setpgid(process, process);  // also in the parent, whichever runs first
  const StartedGroup group(process);
  until_noted.reset();
  return wait_for(process, child.timeout_s);
}

}  // namespace parity::golden
