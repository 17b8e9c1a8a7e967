// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Replaces libFuzzer for compilers that lack it: runs every file of the corpus, then random changes of them. An input
// that crashes, takes a second, or allocates more than its size and 64 MiB is kept, and fails the run.
// usage: TARGET [--runs N] [--seed N] [--replay] [--timeout N] FILE|FOLDER...
// --replay runs the files unchanged and then stops; --timeout: seconds of the processor for an input (20)
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string_view>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "fuzz/memory.hpp"
#include "fuzz/mutate.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;

constexpr const char* kFound = "fuzz-found.bin";
constexpr double kSlow = 1.0;  // seconds of the processor: what else the machine does is not counted
constexpr int64_t kMoreBytes = int64_t{64} << 20;  // that an input may allocate beyond its own size

/// The most that an input of this run took.
struct Costs {
  double seconds = 0.0;
  int64_t bytes = 0;
};

time_t g_timeout = 20;                 // seconds of the processor after which an input is given up
const std::string* g_input = nullptr;  // the current input; signal handlers save it to a file

void keep_input() {
  const int file = open(kFound, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0 || g_input == nullptr) return;
  (void)!write(file, g_input->data(), g_input->size());
  close(file);
}

void die(int signal) {
  keep_input();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::vector<std::string> corpus_of(const std::vector<std::string>& paths) {
  std::vector<fs::path> files;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) files.emplace_back(path);
    if (!fs::is_directory(path)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());  // a fixed order makes a seed repeatable
  std::vector<std::string> corpus;
  for (const fs::path& file : files) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    corpus.push_back(text.str());
  }
  return corpus;
}

void give_up(int) {
  keep_input();
  constexpr std::string_view kWords = "FAIL  an input does not end; it is in ";
  (void)!write(STDOUT_FILENO, kWords.data(), kWords.size());
  (void)!write(STDOUT_FILENO, kFound, std::strlen(kFound));
  (void)!write(STDOUT_FILENO, "\n", 1);
  _exit(1);
}

double seconds_of_processor() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  constexpr double kNano = 1e-9;
  return static_cast<double>(now.tv_sec) + kNano * static_cast<double>(now.tv_nsec);
}

[[noreturn]] void fail(size_t size, double amount, const char* unit) {
  keep_input();
  std::printf("FAIL  an input of %zu bytes took %.1f %s; it is in %s\n", size, amount, unit, kFound);
  std::exit(1);
}

double mib(int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

/// Runs the target on one input. Exits if it took too long or too much memory.
void try_one(const std::string& input, Costs& most) {
  g_input = &input;
  const itimerval limit{{}, {g_timeout, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
  const double started = seconds_of_processor();
  parity::fuzz::forget_peak();
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
  const int64_t bytes = parity::fuzz::peak_bytes();
  const double seconds = seconds_of_processor() - started;
  if (seconds > kSlow) fail(input.size(), seconds, "s");
  if (bytes > static_cast<int64_t>(input.size()) + kMoreBytes) fail(input.size(), mib(bytes), "MiB");
  most.seconds = std::max(most.seconds, seconds);
  most.bytes = std::max(most.bytes, bytes);
}

}  // namespace

int main(int argc, char** argv) {
  int64_t runs = 10000;
  uint64_t seed = 1;
  bool replay = false;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--runs" && i + 1 < argc) {
      runs = std::atoll(argv[++i]);
    } else if (word == "--seed" && i + 1 < argc) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--timeout" && i + 1 < argc) {
      g_timeout = std::max(std::atoi(argv[++i]), 1);
    } else if (word == "--replay") {
      replay = true;
    } else {
      paths.push_back(word);
    }
  }
  const std::vector<std::string> corpus = corpus_of(paths);
  if (corpus.empty()) return std::fputs("no corpus; name files or a folder of fuzz/corpus\n", stderr), 2;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(signal, die);
  std::signal(SIGPROF, give_up);
  const bool counted = parity::fuzz::count_allocations();
  Costs most;
  for (const std::string& input : corpus) try_one(input, most);
  std::mt19937_64 random(seed);
  for (int64_t i = 0; i < runs && !replay; ++i) try_one(parity::fuzz::mutated(corpus, random), most);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("PASS  %lld inputs of %zu files, seed %llu: slowest %.3f s, most allocated %.1f MiB%s, process %ld MiB\n",
              static_cast<long long>(replay ? 0 : runs), corpus.size(), static_cast<unsigned long long>(seed),
              most.seconds, mib(most.bytes), counted ? "" : " (not counted: no address sanitizer)",
              usage.ru_maxrss / 1024);
  return 0;
}
