// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/counters/counters.hpp"

#include "benches/cases.hpp"
#include "benches/chain.hpp"
#include "core/text.hpp"
#include "optimized/backends.hpp"

namespace parity::benches {
namespace {

using optimized::cuda::CountedLaunch;
using optimized::cuda::LaunchCounters;

/// Runs a kernel of which only sampled blocks run, so that its outputs cannot be judged.
std::string why_not_run(const Call& call, const ErasedKernel& kernel) {
  try {
    Prepared(call, kernel).run();
  } catch (const Error& error) {
    return fmt::format("{}; blocks outside of the sample did not run: count all blocks with --sample 0", error.what());
  }
  return {};
}

CountedCase count_case(const BenchCase& bench, DType type, const CaseKernel& kernel, const CounterOptions& options) {
  CountedCase counted{bench.name(type) + "/" + kernel.label};
  if (options.progress) options.progress(counted.name);
  const Call drawn = bench.make(type, options.seed);
  counted.ideal = bench.work(drawn);
  const Call call = drawn.at(kernel.entry->place(0));
  const LaunchCounters counters({options.sample, options.seed});
  counted.why = options.sample == 0 ? why_wrong(call, kernel.entry->run, slices_of(call, options.seed)).value_or("")
                                    : why_not_run(call, kernel.entry->run);
  if (counted.why.empty()) counted.launches = counters.launches();
  return counted;
}

/// Adds what ptxas says of the launched kernels. `modules` keeps it for each file.
void add_assembled(CountedCase& counted, const ptx::Gpu& gpu, std::map<std::string, AssembledModule>& modules) {
  for (const CountedLaunch& launch : counted.launches) {
    const std::string& module = launch.what.module;
    if (!modules.contains(module)) modules[module] = assembled_for(module, gpu);
    const AssembledModule& made = modules.at(module);
    if (const auto found = made.kernels.find(launch.what.kernel); found != made.kernels.end())
      counted.assembled.insert(*found);
    if (!made.why.empty()) counted.left_out.push_back(made.why);
  }
}

/// Of "cuda-host" or "cuda-host:sm90".
PlaceOf place_of(const optimized::Backend& machine, const std::string& backend) {
  for (const optimized::OtherPlace& other : machine.others)
    if (backend == machine.name + ":" + other.name) return other.place;
  return machine.place;
}

double as_number(uint64_t count) { return static_cast<double>(count); }

std::optional<double> quotient(double part, double of) { return of > 0 ? std::optional(part / of) : std::nullopt; }

}  // namespace

std::vector<CountedCase> count_cases(const CounterOptions& options) {
  const optimized::Backend& machine = *optimized::find_backend(kCountedBackend);
  machine.require();
  const PlaceOf place = place_of(machine, options.backend);
  std::map<std::string, AssembledModule> modules;
  std::vector<CountedCase> cases;
  for (const BenchCase& bench : bench_cases()) {
    for (const DType type : {DType::f32, DType::bf16}) {
      for (const CaseKernel& kernel : kernels_of(bench, type)) {
        // Places with checks run the same kernels, and change no count.
        const bool counts = kernel.entry->backend == kCountedBackend && kernel.entry->place == place;
        if (!counts || !glob_match(options.select, bench.name(type) + "/" + kernel.label)) continue;
        cases.push_back(count_case(bench, type, kernel, options));
        if (options.gpu != nullptr) add_assembled(cases.back(), *options.gpu, modules);
      }
    }
  }
  return cases;
}

ptx::Cost CountedCase::total() const {
  ptx::Cost sum;
  for (const CountedLaunch& launch : launches) sum += launch.counters.total();
  return sum;
}

std::optional<ptx::UniqueBytes> CountedCase::stated() const {
  if (launches.size() != 1 || launches.front().counters.unique || ideal.bytes() <= 0) return std::nullopt;
  return ptx::UniqueBytes{{}, static_cast<uint64_t>(ideal.read), static_cast<uint64_t>(ideal.written)};
}

OverIdeal over_ideal(const CountedCase& counted) {
  const ptx::Cost total = counted.total();
  double products = 0, unique = 0;
  bool known = !counted.launches.empty();
  for (const auto& [shape, count] : total.multiply_adds) products += 2 * as_number(count);
  for (const CountedLaunch& launch : counted.launches) {
    known &= launch.counters.unique.has_value();
    if (known) unique += as_number(launch.counters.unique->read + launch.counters.unique->written);
  }
  OverIdeal over;
  if (products > 0) over.tensor = quotient(products, counted.ideal.flops);
  if (known) over.dram = quotient(unique, counted.ideal.bytes());
  const auto stated = counted.stated();
  over.l2_of_operands = stated.has_value();
  const ptx::SectorCount global = total.all_global();
  const double sectors = as_number((global.sectors + total.local.sectors) * ptx::kSectorBytes);
  if (known || stated) over.l2 = quotient(sectors, known ? unique : counted.ideal.bytes());
  over.conflicts = quotient(as_number(total.shared.conflicts()), as_number(total.shared.wavefronts));
  over.coalesced = quotient(as_number(global.coalesced), as_number(global.requests));
  return over;
}

std::optional<ptx::Occupancy> occupancy_of(const CountedCase& counted, const CountedLaunch& launch,
                                           const ptx::Gpu& gpu) {
  const auto found = counted.assembled.find(launch.what.kernel);
  if (found == counted.assembled.end()) return std::nullopt;
  const auto& [x, y, z] = launch.what.block;
  return ptx::occupancy_of(
      {x * y * z, found->second.registers, found->second.shared_bytes + launch.what.dynamic_shared}, gpu.residency);
}

}  // namespace parity::benches
