// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Counts the instructions of one call, which vary less than times. Callgrind runs in a separate process on one thread.
// Valgrind does not support AVX-512, so that the kernels run at their AVX2 level there.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <omp.h>

#include "benches/baseline.hpp"
#include "benches/chain.hpp"
#include "core/shell.hpp"
#include "core/text.hpp"
#include "golden/files/temporary_folder.hpp"
#include "optimized/registry.hpp"

/// The function that callgrind counts; callgrind writes a file after every call of it.
extern "C" [[gnu::noinline]] void parity_bench_counted(const std::function<void()>& body) {
  body();
  asm volatile("" ::: "memory");
}

namespace parity::benches {
namespace {

struct Named {
  const BenchCase* bench;
  DType type;
  const KernelEntry* kernel;
};

/// Returns the case and kernel of a name such as "rms_norm/tokens-512/bf16/cpu". Error{usage} for other names.
Named named(const std::string& name) {
  std::vector<std::string> known;
  for (const BenchCase& bench : bench_cases()) {
    for (const DType type : {DType::f32, DType::bf16}) {
      for (const auto& [label, entry] : kernels_of(bench, type)) {
        known.push_back(bench.name(type) + "/" + label);
        if (known.back() == name) return {&bench, type, entry};
      }
    }
  }
  throw Error(ErrorCode::usage,
              fmt::format("case '{}' is not known{}; parity bench lists all", name, did_you_mean(name, known)));
}

/// Returns the sum after "summary:" or "totals:" in a file of callgrind.
int64_t total_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    for (const std::string key : {"summary: ", "totals: "}) {
      if (line.starts_with(key)) return std::stoll(line.substr(key.size()));
    }
  }
  throw Error(ErrorCode::device, fmt::format("{}: this file of callgrind has no instruction count", path.string()));
}

}  // namespace

void run_counted(const std::string& name, int64_t calls, double extra) {
  const Named what = named(name);
  omp_set_num_threads(1);
  const Call call = what.bench->make(what.type, 1).at(what.kernel->place(0));
  const Prepared prepared(call, what.kernel->run);
  prepared.run();  // a first call outside the count, for what is set up once
  const auto extra_steps = static_cast<int64_t>(extra);
  for (int64_t i = 0; i < calls; ++i) {
    parity_bench_counted([&] {
      prepared.run();
      for (int64_t step = 0; step < extra_steps; ++step) asm volatile("");
    });
  }
}

std::vector<int64_t> counted_instructions(const std::string& program, const std::string& name, int64_t calls,
                                          double extra) {
  static_cast<void>(named(name));
  PARITY_CHECK(std::system("command -v valgrind >/dev/null 2>&1") == 0, device,
               "valgrind is not installed; apt-get install valgrind");
  const golden::TemporaryFolder folder;
  const std::string command = fmt::format(
      "OMP_NUM_THREADS=1 valgrind --tool=callgrind --callgrind-out-file={} --collect-atstart=no "
      "--toggle-collect=parity_bench_counted --dump-after=parity_bench_counted {} bench --counted {} --calls {} "
      "--extra {} "
      ">{} 2>&1",
      shell_quoted((folder / "out").string()), shell_quoted(program), shell_quoted(name), calls + 1, extra,
      shell_quoted((folder / "log").string()));
  const int status = std::system(command.c_str());
  std::vector<int64_t> counts;
  for (int64_t i = 2; i <= calls + 1; ++i) {  // skips the first call, which still binds symbols
    const auto file = folder / fmt::format("out.{}", i);
    if (std::filesystem::exists(file)) counts.push_back(total_of(file));
  }
  PARITY_CHECK(status == 0 && static_cast<int64_t>(counts.size()) == calls, device,
               "callgrind counted {} of {} calls of {}; run valgrind --tool=callgrind {} bench --counted {} to see why",
               counts.size(), calls, name, program, name);
  return counts;
}

}  // namespace parity::benches
