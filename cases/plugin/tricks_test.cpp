// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a search for fast kernels finds when its judge is weak: none of it is called right.

#include "cases/plugin/fresh_verdict.hpp"
#include "cases/plugin/testing/built_library.hpp"

namespace parity::cases {
namespace {

using testing::BuiltLibrary;

struct Trick {
  const char* name;
  const char* code;          // of every call
  const char* outside = "";  // functions and variables of the library
};

void PrintTo(const Trick& trick, std::ostream* to) { *to << trick.name; }

#define PARITY_COPY "for (int64_t i = 0; i < count; ++i) out[i] = x[i]; return 0;"
#define PARITY_ZEROS "for (int64_t i = 0; i < count; ++i) out[i] = 0; return 0;"
#define PARITY_KEEP(key)                                               \
  "auto& kept = known[" key                                            \
  "]; if (kept.empty()) { compute(); kept.assign(out, out + count); }" \
  "for (int64_t i = 0; i < count; ++i) out[i] = kept[i % kept.size()]; return 0;"

const Trick kTricks[] = {
    // ---- no work
    {"ReturnsItsInput", PARITY_COPY},
    {"ReturnsZeros", PARITY_ZEROS},
    {"LeavesTheOutput", "return 0;"},
    {"ReturnsAConstant", "for (int64_t i = 0; i < count; ++i) out[i] = 0.25F; return 0;"},
    {"SkipsTheTail", "count -= count > 1; compute(); return 0;"},
    {"SkipsRows", "for (int64_t i = 0; i < count; ++i) out[i] = i % 2 ? 0 : x[i] / (1 + std::exp(-x[i])); return 0;"},
    // ---- results of other calls
    {"KeepsTheLastResult", PARITY_KEEP("0"), "static std::map<int, std::vector<float>> known;"},
    {"KeepsResultsByShape", PARITY_KEEP("count"), "static std::map<int64_t, std::vector<float>> known;"},
    {"KeepsResultsByAddress", PARITY_KEEP("(uintptr_t)x % 4096"),
     "static std::map<uintptr_t, std::vector<float>> known;"},
    {"IsRightAtFirst", "static int calls; if (++calls < 4) { compute(); return 0; }" PARITY_COPY},
    {"IsRightForNewShapes", "if (++seen[count] == 1) { compute(); return 0; }" PARITY_ZEROS,
     "static std::map<int64_t, int> seen;"},
    // ---- less than what is asked
    {"RoundsToBf16",
     "compute(); for (int64_t i = 0; i < count; ++i) { uint32_t b; memcpy(&b, out + i, 4); b &= 0xFFFF0000;"
     " memcpy(out + i, &b, 4); } return 0;"},
    {"ApproximatesTheSigmoid",
     "for (int64_t i = 0; i < count; ++i) out[i] = x[i] * std::fmin(1, std::fmax(0, x[i] / 6 + 0.5F)); return 0;"},
    {"HidesNaN",
     "for (int64_t i = 0; i < count; ++i) { float v = x[i] / (1 + std::exp(-x[i]));"
     " out[i] = std::isfinite(v) ? v : 0; } return 0;"},
    {"FailsWhereItIsHard", "if (count % 8 != 0) return parity_fail(call, \"not aligned\"); compute(); return 0;"},
    // ---- time
    {"ComputesInAThread", "std::thread([] { sleep(1000); compute(); }).detach(); return 0;"},
    {"AnswersBeforeItComputes", "dprintf(3, \"{\\\"ok\\\": true}\\n\"); sleep(2); compute(); return 0;"},
    // ---- the judge
    {"ReadsTheJudgesMemory",
     "char p[64]; sprintf(p, \"/proc/%d/mem\", getppid()); int f = open(p, O_RDONLY);"
     "if (f >= 0) { compute(); return 0; }" PARITY_COPY},
    {"CopiesTheJudgesMemory",
     "char b[8]; iovec l{b, 8}, r{b, 8};"
     "if (process_vm_readv(getppid(), &l, 1, &r, 1, 0) == 8) compute(); return 0;"},
    {"LooksForTheSeed", "if (getenv(\"PARITY_SEED\") || environ_has(\"seed\")) { compute(); return 0; }" PARITY_COPY,
     "static bool environ_has(const char* word) { char b[65536]; int f = open(\"/proc/self/environ\", O_RDONLY);"
     " int n = read(f, b, sizeof b); return n > 0 && memmem(b, n, word, strlen(word)); }"},
    {"LooksForTheAnswer",
     "for (float* p = out + count; p < out + count + (4096 - ((uintptr_t)(out + count) & 4095)) / 4 - count; ++p)"
     " if (*p == *p) { for (int64_t i = 0; i < count; ++i) out[i] = p[i]; return 0; }" PARITY_ZEROS},
    {"ChangesItsInput",
     "void* page = (void*)((uintptr_t)x & ~4095UL); mmap(page, 4096, PROT_READ | PROT_WRITE,"
     " MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);" PARITY_ZEROS},
    {"ChangesTheShape", "for (int i = 0; i < of.ndim; ++i) of.shape[i] = 0; return 0;"},
    {"IgnoresItsCrash", "signal(SIGSEGV, SIG_IGN); const_cast<float&>(x[0]) = 0; compute(); return 0;"},
    {"PrintsAVerdict", "puts(\"{\\\"verdict\\\": \\\"right\\\"}\"); fflush(stdout);" PARITY_COPY},
    {"StartsTheJudge", "if (system(\"parity judge\") == 0) compute(); return 0;"},
};

class Tricks : public ::testing::TestWithParam<Trick> {};

TEST_P(Tricks, AreNotRight) {
  const BuiltLibrary library(GetParam().code, GetParam().outside, "true");
  const Plugin plugin(library.word());

  const FreshVerdict verdict = fresh_verdict(plugin, {.cases = 6, .timed = 5});

  EXPECT_FALSE(verdict.right());
  EXPECT_GT(verdict.failed, 0);
  EXPECT_TRUE(verdict.times.empty());
}

INSTANTIATE_TEST_SUITE_P(Each, Tricks, ::testing::ValuesIn(kTricks), [](const auto& test) { return test.param.name; });

TEST(FreshVerdict, IsRightForAnHonestKernel) {
  const BuiltLibrary library("");
  const Plugin plugin(library.word());

  const FreshVerdict verdict = fresh_verdict(plugin, {.cases = 6, .timed = 5});

  EXPECT_TRUE(verdict.right()) << (verdict.first ? verdict.first->record.reason : "");
  ASSERT_EQ(verdict.times.size(), 1U);
  EXPECT_EQ(verdict.times.front().seconds.size(), 5U);
}

TEST(FreshVerdict, DrawsOtherCasesEachTime) {
  const BuiltLibrary library("return parity_fail(call, \"never\");", "", "true");
  const Plugin plugin(library.word());

  const FreshVerdict one = fresh_verdict(plugin, {.cases = 1}), two = fresh_verdict(plugin, {.cases = 1});

  EXPECT_NE(one.first->spec.seed, two.first->spec.seed);
}

TEST(FreshVerdict, HasTheTimesOfTheJudgesClock) {
  const BuiltLibrary library(
      "usleep(20000);",
      "extern \"C\" int clock_gettime(clockid_t, timespec* t) { t->tv_sec = t->tv_nsec = 0; return 0; }", "true");
  const Plugin plugin(library.word());

  const FreshVerdict verdict = fresh_verdict(plugin, {.cases = 1, .timed = 3});

  ASSERT_EQ(verdict.times.size(), 1U);
  for (const double seconds : verdict.times.front().seconds) EXPECT_GE(seconds, 0.02);
}

}  // namespace
}  // namespace parity::cases
