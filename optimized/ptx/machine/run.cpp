// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <set>
#include <thread>

#include "optimized/ptx/machine/grid_workspace.hpp"
#include "optimized/ptx/machine/machine.hpp"

namespace parity::ptx {
namespace {

constexpr uint32_t kMostThreads = 1024, kMostShared = 227U * 1024U, kMostCluster = 16;

uint32_t aligned(uint32_t value, uint64_t alignment) {
  const auto a = static_cast<uint32_t>(std::max<uint64_t>(1, alignment));
  return (value + a - 1) / a * a;
}

/// Functions that the kernel may reach: called, or their address taken.
std::set<uint32_t> reachable(const Program& program, const Code& entry) {
  std::set<uint32_t> found;
  std::vector<uint32_t> open{entry.index};
  while (!open.empty()) {
    const uint32_t index = open.back();
    open.pop_back();
    if (index == kNoFunction || !found.insert(index).second) continue;
    const Code& code = program.codes()[index];
    open.insert(open.end(), code.callees.begin(), code.callees.end());
    for (const Relocation& relocation : code.relocations) {
      const Code* other = relocation.kind == Relocation::Kind::function ? program.find(relocation.symbol) : nullptr;
      if (other != nullptr) open.push_back(other->index);
    }
  }
  return found;
}

/// "function::name" for a variable of a function.
const Variable& shared_variable(const Program& program, const std::string& symbol) {
  const size_t colon = symbol.find("::");
  if (colon == std::string::npos) return program.module().variables.at(symbol);
  return program.module().functions.at(symbol.substr(0, colon)).variables.at(symbol.substr(colon + 2));
}

void lay_out_shared(Machine& machine) {
  uint32_t at = kSharedStart;
  std::vector<std::string> dynamic;
  for (const uint32_t index : reachable(machine.program, machine.entry)) {
    for (const Relocation& relocation : machine.program.codes()[index].relocations) {
      if (relocation.kind != Relocation::Kind::shared || machine.shared_symbols.contains(relocation.symbol)) continue;
      const Variable& variable = shared_variable(machine.program, relocation.symbol);
      machine.shared_symbols[relocation.symbol] = 0;
      if (variable.unsized) {
        dynamic.push_back(relocation.symbol);
        continue;
      }
      PARITY_CHECK(variable.bytes <= kMostShared, usage, "{}: {} bytes of shared memory; a block has at most {}",
                   relocation.symbol, variable.bytes, kMostShared);
      at = aligned(at, variable.alignment);
      machine.shared_symbols[relocation.symbol] = at;
      at += static_cast<uint32_t>(variable.bytes);
    }
  }
  uint64_t alignment = 16;
  for (const std::string& symbol : dynamic)
    alignment = std::max(alignment, shared_variable(machine.program, symbol).alignment);
  if (!dynamic.empty() || machine.launch.dynamic_shared > 0) at = aligned(at, alignment);
  for (const std::string& symbol : dynamic) machine.shared_symbols[symbol] = at;
  machine.static_shared = at - kSharedStart;
  machine.shared_bytes = at + machine.launch.dynamic_shared;
  PARITY_CHECK(machine.shared_bytes - kSharedStart <= kMostShared, usage,
               "{} bytes of static and {} of dynamic shared memory; a block has at most {}", machine.static_shared,
               machine.launch.dynamic_shared, kMostShared);
}

uint64_t value_of(Machine& machine, const Relocation& relocation) {
  const auto addend = static_cast<uint64_t>(relocation.addend);
  switch (relocation.kind) {
    case Relocation::Kind::global:
      return machine.device.symbol(machine.program, relocation.symbol) + addend;
    case Relocation::Kind::shared: {
      const auto found = machine.shared_symbols.find(relocation.symbol);
      return (found == machine.shared_symbols.end() ? 0 : found->second) + addend;
    }
    case Relocation::Kind::function: {
      const Code* code = machine.program.find(relocation.symbol);
      return kFunctionWindow + (code == nullptr ? ~uint32_t{0} : code->index);
    }
    case Relocation::Kind::local:
      return 0;
  }
  return 0;
}

void make_images(Machine& machine) {
  for (const Code& code : machine.program.codes()) {
    Image image{code.constants, {}};
    for (const Relocation& relocation : code.relocations) {
      if (relocation.kind == Relocation::Kind::local) {
        image.of_frames.push_back(&relocation);
        continue;
      }
      const uint64_t value = value_of(machine, relocation);
      uint8_t* to = image.constants.data() + (relocation.at - code.constants_at);
      for (uint32_t lane = 0; lane < kLanes; ++lane)
        std::memcpy(to + size_t{lane} * relocation.width, &value, relocation.width);
    }
    machine.images.push_back(std::move(image));
  }
}

void check_sizes(const Machine& machine) {
  const Launch& launch = machine.launch;
  const Function& function = *machine.entry.function;
  const uint64_t threads = launch.block.count();
  PARITY_CHECK(threads > 0 && threads <= kMostThreads, usage, "{}: {} threads in a block; ask for 1 to {}",
               launch.kernel, threads, kMostThreads);
  PARITY_CHECK(launch.grid.count() > 0 && launch.grid.count() * 32 < uint64_t{1} << 31U, usage,
               "{}: a grid of {} blocks; ask for 1 to 2^26", launch.kernel, launch.grid.count());
  const auto required = function.directives.find(".reqntid");
  if (required != function.directives.end()) {
    const auto& [x, y, z] = required->second;
    PARITY_CHECK((launch.block == Dim{x, y, z}), usage, "{}: .reqntid asks for blocks of {} x {} x {}", launch.kernel,
                 x, y, z);
  }
  const auto most = function.directives.find(".maxntid");
  if (most != function.directives.end()) {
    const uint64_t limit = uint64_t{most->second[0]} * most->second[1] * most->second[2];
    PARITY_CHECK(threads <= limit, usage, "{}: .maxntid allows {} threads, not {}", launch.kernel, limit, threads);
  }
  const Dim& cluster = machine.cluster;
  const bool divides = cluster.count() > 0 && cluster.count() <= kMostCluster && launch.grid.x % cluster.x == 0 &&
                       launch.grid.y % cluster.y == 0 && launch.grid.z % cluster.z == 0;
  PARITY_CHECK(divides, usage, "{}: clusters of {} x {} x {} do not divide the grid, or have more than {} blocks",
               launch.kernel, cluster.x, cluster.y, cluster.z, kMostCluster);
  uint64_t bytes = 0;
  for (const auto& [name, place] : machine.entry_params) bytes = std::max<uint64_t>(bytes, place.offset + place.bytes);
  PARITY_CHECK(launch.parameters.bytes().size() >= bytes, usage, "{}: {} bytes of parameters, {} were given",
               launch.kernel, bytes, launch.parameters.bytes().size());
}

Dim cluster_of(const Code& entry, const Launch& launch) {
  const auto required = entry.function->directives.find(".reqnctapercluster");
  if (launch.cluster.count() != 1 || required == entry.function->directives.end()) return launch.cluster;
  return {required->second[0], required->second[1], required->second[2]};
}

void choose_blocks(Machine& machine) {
  const uint64_t size = machine.cluster.count(), wanted = (machine.options.sample.blocks + size - 1) / size;
  if (wanted == 0 || wanted >= machine.gangs) return;
  machine.sampled = spread(machine.gangs, wanted, machine.options.sample.seed);
  machine.gangs = wanted;
}

void work(Worker& worker) {
  try {
    worker.run();
  } catch (...) {
    const std::lock_guard lock(worker.machine.mutex);
    if (!worker.machine.error) worker.machine.error = std::current_exception();
    worker.machine.stop = true;
  }
}

void run_workers(Machine& machine, Outcome& outcome) {
  std::vector<std::unique_ptr<Worker>> workers;
  for (uint32_t i = 0; i < machine.workers; ++i) workers.push_back(std::make_unique<Worker>(machine, i));
  machine.running = machine.workers;
  std::vector<std::thread> threads;
  for (uint32_t i = 1; i < machine.workers; ++i) threads.emplace_back([&, i] { work(*workers[i]); });
  work(*workers[0]);
  for (std::thread& thread : threads) thread.join();
  auto& counts = workers.front()->counts;  // of all, from here on
  for (const Code& code : machine.program.codes()) {
    for (size_t i = 0; i < code.steps.size(); ++i) {
      uint64_t& count = counts[code.index][i];
      for (size_t w = 1; w < workers.size(); ++w) count += workers[w]->counts[code.index][i];
      outcome.counts[static_cast<size_t>(code.steps[i].kind)] += count;
      outcome.warp_instructions += count;
    }
  }
  if (!machine.options.counters) return;
  Counting& counting = *workers.front()->counting;
  for (size_t w = 1; w < workers.size(); ++w) counting.add(*workers[w]->counting);
  outcome.counters = counting.result(machine.program, counts);
  outcome.counters->kernel = machine.launch.kernel;
  outcome.counters->blocks = machine.launch.grid.count();
  for (const uint64_t gang : machine.sampled) {
    for (uint64_t rank = 0; rank < machine.cluster.count(); ++rank)
      outcome.counters->run.push_back(static_cast<uint32_t>(gang * machine.cluster.count() + rank));
  }
}

}  // namespace

void PageLocks::lock(uint64_t set) {
  for (uint32_t i = 0; i < kCount; ++i) {
    if ((set >> i & 1U) != 0) mutexes_[i].lock();
  }
}

void PageLocks::unlock(uint64_t set) {
  for (uint32_t i = 0; i < kCount; ++i) {
    if ((set >> i & 1U) != 0) mutexes_[i].unlock();
  }
}

Outcome run(const Program& program, Device& device, const Launch& launch, const Options& options) {
  Machine machine(program, device, launch, options);
  const GridWorkspace workspace(program, device);
  machine.grid_workspace = workspace.address();
  const Code& entry = machine.entry;
  machine.cluster = cluster_of(entry, launch);
  machine.entry_params = entry.launched;
  check_sizes(machine);
  PARITY_CHECK(device.tracks() || !options.checks, usage, "{}: checks need memory that tracks unwritten bytes",
               launch.kernel);
  machine.warps_per_block = static_cast<uint32_t>((launch.block.count() + kLanes - 1) / kLanes);
  machine.gangs = launch.grid.count() / machine.cluster.count();
  choose_blocks(machine);
  machine.workers =
      static_cast<uint32_t>(std::clamp<uint64_t>(std::min<uint64_t>(options.workers, machine.gangs), 1, 256));
  static_cast<void>(device.symbols(program));
  lay_out_shared(machine);
  make_images(machine);
  for (const auto& allocation : device.allocations()) {
    allocation->pages.clear();
    if (options.checks && !allocation->freed) allocation->pages.resize(allocation->bytes / ShadowPage::kBytes + 1);
  }
  Outcome outcome;
  run_workers(machine, outcome);
  for (const auto& allocation : device.allocations()) allocation->pages.clear();
  if (machine.error) std::rethrow_exception(machine.error);
  outcome.findings = std::move(machine.findings);
  outcome.printed = std::move(machine.printed);
  return outcome;
}

}  // namespace parity::ptx
