// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/files/leftovers.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

namespace parity::golden {
namespace {

struct Leftovers {
  std::shared_mutex making;  // held by whoever makes something that is not noted yet
  std::mutex mutex;
  std::set<std::filesystem::path> paths;
  std::set<pid_t> groups;
};

/// The set of leftovers, which is never destroyed, because the thread that waits for signals outlives main.
Leftovers& leftovers() {
  static auto* all = new Leftovers;
  return *all;
}

std::array<int, 2> g_pipe{-1, -1};
std::atomic<std::chrono::milliseconds> g_before_sigterm{};

/// The signal handler. It only writes the signal to a pipe; the thread at the other end may call any function.
void pass_on(int signal) {
  const auto byte = static_cast<char>(signal);
  static_cast<void>(!write(g_pipe[1], &byte, 1));
}

bool any_lives(const std::set<pid_t>& groups) {
  bool lives = false;
  for (const pid_t group : groups) lives = lives || kill(-group, 0) == 0;
  return lives;
}

/// Sends SIGTERM, so that an engine can remove its own files, and SIGKILL to processes that still run after a second.
void end_groups(const std::set<pid_t>& groups) {
  constexpr int kPatience = 20;  // times 50 ms
  for (const pid_t group : groups) kill(-group, SIGTERM);
  for (int i = 0; i < kPatience && any_lives(groups); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  for (const pid_t group : groups) kill(-group, SIGKILL);
}

void remove_all_of(Leftovers& all) {
  end_groups(all.groups);
  constexpr int kMost = 20;  // other threads may write into a folder while it is removed
  std::error_code ignored;
  for (const std::filesystem::path& path : all.paths) {
    for (int i = 0; i < kMost && std::filesystem::exists(std::filesystem::symlink_status(path, ignored)); ++i)
      std::filesystem::remove_all(path, ignored);
  }
}

void wait_for_signal() {
  char signal = 0;
  ssize_t count = 0;
  while ((count = read(g_pipe[0], &signal, 1)) < 0 && errno == EINTR) {}
  if (count != 1) return;
  if (signal == SIGTERM) std::this_thread::sleep_for(g_before_sigterm.load());
  Leftovers& all = leftovers();
  all.making.lock();  // both are never unlocked, so that no further leftovers are made
  all.mutex.lock();
  remove_all_of(all);
  std::signal(signal, SIG_DFL);
  kill(getpid(), signal);
}

}  // namespace

CleanUpWaits::CleanUpWaits() : lock_(leftovers().making) {}

UnfinishedPath::UnfinishedPath(std::filesystem::path path) : path_(std::move(path)) {
  const std::scoped_lock lock(leftovers().mutex);
  leftovers().paths.insert(path_);
}

UnfinishedPath::~UnfinishedPath() {
  const std::scoped_lock lock(leftovers().mutex);
  leftovers().paths.erase(path_);
}

StartedGroup::StartedGroup(pid_t group) : group_(group) {
  const std::scoped_lock lock(leftovers().mutex);
  leftovers().groups.insert(group_);
}

StartedGroup::~StartedGroup() {
  const std::scoped_lock lock(leftovers().mutex);
  leftovers().groups.erase(group_);
  kill(-group_, SIGKILL);
}

void clean_up_when_interrupted() {
  if (pipe2(g_pipe.data(), O_CLOEXEC) != 0) return;  // then signals end the program without a clean-up
  std::thread(wait_for_signal).detach();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = pass_on;
    // A second Ctrl-C ends the program at once. A launcher sends SIGTERM again for every process that has left.
    action.sa_flags = SA_RESTART | (signal == SIGTERM ? 0 : static_cast<int>(SA_RESETHAND));
    sigaction(signal, &action, nullptr);
  }
}

void take_time_before_sigterm(std::chrono::milliseconds time) { g_before_sigterm = time; }

void clean_up_and_end(int exit_code) {
  Leftovers& all = leftovers();
  all.making.lock();  // never unlocked, as above
  all.mutex.lock();
  remove_all_of(all);
  _exit(exit_code);
}

}  // namespace parity::golden
