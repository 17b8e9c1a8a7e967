// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/plugin/started_worker.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <string_view>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases/plugin/line_socket.hpp"
#include "cases/plugin/worker_image.hpp"
#include "core/error.hpp"

namespace parity::cases {
namespace {

using Json = nlohmann::json;
constexpr int kSocket = 3;  // in the worker

/// What a kernel may know of this program's environment. All else, such as seeds and paths of a run, stays here.
bool is_passed_on(std::string_view variable) {
  constexpr std::array kNames{
      "PATH=", "HOME=", "USER=", "TMPDIR=", "TZ=", "VIRTUAL_ENV=", "LD_LIBRARY_PATH=", "XDG_CACHE_HOME="};
  constexpr std::array kFamilies{"LC_",  "LANG", "PYTHON",    "CUDA_", "NVIDIA_", "OMP_",
                                 "KMP_", "MKL_", "OPENBLAS_", "TORCH", "TRITON_", "HIP_"};
  const auto begins = [&](const char* start) { return variable.starts_with(start); };
  return std::any_of(kNames.begin(), kNames.end(), begins) || std::any_of(kFamilies.begin(), kFamilies.end(), begins);
}

std::vector<std::string> environment() {
  std::vector<std::string> passed{fmt::format("PARITY_WORKER_FD={}", kSocket)};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (is_passed_on(*variable)) passed.emplace_back(*variable);
  }
  return passed;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

std::array<int, 2> output_pipe() {
  std::array<int, 2> ends{};
  PARITY_CHECK(pipe2(ends.data(), O_CLOEXEC) == 0, device, "cannot create a pipe ({}); close some files",
               std::strerror(errno));
  (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return ends;
}

/// Returns what posix_spawn says.
int spawn(std::vector<std::string> words, int socket, int output, pid_t& process) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&files, socket, kSocket);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setsigdefault(&how, &all);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> variables = environment();
  const std::string program = worker_program();
  const int failure =
      posix_spawn(&process, program.c_str(), &files, &how, pointers(words).data(), pointers(variables).data());
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  return failure;
}

/// One question to the program that forks. It is trusted: it started this one.
Json asked(int forks, const Json& question, std::span<const int> descriptors) {
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  static LineSocket socket(forks);
  const std::string text = question.dump() + "\n";
  constexpr int kPatience = 60'000;  // ms: of a program that is busy
  for (size_t sent = 0; sent < text.size();)
    sent += socket.send(std::string_view(text).substr(sent), sent == 0 ? descriptors : std::span<const int>{});
  while (true) {
    if (const auto line = socket.line()) return Json::parse(*line);
    pollfd event{forks, POLLIN, 0};
    const int ready = poll(&event, 1, kPatience);
    PARITY_CHECK(ready != 0, device, "fd:{}: the program at this socket did not answer '{}' within {} s", forks,
                 text.substr(0, text.size() - 1), kPatience / 1000);
    if (ready < 0) continue;
    const bool open = socket.receive() == LineSocket::State::open;
    PARITY_CHECK(open || socket.has_rest(), device, "fd:{}: the program that forks workers has ended", forks);
  }
}

}  // namespace

StartedWorker start_worker(const std::vector<std::string>& words) {
  // Processes of the same user cannot read what this one holds: no ptrace, no /proc/PID/mem.
  (void)prctl(PR_SET_DUMPABLE, 0);
  std::vector<std::string> all{"parity-worker"};
  all.insert(all.end(), words.begin(), words.end());
  const auto sockets = LineSocket::pair();
  const auto output = output_pipe();
  StartedWorker started{-1, sockets[0], output[0]};
  const int failure = spawn(all, sockets[1], output[1], started.process);
  close(sockets[1]);
  close(output[1]);
  if (failure != 0) close(sockets[0]);
  if (failure != 0) close(output[0]);
  PARITY_CHECK(failure == 0, device, "the kernel's process cannot be started ({})", std::strerror(failure));
  return started;
}

StartedWorker fork_worker(int forks) {
  const auto sockets = LineSocket::pair();
  const auto output = output_pipe();
  const std::array<int, 3> theirs{sockets[1], output[1], output[1]};
  const Json answer = asked(forks, {{"do", "fork"}, {"protocol", 1}}, theirs);
  close(sockets[1]);
  close(output[1]);
  const auto process = answer.value("pid", pid_t{-1});
  PARITY_CHECK(process > 0, device, "fd:{}: the program at this socket forked no process: {}", forks,
               answer.value("error", "no reason"));
  return {process, sockets[0], output[0]};
}

std::optional<int> reap(pid_t process, int forks, bool wait) {
  int status = 0;
  if (forks < 0) {
    const pid_t found = waitpid(process, &status, wait ? 0 : WNOHANG);
    return found == process ? std::optional(status) : std::nullopt;
  }
  if (!wait && kill(process, 0) == 0) return std::nullopt;
  return asked(forks, {{"do", "wait"}, {"pid", process}}, {}).value("status", 0);
}

}  // namespace parity::cases
