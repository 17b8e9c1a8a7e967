// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Kernels in shared libraries that do what no kernel should: each is one failing case, and the next case is judged.

#include <cstdlib>

#include "cases/battery.hpp"
#include "cases/plugin/plugin.hpp"
#include "cases/plugin/testing/built_library.hpp"

namespace parity::cases {
namespace {

using compare::Status;
using testing::BuiltLibrary;

struct Strange {
  const char* name;
  const char* code;    // run for rows of 13 channels
  const char* reason;  // in the record's reason; empty: the values are wrong, or nothing is
  Status status = Status::error;
  const char* outside = "";  // functions of the library
};

void PrintTo(const Strange& strange, std::ostream* to) { *to << strange.name; }

// A thread that changes the output after the call has returned.
constexpr const char* kLater = R"(
static void later() { std::thread([] { for (;;) ++*(volatile int*)out; }).detach(); })";

const Strange kStrange[] = {
    // ---- it ends
    {"WritesToNull", "*(volatile int*)0 = 1;", "was ended by SIGSEGV: it accessed the address 0"},
    {"Aborts", "abort();", "was ended by SIGABRT"},
    {"DividesByZero", "volatile int zero = 0; count /= zero;", "was ended by SIGFPE"},
    {"Traps", "__builtin_trap();", "was ended by SIGILL"},
    {"OverflowsItsStack", "deep(1);", "was ended by SIGSEGV", Status::error,
     "int deep(volatile int n) { volatile char a[4096]; a[0] = n; return deep(n + 1) + a[0]; }"},
    {"Exits", "exit(0);", "ended with exit code 0 before it answered"},
    {"ExitsAtOnce", "_exit(3);", "ended with exit code 3 before it answered"},
    {"EndsItsThread", "pthread_exit(nullptr);", "was ended by SIGABRT"},
    {"KillsItself", "kill(getpid(), SIGKILL);", "was ended by SIGKILL"},
    {"Throws", "throw std::runtime_error(\"no such luck\");", "the kernel failed: no such luck"},
    {"ThrowsANumber", "throw 7;", "it threw an object that is not a std::exception"},
    {"SaysThatItFails", "return parity_fail(call, \"rows are too odd\");", "the kernel failed: rows are too odd"},
    {"FailsWithoutAWord", "return 5;", "it returned 5 and no text"},
    {"RunsOutOfMemory", "while (malloc(size_t{1} << 30)) {} return parity_fail(call, \"no memory\");", "no memory"},
    // ---- it does not end
    {"Loops", "for (;;) {}", "gave no answer within 3 s"},
    {"Sleeps", "for (;;) pause();", "gave no answer within 3 s"},
    {"LocksTwice", "static pthread_mutex_t m; pthread_mutex_lock(&m); pthread_mutex_lock(&m);", "gave no answer"},
    {"StopsItself", "kill(getpid(), SIGSTOP);", "gave no answer within 3 s"},
    // ---- it writes where it must not
    {"WritesBehindTheOutput", "compute(); out[count] = 0; return 0;",
     "wrote outside of the outputs: 1 bytes after the end of 'out'"},
    {"WritesBeforeTheOutput", "compute(); out[-1] = 0; return 0;",
     "wrote outside of the outputs: 4 bytes before the start of 'out'"},
    {"WritesFarBehindTheOutput", "compute(); out[count + 1024] = 0; return 0;",
     "it accessed memory 4097 bytes after the end of output 'out'"},
    {"ReadsFarBehindTheInput", "compute(); out[0] = x[count + 1024]; return 0;",
     "it accessed memory 4097 bytes after the end of input 'x'"},
    {"WritesToItsInput", "const_cast<float&>(x[0]) = 0;", "it wrote to input 'x', which is for reading"},
    {"UnprotectsItsInput",
     "void* page = (void*)((uintptr_t)x & ~4095UL); mprotect(page, 4096, PROT_READ | PROT_WRITE);"
     "const_cast<float&>(x[0]) = 0;",
     "it wrote to input 'x', which is for reading"},
    {"UnmapsItsOutput", "munmap((void*)((uintptr_t)out & ~4095UL), 4096); out[0] = 1;", "was ended by SIGSEGV"},
    {"WritesNothing", "return 0;", "", Status::fail},
    {"WritesHalf", "count /= 2; compute(); return 0;", "", Status::fail},
    {"ReturnsItsInput", "for (int64_t i = 0; i < count; ++i) out[i] = x[i]; return 0;", "", Status::fail},
    // ---- it goes on after its answer
    {"WritesLater", "compute(); later(); return 0;", "wrote to 'out' after it had answered", Status::error, kLater},
    {"ComputesLater", "std::thread([] { sleep(1000); compute(); }).detach(); return 0;", "", Status::fail},
    {"CrashesLater", "compute(); std::thread([] { abort(); }).detach(); usleep(100000); return 0;",
     "was ended by SIGABRT"},
    // ---- it reaches out
    {"Forks", "if (fork() == 0) for (;;) pause();", "was ended by SIGSYS"},
    {"StartsAProgram", "execl(\"/bin/true\", \"true\", nullptr);", "a kernel must not call execve"},
    {"StartsAShell", "if (system(\"sleep 100 &\") < 0) abort();", "was ended by SIGSYS"},
    {"LeavesItsGroup", "setsid();", "a kernel must not call setsid"},
    {"KillsTheJudge", "kill(getppid(), SIGKILL);", "a kernel must not call kill"},
    {"KillsEverything", "kill(-1, SIGKILL);", "a kernel must not call kill"},
    {"TracesTheJudge", "ptrace(PTRACE_ATTACH, getppid(), 0, 0);", "a kernel must not call ptrace"},
    {"ReadsTheJudge", "char b[8]; iovec l{b, 8}, r{(void*)out, 8}; process_vm_readv(getppid(), &l, 1, &r, 1, 0);",
     "a kernel must not call process_vm_readv"},
    {"OpensTheJudgesMemory",
     "char p[64]; sprintf(p, \"/proc/%d/mem\", getppid()); if (open(p, O_RDWR) < 0 && open(p, O_RDONLY) < 0)"
     " return parity_fail(call, strerror(errno)); compute(); return 0;",
     "the kernel failed: Permission denied"},
    {"OpensTheJudgesFiles",
     "char p[64]; sprintf(p, \"/proc/%d/fd/1\", getppid()); if (open(p, O_RDWR) < 0)"
     " return parity_fail(call, strerror(errno)); compute(); return 0;",
     "the kernel failed: Permission denied"},
    {"RaisesTheJudgesLimits", "rlimit l{1, 1}; prlimit(getppid(), RLIMIT_CPU, &l, nullptr); compute(); return 0;",
     "a kernel must not call prlimit of another process"},
    // ---- it speaks for the worker
    {"ClosesItsSocket", "close(3);", "before it answered"},
    {"ClosesAllFiles", "for (int i = 0; i < 64; ++i) close(i);", "before it answered"},
    {"ReplacesItsSocket", "dup2(open(\"/dev/null\", O_RDWR), 3);", "before it answered"},
    {"AnswersItself", "dprintf(3, \"{\\\"ok\\\": true, \\\"id\\\": 1}\\n\"); usleep(100000);",
     "answered another call than it was asked"},
    {"AnswersRubbish", "dprintf(3, \"PASS\\n\"); usleep(100000);", "answered with a line that is not a JSON object"},
    {"AnswersNestedLists",
     "static char b[1000001]; memset(b, '[', 500000); memset(b + 500000, ']', 500000); b[1000000] = '\\n';"
     "dprintf(3, \"{\\\"id\\\": \"); write(3, b, 1000000); dprintf(3, \"}\\n\"); usleep(100000);",
     "answered with an invalid line: JSON is nested more than 64 levels deep"},
    {"AnswersWithoutEnd", "static char b[1 << 20]; memset(b, 'x', sizeof b); for (;;) write(3, b, sizeof b);",
     "answered with a line of more than a megabyte"},
    {"PrintsWithoutEnd", "static char b[1 << 20]; for (;;) write(1, b, sizeof b);", "printed more than 64 MiB"},
};

compare::Record judged(const std::string& word, int64_t channels) {
  return worst_record({"silu", DType::f32, Lane::anywhere, 1, {{'F', channels}, {'S', 3}}}, with_backend(word));
}

class HostileLibrary : public ::testing::TestWithParam<Strange> {
 protected:
  HostileLibrary() { setenv("PARITY_PLUGIN_SECONDS", "3", 1); }
};

TEST_P(HostileLibrary, IsOneFailingCase) {
  const BuiltLibrary library(GetParam().code, GetParam().outside);

  const compare::Record strange = judged(library.word(), 13), next = judged(library.word(), 12);

  EXPECT_EQ(strange.status, GetParam().status) << strange.reason;
  EXPECT_NE(strange.reason.find(GetParam().reason), std::string::npos) << strange.reason;
  EXPECT_EQ(next.status, Status::pass) << next.reason;
}

INSTANTIATE_TEST_SUITE_P(Each, HostileLibrary, ::testing::ValuesIn(kStrange),
                         [](const auto& test) { return test.param.name; });

TEST(Library, LeavesAThreadBehindInEachCall) {
  const BuiltLibrary library("std::thread([] { for (;;) pause(); }).detach();");

  std::string reason;
  for (int call = 0; call < 10 && reason.empty(); ++call) reason = judged(library.word(), 13).reason;

  EXPECT_NE(reason.find("leaves threads running"), std::string::npos) << reason;
}

TEST(Library, MayKeepAPoolOfThreads) {
  const BuiltLibrary library(
      "static bool made; if (!made) std::thread([] { for (;;) pause(); }).detach(); made = true;");

  for (int call = 0; call < 10; ++call) EXPECT_EQ(judged(library.word(), 13).status, Status::pass);
}

/// A library that answers in the place of its worker, while it is loaded: nothing that it writes ends the judge.
TEST(Library, ThatAnswersBeforeItIsAskedIsRefused) {
  for (const char* answer : {"{\\\"ok\\\": true, \\\"protocol\\\": LISTS}",
                             "{\\\"ok\\\": \\\"yes\\\", \\\"error\\\": [1]}", "{\\\"ok\\\": true}", "[]"}) {
    const BuiltLibrary library(
        "", std::string("#include <cstring>\n#include <string>\n") +
                "__attribute__((constructor)) static void early() { std::string text = \"" + answer +
                "\\n\"; const size_t at = text.find(\"LISTS\"); if (at != text.npos) text.replace(at, 5, "
                "std::string(400000, '[') + std::string(400000, ']')); for (size_t i = 0; i < "
                "text.size(); i += write(3, text.data() + i, text.size() - i)) {} }");

    EXPECT_THROW(const Plugin plugin(library.word()), Error) << answer;
  }
}

TEST(Library, MayPrint) {
  const BuiltLibrary library("puts(\"{\\\"ok\\\": false}\"); fflush(stdout);");

  EXPECT_EQ(judged(library.word(), 13).status, Status::pass);
}

}  // namespace
}  // namespace parity::cases
