// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cuda_host/machine_place.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>

#include <fmt/ranges.h>
#include <omp.h>

#include "core/found_error.hpp"
#include "optimized/cuda/modules.hpp"
#include "optimized/cuda_host/launch_counters.hpp"
#include "optimized/ptx/matrix/tensor_map.hpp"

namespace parity::optimized::cuda {
namespace {

uint64_t address_of(const std::byte* data) { return std::bit_cast<uint64_t>(data); }

ptx::Dim dim(const Dim& of) { return {of.x, of.y, of.z}; }

/// Returns the seed of the schedule from PARITY_PTX_SEED, and 0, the default schedule, without it.
uint64_t schedule_seed() {
  const char* given = std::getenv("PARITY_PTX_SEED");
  if (given == nullptr) return 0;
  const std::string_view text = given;
  uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  PARITY_CHECK(error == std::errc{} && end == text.data() + text.size(), usage,
               "PARITY_PTX_SEED is '{}'; give a number from 0 on, or unset it", text);
  return seed;
}

/// Threads that do not meet make accesses race, and what was not stored in time is read unwritten.
int distance_from_cause(ptx::Finding::Kind kind) {
  using Kind = ptx::Finding::Kind;
  if (kind == Kind::early_exit || kind == Kind::barrier_divergence || kind == Kind::bad_barrier) return 0;
  return kind == Kind::unwritten ? 2 : 1;
}

/// Throws FoundError with the findings that are nearest to a cause.
void require_none(const std::string& source, std::vector<ptx::Finding> findings) {
  constexpr size_t kShown = 3;
  if (findings.empty()) return;
  std::stable_sort(findings.begin(), findings.end(), [](const ptx::Finding& a, const ptx::Finding& b) {
    return distance_from_cause(a.kind) < distance_from_cause(b.kind);
  });
  std::vector<std::string> lines;
  std::vector<FoundError::Lines> blocks;
  for (size_t i = 0; i < std::min(findings.size(), kShown); ++i) {
    lines.push_back(ptx::describe(findings[i]));
    blocks.push_back(ptx::lines_of(findings[i]));
  }
  const size_t hidden = findings.size() - lines.size();
  if (hidden > 0) lines.push_back(fmt::format("{} more", hidden));
  if (hidden > 0) blocks.push_back({lines.back()});
  throw FoundError(ErrorCode::device,
                   fmt::format("the PTX machine found in {}: {}; fix the kernel", source, fmt::join(lines, " | ")),
                   fmt::format("the PTX machine found {} defect{} in {}; fix the kernel", findings.size(),
                               findings.size() == 1 ? "" : "s", source),
                   std::move(blocks));
}

}  // namespace

std::string MachinePlace::name() const {
  const std::string which = capability_ == kCapability ? "" : fmt::format(" as compute capability {}", capability_);
  return fmt::format("the PTX machine{}{}", which, checked_ ? ", with checks" : "");
}

TensorMap MachinePlace::tensor_map(const TensorBoxes& boxes) const {
  require_boxes(boxes);
  ptx::TensorMap map;
  map.element = ptx::TensorElement::bf16;
  map.rank = TensorBoxes::kRank;
  map.address = address_of(static_cast<const std::byte*>(boxes.data));
  map.swizzle = ptx::Swizzle::b128;
  for (size_t axis = 0; axis < TensorBoxes::kRank; ++axis) {
    map.size[axis] = static_cast<uint64_t>(boxes.extent[axis]);
    map.box[axis] = boxes.box[axis];
    if (axis > 0) map.stride[axis - 1] = static_cast<uint64_t>(boxes.stride[axis]) * sizeof(BFloat16);
  }
  return std::bit_cast<TensorMap>(ptx::encode_tensor_map(map));
}

std::shared_ptr<std::byte[]> MachinePlace::allocate(size_t bytes, size_t alignment) {
  constexpr size_t kAligned = size_t{1} << 20U;  // of every allocation of the machine
  PARITY_CHECK(alignment <= kAligned, internal, "memory aligned to {} bytes is asked for; the PTX machine aligns to {}",
               alignment, kAligned);
  require_no_recording("memory is allocated");
  const std::scoped_lock lock(mutex_);
  const uint64_t address = device_.allocate(std::max<size_t>(bytes, 1));
  return {std::bit_cast<std::byte*>(address), [this](std::byte* memory) {
            const std::scoped_lock locked(mutex_);
            device_.free(address_of(memory));
          }};
}

void MachinePlace::write(std::byte* target, const std::byte* host, size_t bytes) {
  if (recording_ != nullptr)
    return defer(
        [this, target, given = std::vector(host, host + bytes)] { write(target, given.data(), given.size()); });
  store(target, host, bytes);
  count({static_cast<int64_t>(bytes), 0, 0, 0});
}

void MachinePlace::store(std::byte* target, const std::byte* host, size_t bytes) {
  const std::scoped_lock lock(mutex_);
  if (bytes > 0) device_.write(address_of(target), host, bytes);
}

void MachinePlace::read(std::byte* host, const std::byte* source, size_t bytes) const {
  require_no_recording("the host reads a result");
  const std::scoped_lock lock(mutex_);
  if (bytes > 0) device_.read(address_of(source), host, bytes);
  count({0, static_cast<int64_t>(bytes), 0, 0});
}

void MachinePlace::fill(std::byte* target, size_t bytes, std::span<const std::byte> pattern) {
  if (bytes == 0) return;
  if (recording_ != nullptr)
    return defer(
        [this, target, bytes, given = std::vector(pattern.begin(), pattern.end())] { fill(target, bytes, given); });
  std::vector<std::byte> filled(bytes);
  for (size_t i = 0; i < bytes; ++i) filled[i] = pattern[i % pattern.size()];
  store(target, filled.data(), bytes);
  mark(target, bytes, ptx::Mark::unwritten);
}

void MachinePlace::guard(std::byte* target, size_t bytes, std::span<const std::byte> pattern) {
  require_no_recording("guard bytes are written");
  fill(target, bytes, pattern);
  mark(target, bytes, ptx::Mark::outside);
}

void MachinePlace::mark(std::byte* target, size_t bytes, ptx::Mark::Byte mark) {
  const std::scoped_lock lock(mutex_);
  if (bytes > 0) device_.mark(address_of(target), bytes, mark);
}

void MachinePlace::clear(std::byte* target, size_t bytes) {
  if (recording_ != nullptr) return defer([this, target, bytes] { clear(target, bytes); });
  const std::vector<std::byte> zeros(bytes);
  store(target, zeros.data(), bytes);
}

const ptx::Program& MachinePlace::program(const std::string& module) {
  const std::scoped_lock lock(mutex_);
  const auto known = programs_.find(module);
  if (known != programs_.end()) return known->second;
  return programs_.try_emplace(module, module_text(module, capability_)).first->second;
}

void MachinePlace::launch(const Launch& what, std::span<const std::byte> parameters) {
  const std::string source = what.module + ".cu";
  const auto& of = with_context(source, [&]() -> const ptx::Program& { return program(what.module); });
  say_started(what.module, what.kernel);
  launch(of, source, what, parameters);
}

void MachinePlace::launch(const ptx::Program& program, const std::string& source, const Launch& what,
                          std::span<const std::byte> parameters, uint64_t most_instructions) {
  if (what.grid.x == 0 || what.grid.y == 0 || what.grid.z == 0) return;
  if (recording_ != nullptr)
    return defer([=, this, &program, given = std::vector(parameters.begin(), parameters.end())] {
      launch(program, source, what, given, most_instructions);
    });
  count({0, 0, 1, 0});
  ptx::Launch launch{what.kernel, dim(what.grid), dim(what.block), dim(what.cluster), what.dynamic_shared, {}};
  for (const std::byte byte : parameters) launch.parameters.add(byte);
  ptx::Options options;
  options.checks = checked_;
  options.most_instructions = most_instructions;
  LaunchCounters* const counters = LaunchCounters::active();
  options.counters = counters != nullptr;
  if (counters != nullptr) options.sample = counters->sample();
  options.seed = schedule_seed();
  options.workers = static_cast<uint32_t>(std::min<uint64_t>(omp_get_max_threads(), launch.grid.count()));
  const std::scoped_lock lock(mutex_);
  ptx::Outcome outcome = with_context(source, [&] { return ptx::run(program, device_, launch, options); });
  require_none(source, outcome.findings);
  if (counters != nullptr) counters->add({what, std::move(outcome.counters.value())});
}

}  // namespace parity::optimized::cuda
