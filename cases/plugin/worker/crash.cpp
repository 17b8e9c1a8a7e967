// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/plugin/worker/crash.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <sys/syscall.h>
#include <unistd.h>

namespace parity::worker {
namespace {

std::atomic<const std::vector<Area>*> g_areas{nullptr};

struct Call {
  long number;
  const char* name;
};
constexpr std::array kRefused{Call{SYS_ptrace, "ptrace"},
                              Call{SYS_process_vm_readv, "process_vm_readv"},
                              Call{SYS_process_vm_writev, "process_vm_writev"},
                              Call{SYS_kill, "kill"},
                              Call{SYS_tgkill, "tgkill"},
                              Call{SYS_clone, "clone: it starts a process"},
#ifdef SYS_fork
                              Call{SYS_fork, "fork"},
                              Call{SYS_vfork, "vfork"},
#endif
                              Call{SYS_execve, "execve"},
                              Call{SYS_prlimit64, "prlimit of another process"},
                              Call{SYS_setsid, "setsid"},
                              Call{SYS_setpgid, "setpgid"}};

/// How many bytes the address lies outside of the area.
uintptr_t distance(const Area& area, uintptr_t address) {
  const auto begin = reinterpret_cast<uintptr_t>(area.begin), end = reinterpret_cast<uintptr_t>(area.end);
  if (address < begin) return begin - address;
  return address < end ? 0 : address - end + 1;
}

/// The operand near the address; nothing further away than a page is one.
void say_operand(uintptr_t address) {
  constexpr uintptr_t kNear = 8192;
  const std::vector<Area>* areas = g_areas.load();
  const Area* nearest = nullptr;
  if (areas != nullptr) {
    for (const Area& area : *areas) {
      if (area.begin != nullptr && (nearest == nullptr || distance(area, address) < distance(*nearest, address)))
        nearest = &area;
    }
  }
  const uintptr_t away = nearest == nullptr ? kNear : distance(*nearest, address);
  std::array<char, 256> line{};
  if (away >= kNear) {
    std::snprintf(line.data(), line.size(), "it accessed the address %#zx, which is near no operand\n", address);
  } else if (away == 0) {
    std::snprintf(line.data(), line.size(), "it wrote to %s, which is for reading\n", nearest->name.c_str());
  } else {
    const bool before = address < reinterpret_cast<uintptr_t>(nearest->begin);
    std::snprintf(line.data(), line.size(), "it accessed memory %zu bytes %s of %s\n", away,
                  before ? "before the start" : "after the end", nearest->name.c_str());
  }
  (void)!write(STDERR_FILENO, line.data(), std::char_traits<char>::length(line.data()));
}

void say_call(int number) {
  const char* name = "a system call";
  for (const Call& call : kRefused) {
    if (call.number == number) name = call.name;
  }
  std::array<char, 128> line{};
  std::snprintf(line.data(), line.size(), "a kernel must not call %s (%d)\n", name, number);
  (void)!write(STDERR_FILENO, line.data(), std::char_traits<char>::length(line.data()));
}

/// Says where, and ends the process by the same signal: SA_RESETHAND has put the default back.
void on_signal(int signal, siginfo_t* info, void*) {
  if (signal == SIGSEGV || signal == SIGBUS) say_operand(reinterpret_cast<uintptr_t>(info->si_addr));
  if (signal == SIGSYS) say_call(info->si_syscall);
  (void)std::raise(signal);
}

}  // namespace

void explain_crashes() {
  constexpr size_t kStack = size_t{64} << 10U;
  const stack_t stack{std::malloc(kStack), 0, kStack};  // the kernel may have used up its own
  (void)sigaltstack(&stack, nullptr);
  for (const int signal : {SIGSEGV, SIGBUS, SIGSYS}) {
    struct sigaction action {};
    action.sa_sigaction = on_signal;
    action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
    (void)sigaction(signal, &action, nullptr);
  }
}

void explain_by(const std::vector<Area>* areas) { g_areas = areas; }

}  // namespace parity::worker
