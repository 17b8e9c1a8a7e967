// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/computed.hpp"

#include <algorithm>

#include "cases/backends.hpp"
#include "faults/catalogue.hpp"
#include "optimized/registry.hpp"

namespace parity::faults {
namespace {

constexpr std::string_view kFault = "fault:", kAround = "+fault:";

/// The parts of a candidate such as "cpu+fault:ID".
struct Word {
  std::string backend, fault;

  explicit Word(const std::string& candidate) {
    const size_t around = candidate.find(kAround);
    if (candidate.starts_with(kFault)) {
      fault = candidate.substr(kFault.size());
    } else {
      backend = candidate.substr(0, around);
      if (around != std::string::npos) fault = candidate.substr(around + kAround.size());
    }
  }
};

/// Wraps the maps of operands around the kernels that the edited nodes had, where there are such kernels.
void wrap_kernels(const Edited& edited, replay::KernelTable& table) {
  for (const auto& [name, around] : edited.wrapped) {
    const replay::KernelTable::Entry* kernel = table.find(around.component);
    if (kernel == nullptr) continue;
    table.kernels.emplace(
        name, replay::KernelTable::Entry{kernel->definition, wrapped(kernel->run, kernel->definition, around.maps),
                                         kernel->place});
  }
}

void fuse(const Kernels& kernels, const replay::TapSource& recorded, replay::Computation& computation) {
  const std::string backend = cases::without_fused(kernels.backend);
  std::set<std::string> apart = kernels.apart;
  apart.insert(computation.by_reference.begin(), computation.by_reference.end());
  const replay::FusionSet set{kernels.fusions != nullptr ? *kernels.fusions : optimized::fusions(),
                              cases::library_of(backend), cases::variant_of(backend, computation.plan.working)};
  replay::FusedPlan fused = replay::fused(
      computation.plan, *computation.registry, set, [&](const std::string& tap) { return recorded.has(tap); }, apart);
  computation.plan = std::move(fused.plan);
  computation.kernels.kernels.merge(fused.kernels);
  computation.chains = std::move(fused.chains);
  for (const replay::FusedChain& chain : computation.chains) {
    const auto edited = [&](const std::string& tap) { return computation.edited.contains(tap); };
    const bool hit = std::any_of(chain.inner.begin(), chain.inner.end(), edited) ||
                     std::any_of(chain.outputs.begin(), chain.outputs.end(), edited);
    if (hit) computation.edited.insert(chain.outputs.front());
  }
}

}  // namespace

replay::Computation computation_of(const Edited& edited, const Kernels& kernels, const WeightSource& weights,
                                   const replay::TapSource& recorded) {
  replay::Computation computation;
  computation.name = kernels.backend.empty() ? "the reference" : kernels.backend;
  computation.plan = edited.plan;
  computation.registry = edited.registry;
  computation.weights = std::make_shared<const EditedWeights>(weights, edited.weights);
  computation.edited = edited.nodes;
  if (!edited.messages.empty()) {
    computation.link = [plan = edited.plan, messages = edited.messages](ranks::Communicator& inner) {
      return faulty_link(inner, plan, messages);
    };
  }
  if (kernels.backend.empty()) return computation;
  const DType working = edited.plan.working;
  computation.kernels = cases::kernels_of(cases::without_fused(kernels.backend), working);
  computation.by_reference = edited.rounded;
  if (computation.kernels.kernels.empty())
    computation.lacking = fmt::format("{} has no kernels of {}", kernels.backend, to_string(working));
  wrap_kernels(edited, computation.kernels);
  if (cases::is_fused(kernels.backend) && computation.lacking.empty()) fuse(kernels, recorded, computation);
  return computation;
}

bool is_computed(const std::string& candidate) {
  const Word word(candidate);
  return word.backend.empty() ? !word.fault.empty() : cases::has_kernels(word.backend);
}

std::string with_fault_word(const std::string& backend, const std::string& fault) {
  return backend.empty() ? std::string(kFault) + fault : backend + std::string(kAround) + fault;
}

compare::Compute compute_of(const std::string& candidate) {
  const Word word(candidate);
  const auto fault = word.fault.empty() ? std::nullopt : std::optional(placed_fault(word.fault));
  return [=](const golden::Golden& golden, const Plan& plan, const replay::TapSource& recorded) {
    const auto edited = fault ? applied(*fault, plan) : unedited(plan);
    PARITY_CHECK(edited.has_value(), unsupported, "the model has no node in which fault {} can be planted", word.fault);
    return computation_of(*edited, {word.backend}, golden.parameters(), recorded);
  };
}

}  // namespace parity::faults
