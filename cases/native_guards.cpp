// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Checks native kernels under the guards. The cases are those of the battery, which define the types of operands.

#include <algorithm>

#include "cases/guards.hpp"
#include "cases/native_case.hpp"
#include "cases/refused.hpp"
#include "core/found_error.hpp"

namespace parity::cases {
namespace {

/// Whether the PTX machine saw the kernel leave its memory. Its other findings end the study.
bool is_out_of_bounds(const FoundError& error) {
  return std::any_of(error.findings().begin(), error.findings().end(),
                     [](const auto& lines) { return lines.front().starts_with("out of bounds"); });
}

}  // namespace

std::vector<KernelGuards> run_native_guards(const Registry& registry, const GuardOptions& options) {
  constexpr int64_t kCasesPerSeed = 3;  // like the number of calls of a reference kernel
  std::vector<KernelGuards> kernels;
  const auto known = drawn_cases();
  for (const KernelEntry& entry : registry.kernels()) {
    if (!options.wants(entry)) continue;
    PARITY_CHECK(std::find(known.begin(), known.end(), entry.component) != known.end(), internal,
                 "{} has no random cases; it is neither a component of the reference nor a fused kernel",
                 entry.component);
    const auto working = parse_dtype(entry.variant.substr(0, entry.variant.find('-')));
    PARITY_CHECK(working.has_value(), internal, "the variant of kernel {} {}:{} names no element type", entry.component,
                 entry.backend, entry.variant);
    KernelGuards kernel{entry.component, entry.backend, entry.variant, 0, {}, {}, {}, {}};
    for (int64_t i = 0; i < options.seeds * kCasesPerSeed; ++i) {
      const CaseSpec any{
          entry.component, *working, i % 2 == 0 ? Lane::boundary : Lane::anywhere, static_cast<uint64_t>(i), {}};
      const std::optional<CaseSpec> fitted = options.fitted ? options.fitted(any) : any;
      if (!fitted) continue;
      const CaseSpec& spec = *fitted;
      options.tell(entry, spec.text());
      const DrawnCase drawn = draw_case(spec);
      const Definition& definition = registry.component(entry.component);
      const KernelCall call = native_call(drawn, definition);
      const auto exact = reference_call(drawn, definition);
      try {
        kernel.add(check_guards({entry.run, call, entry.place(0), exact ? &*exact : nullptr}), spec.text());
      } catch (const Refused&) {  // no call of this kernel
      } catch (const FoundError& error) {
        if (!is_out_of_bounds(error)) throw;
        GuardResults found{};
        found[static_cast<size_t>(Guard::canaries)] = {GuardResult::State::broken, 1, error.what()};
        kernel.add(found, spec.text());
      }
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace parity::cases
