// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Preloaded into `parity` (LD_PRELOAD), strikes one rank at one of its allocations. The program knows nothing of it.
//   PARITY_MISFORTUNE="RANK KIND COUNT"  KIND: throw | memory | abort | loop | kill | stop
//   PARITY_MISFORTUNE_OUT=FOLDER         where `struck` is made at that moment, and `exit.PID` by every exit
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace {

struct Misfortune {
  int rank = -1;
  char kind[16] = "";
  long count = 0;

  Misfortune() {
    const char* text = std::getenv("PARITY_MISFORTUNE");
    if (text == nullptr || std::sscanf(text, "%d %15s %ld", &rank, kind, &count) != 3) rank = -1;
  }
  [[nodiscard]] bool is(const char* wanted) const { return std::strcmp(kind, wanted) == 0; }
};

const Misfortune& misfortune() {
  static const Misfortune drawn;
  return drawn;
}

thread_local int t_rank = -1;  // of this thread, once it is named "parity rank N"
thread_local long t_allocations = 0;

void note(const char* name, const char* text) {
  const char* folder = std::getenv("PARITY_MISFORTUNE_OUT");
  if (folder == nullptr) return;
  char path[512];
  std::snprintf(path, sizeof path, "%s/%s", folder, name);
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0) return;
  static_cast<void>(!write(file, text, std::strlen(text)));
  close(file);
}

/// From now on the process gets little more memory than it has.
void take_memory() {
  long pages = 0;
  if (FILE* file = std::fopen("/proc/self/statm", "r")) {
    static_cast<void>(!std::fscanf(file, "%ld", &pages));
    std::fclose(file);
  }
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  constexpr rlim_t kMore = 1 << 20;  // bytes
  limit.rlim_cur = static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGE_SIZE)) + kMore;
  setrlimit(RLIMIT_AS, &limit);
}

void strike() {
  note("struck", misfortune().kind);
  if (misfortune().is("throw")) throw std::runtime_error("struck by misfortune");
  if (misfortune().is("memory")) take_memory();
  if (misfortune().is("abort")) std::abort();
  if (misfortune().is("kill")) raise(SIGKILL);
  if (misfortune().is("stop")) raise(SIGSTOP);
  volatile bool forever = misfortune().is("loop");
  while (forever) {}
}

void count_allocation() {
  if (t_rank >= 0 && t_rank == misfortune().rank && ++t_allocations == misfortune().count) strike();
}

}  // namespace

void* operator new(size_t size) {
  count_allocation();
  void* memory = std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new[](size_t size) { return operator new(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }

extern "C" int pthread_setname_np(pthread_t thread, const char* name) {
  static const auto next = reinterpret_cast<int (*)(pthread_t, const char*)>(dlsym(RTLD_NEXT, "pthread_setname_np"));
  int rank = -1;
  t_rank = std::sscanf(name, "parity rank %d", &rank) == 1 ? rank : -1;
  return next(thread, name);
}

namespace {

void note_exit(int code, void*) {
  char name[64], text[32];
  std::snprintf(name, sizeof name, "exit.%d", static_cast<int>(getpid()));
  std::snprintf(text, sizeof text, "%d", code);
  note(name, text);
}

/// A rank whose own thread finds the failure returns from main, which ends in exit() and not in the _exit below.
__attribute__((constructor)) void note_usual_exits() { on_exit(note_exit, nullptr); }

}  // namespace

extern "C" void _exit(int code) {
  static const auto next = reinterpret_cast<void (*)(int)>(dlsym(RTLD_NEXT, "_exit"));
  note_exit(code, nullptr);
  next(code);
  std::abort();  // it does not return
}
