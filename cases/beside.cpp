// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/beside.hpp"

#include <algorithm>
#include <cmath>

#include "cases/battery.hpp"
#include "optimized/cuda/launch.hpp"
#include "optimized/cuda_host/launch_counters.hpp"

namespace parity::cases {
namespace {

/// Instructions of the launches that the PTX machine ran, of those whose bits are the GPU's own.
std::set<std::string> free_of(const optimized::cuda::LaunchCounters& counters, bool measured) {
  std::set<std::string> free;
  for (const optimized::cuda::CountedLaunch& launch : counters.launches())
    for (const ptx::LineCost& line : launch.counters.lines)
      if (is_free(line.opcode, measured)) free.insert(line.opcode);
  return free;
}

/// Whether the kernel's matrix products are the PTX machine's, or those of a GPU like the one that was measured.
bool multiplies_as_measured(const std::string& backend, const KernelEntry& kernel) {
  if (backend.starts_with("cuda-host")) return true;
  if (!backend.starts_with("cuda")) return false;
  const auto* place = dynamic_cast<const optimized::cuda::CudaPlace*>(&kernel.place(0));
  return place != nullptr && place->capability() == 90;
}

bool has(const std::string& opcode, const char* part) { return opcode.find(part) != std::string::npos; }

bool is_product(const std::string& opcode) {
  return opcode.starts_with("mma.") || opcode.starts_with("wmma.mma.") || opcode.starts_with("wgmma.mma_async.");
}

/// wmma, m8n8k4 of f16, and two of warpgroups: sums in f16, and products of 8-bit floating-point types. The latter were
/// measured with C = 1 alone, but kernels add to earlier sums.
bool is_unmeasured(const std::string& opcode) {
  if (opcode.starts_with("wmma.") || (has(opcode, "m8n8k4.") && !has(opcode, ".f64"))) return true;
  return opcode.starts_with("wgmma") && (has(opcode, "k16.f16.") || has(opcode, ".e4m3") || has(opcode, ".e5m2"));
}

void compare_elements(const Tensor& ours, const Tensor& theirs, Difference& row, const std::string& name) {
  const DType type = ours.dtype();
  const std::byte *a = ours.view().data, *b = theirs.view().data;
  const int64_t count = ours.view().count(), size = size_of(type);
  row.elements += count;
  for (int64_t i = 0; i < count; ++i) {
    if (std::equal(a + i * size, a + (i + 1) * size, b + i * size)) continue;
    const double x = load_element(type, a + i * size), y = load_element(type, b + i * size);
    if (std::isnan(x) && std::isnan(y)) continue;
    ++row.different;
    const double ulps = type == DType::i64 ? std::abs(x - y) : ulp_distance(type, x, y);
    if (ulps <= row.ulps) continue;
    row.ulps = ulps;
    row.worst_case = name;
  }
}

}  // namespace

bool is_free(const std::string& opcode, bool measured) {
  if (is_product(opcode)) {
    const bool exact = has(opcode, ".s32");  // sums of integers; of others, how products are added up is open
    return !exact && (!measured || is_unmeasured(opcode));
  }
  if (has(opcode, ".approx") || has(opcode, "tanh")) return true;
  const bool adds = (opcode.starts_with("atom") || opcode.starts_with("red")) && has(opcode, ".add");
  return adds &&  // in any order
         (has(opcode, ".f32") || has(opcode, ".f16") || has(opcode, ".bf16") || has(opcode, ".f64"));
}

void Differences::add(const CaseSpec& spec, const std::map<std::string, Tensor>& ours,
                      const std::map<std::string, Tensor>& theirs) {
  const std::scoped_lock lock(mutex_);
  Difference& row = rows_[{spec.component, spec.working}];
  ++row.cases;
  for (const auto& [output, tensor] : ours) compare_elements(tensor, theirs.at(output), row, spec.text());
}

void Differences::add_instructions(const CaseSpec& spec, const std::set<std::string>& free) {
  const std::scoped_lock lock(mutex_);
  Difference& row = rows_[{spec.component, spec.working}];
  row.known = true;
  row.free.insert(free.begin(), free.end());
}

CaseKernel beside(const std::string& backend, const std::string& other, Differences& into) {
  PARITY_CHECK(has_kernels(other), usage, "--beside '{}' is not a backend of this build; parity doctor lists them",
               other);
  const CaseKernel ours = with_backend(backend), theirs = with_backend(other);
  CaseKernel both = ours;
  both.run = [=, &into](const DrawnCase& drawn, const replay::Evaluator& evaluator) {
    auto outputs = ours.run(drawn, evaluator);
    const auto kernel_of = [&](const std::string& name) {
      return native_kernel(name, drawn.spec.component, drawn.spec.working).entry;
    };
    const KernelEntry *our_kernel = kernel_of(backend), *their_kernel = kernel_of(other);
    if (their_kernel == nullptr) return outputs;
    const optimized::cuda::LaunchCounters counters;
    into.add(drawn.spec, outputs, theirs.run(drawn, evaluator));
    if (counters.launches().empty()) return outputs;
    const bool measured = our_kernel != nullptr && multiplies_as_measured(backend, *our_kernel) &&
                          multiplies_as_measured(other, *their_kernel);
    into.add_instructions(drawn.spec, free_of(counters, measured));
    return outputs;
  };
  return both;
}

}  // namespace parity::cases
