// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/plugin/worker/confine.hpp"

#include <cerrno>
#include <cstddef>
#include <vector>

#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace parity::worker {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "confine.cpp: name the architecture of system calls"
#endif

/// A program of the system's filter: rules are looked at in order, and the last one allows.
class Filter {
 public:
  explicit Filter(uint32_t refusal) : refusal_(refusal) {
    load(offsetof(seccomp_data, arch));
    jump_unless(kArchitecture, 0);
    code_.back().jt = 1, code_.back().jf = 0;
    answer(SECCOMP_RET_KILL_PROCESS);  // calls of another architecture have other numbers
    load(offsetof(seccomp_data, nr));
    constexpr uint32_t kOtherNumbers = 0x40000000;  // of x32, which has the architecture of x86_64
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kOtherNumbers, 0, 1));
    answer(SECCOMP_RET_KILL_PROCESS);
  }

  void refuse(int64_t call) { answer_to(call, refusal_); }
  void lacks(int64_t call) { answer_to(call, SECCOMP_RET_ERRNO | ENOSYS); }
  /// Refuses the call unless its argument is `value`.
  void refuse_unless(int64_t call, size_t argument, uint32_t value) {
    jump_unless(static_cast<uint32_t>(call), 4);
    load_argument(argument);
    jump_unless(value, 1);
    answer(SECCOMP_RET_ALLOW);
    answer(refusal_);
  }
  /// Refuses the call unless its first argument has this flag.
  void refuse_without(int64_t call, uint32_t flag) {
    jump_unless(static_cast<uint32_t>(call), 4);
    load_argument(0);
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flag, 0, 1));
    answer(SECCOMP_RET_ALLOW);
    answer(refusal_);
  }

  [[nodiscard]] bool install() {
    answer(SECCOMP_RET_ALLOW);
    const sock_fprog program{static_cast<uint16_t>(code_.size()), code_.data()};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }

 private:
  void load(size_t offset) { code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset))); }
  void load_argument(size_t index) { load(offsetof(seccomp_data, args) + index * sizeof(uint64_t)); }  // its low half
  void jump_unless(uint32_t value, uint8_t skip) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip));
  }
  void answer(uint32_t what) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, what)); }
  void answer_to(int64_t call, uint32_t what) {
    jump_unless(static_cast<uint32_t>(call), 1);
    answer(what);
  }

  uint32_t refusal_;
  std::vector<sock_filter> code_;
};

bool give_up_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2]{};
  return syscall(SYS_capset, &header, none) == 0;
}

void limit_memory() {
  const auto pages = static_cast<rlim_t>(sysconf(_SC_PHYS_PAGES)), size = static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
  const rlimit none{0, 0}, data{pages * size, pages * size};
  (void)setrlimit(RLIMIT_CORE, &none);
  (void)setrlimit(RLIMIT_DATA, &data);
}

bool install_filter(Processes processes) {
  const bool alone = processes == Processes::none;
  Filter filter(alone ? SECCOMP_RET_TRAP : static_cast<uint32_t>(SECCOMP_RET_ERRNO) | EPERM);
  for (const int64_t call : {SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_getfd,
                             SYS_pidfd_send_signal, SYS_kcmp, SYS_tkill, SYS_setsid, SYS_setpgid, SYS_setns,
                             SYS_unshare, SYS_mount, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd})
    filter.refuse(call);
  const auto self = static_cast<uint32_t>(getpid());
  for (const int64_t call : {SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo})
    filter.refuse_unless(call, 0, self);
  filter.refuse_unless(SYS_prlimit64, 0, 0);  // of this process alone
  if (alone) {
    for (const int64_t call : {SYS_execve, SYS_execveat}) filter.refuse(call);
#ifdef SYS_fork
    for (const int64_t call : {SYS_fork, SYS_vfork}) filter.refuse(call);
#endif
    filter.refuse_without(SYS_clone, CLONE_THREAD);
    filter.lacks(SYS_clone3);  // its flags are in memory, which no filter reads; then the library calls clone
  }
  return filter.install();
}

}  // namespace

const char* confine(Processes processes) {
  limit_memory();
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return "no_new_privs is refused";
  if (!give_up_capabilities()) return "capabilities cannot be given up";
  if (!install_filter(processes)) return "the system has no filters of system calls (seccomp)";
  return "";
}

}  // namespace parity::worker
