// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Checks native kernels under the guards. The cases are those of the battery, which define the types of operands.

#include <algorithm>
#include <map>

#include "cases/drawn/case.hpp"
#include "cases/guards.hpp"
#include "cases/native_case.hpp"
#include "cases/refused.hpp"
#include "cases/tiles.hpp"
#include "core/found_error.hpp"

namespace parity::cases {
namespace {

/// Whether the PTX machine saw the kernel leave its memory. Its other findings end the study.
bool is_out_of_bounds(const FoundError& error) {
  return std::any_of(error.findings().begin(), error.findings().end(),
                     [](const auto& lines) { return lines.front().starts_with("out of bounds"); });
}

GuardResults broken_by(Guard guard, const std::string& detail) {
  GuardResults results{};
  results[static_cast<size_t>(guard)] = {GuardResult::State::broken, 1, detail};
  return results;
}

DType working_type(const KernelEntry& entry) {
  const auto working = parse_dtype(entry.variant.substr(0, entry.variant.find('-')));
  PARITY_CHECK(working.has_value(), internal, "the variant of kernel {} {}:{} names no element type", entry.component,
               entry.backend, entry.variant);
  return *working;
}

int64_t input_elements(const KernelCall& call) {
  int64_t count = 0;
  for (const auto& input : call.inputs) {
    for (const auto& tensor : input.tensors) count += tensor.count();
  }
  return count;
}

/// Calls across tiles, small enough to be run in every layout.
std::vector<CaseSpec> small_tile_cases(const Registry& registry, const std::string& component, DType working) {
  constexpr int64_t kMostElements = 150'000;
  std::vector<CaseSpec> specs;
  for (const Tile& tile : tiles()) {
    if (tile.component != component) continue;
    const CaseSpec spec = case_across(tile, working);
    const DrawnCase drawn = draw_case(spec);
    if (input_elements(native_call(drawn, registry.component(component))) <= kMostElements) specs.push_back(spec);
  }
  return specs;
}

class NativeGuards {
 public:
  NativeGuards(const Registry& registry, const GuardOptions& options) : registry_(registry), options_(options) {}

  [[nodiscard]] KernelGuards of(const KernelEntry& entry) {
    constexpr int64_t kCasesPerSeed = 3;  // like the number of calls of a reference kernel
    const DType working = working_type(entry);
    KernelGuards kernel{entry.component, entry.backend, entry.variant, 0, {}, {}, {}, {}};
    for (int64_t i = 0; i < options_.seeds * kCasesPerSeed; ++i) {
      const Lane lane = i % 2 == 0 ? Lane::boundary : Lane::anywhere;
      const CaseSpec any{entry.component, working, lane, static_cast<uint64_t>(i), {}};
      const std::optional<CaseSpec> fitted = options_.fitted ? options_.fitted(any) : any;
      if (fitted) run(entry, *fitted, &check_guards, kernel);
    }
    if (!options_.tiles || entry.variant.ends_with("checked")) return kernel;  // the same kernels, many times slower
    for (const CaseSpec& spec : tile_cases(entry.component, working)) run(entry, spec, &check_layouts_alone, kernel);
    return kernel;
  }

 private:
  void run(const KernelEntry& entry, const CaseSpec& spec, GuardResults (*check)(const GuardedKernel&),
           KernelGuards& kernel) const {
    options_.tell(entry, spec.text());
    const DrawnCase drawn = draw_case(spec);
    const Definition& definition = registry_.component(entry.component);
    const KernelCall call = native_call(drawn, definition);
    const auto exact = reference_call(drawn, definition);
    try {
      kernel.add(check({entry.run, call, entry.place(0), exact ? &*exact : nullptr}), spec.text());
    } catch (const Refused&) {  // no call of this kernel
    } catch (const FoundError& error) {
      if (!is_out_of_bounds(error)) throw;
      kernel.add(broken_by(Guard::canaries, error.what()), spec.text());
    }
  }

  const std::vector<CaseSpec>& tile_cases(const std::string& component, DType working) {
    const auto [known, added] = tile_cases_.try_emplace({component, working});
    if (added) known->second = small_tile_cases(registry_, component, working);
    return known->second;
  }

  const Registry& registry_;
  const GuardOptions& options_;
  std::map<std::pair<std::string, DType>, std::vector<CaseSpec>> tile_cases_;
};

}  // namespace

std::vector<KernelGuards> run_native_guards(const Registry& registry, const GuardOptions& options) {
  std::vector<KernelGuards> kernels;
  const auto known = drawn_cases();
  NativeGuards guards(registry, options);
  for (const KernelEntry& entry : registry.kernels()) {
    if (!options.wants(entry)) continue;
    PARITY_CHECK(std::find(known.begin(), known.end(), entry.component) != known.end(), internal,
                 "{} has no random cases; it is neither a component of the reference nor a fused kernel",
                 entry.component);
    kernels.push_back(guards.of(entry));
  }
  return kernels;
}

}  // namespace parity::cases
