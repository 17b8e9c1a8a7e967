// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/made.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "faults/altered_golden.hpp"
#include "faults/candidate.hpp"
#include "faults/catalogue.hpp"
#include "faults/fixture.hpp"
#include "optimized/cpu/level.hpp"
#include "optimized/registry.hpp"
#include "replay/fused.hpp"

namespace parity::faults {
namespace {

constexpr std::string_view kFault = "fault:", kFused = ":fused";

/// "cpu" of "cpu:fused".
std::string plain(const std::string& candidate) {
  return is_fused(candidate) ? candidate.substr(0, candidate.size() - kFused.size()) : candidate;
}

/// "torch:mask" is the variant of each type with "-mask" behind it; "torch" the plain ones.
struct Named {
  std::string backend, suffix;

  explicit Named(const std::string& candidate) : backend(candidate.substr(0, candidate.find(':'))) {
    if (backend.size() < candidate.size()) suffix = "-" + candidate.substr(backend.size() + 1);
  }
  [[nodiscard]] std::string variant(DType working) const { return to_string(working) + suffix; }
};

/// `unwritten` taps are left out, as a recording leaves out what nobody recorded.
compare::MadeCapture made(const Fixture& fixture, const Edited& edited,
                          const std::vector<std::string>& unwritten = {}) {
  const Candidate candidate = candidate_of(edited, fixture.plan(), fixture.golden().parameters(), fixture.recording());
  std::vector<std::string> absent;
  for (const std::string& tap : unwritten) {
    if (fixture.recording().has(tap)) absent.push_back(fixture.recording().dataset(tap));
  }
  const auto altered = std::make_shared<const AlteredGolden>(fixture.golden(), candidate.datasets, absent);
  return {altered->path() / "activations.h5", {}, {}, {}, {}, altered};
}

compare::MadeCapture with_fault_planted(const Fixture& fixture, const std::string& id) {
  const auto edited = applied(find_fault(id), fixture.plan());
  PARITY_CHECK(edited.has_value(), unsupported, "it has no place for fault {}", id);
  return made(fixture, *edited);
}

compare::MadeCapture with_backend_kernels(const Fixture& fixture, const std::string& backend) {
  const replay::NativeBackend& native = native_backend(backend, fixture.plan().working);
  Edited edited = unedited(fixture.plan());
  edited.registry = native.registry;
  compare::MadeCapture capture = made(fixture, edited);
  capture.components = native.components;
  capture.rounds_freely = native.rounds_freely;
  return capture;
}

/// Steps and layers as "*", which repeat the same nodes.
std::string folded(const std::string& prefix) {
  std::string result;
  for (const char c : prefix) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !result.empty() && result.back() == '*') continue;
    result += digit && !result.empty() && result.back() == '/' ? '*' : c;
  }
  return result;
}

/// Which nodes ran fused, a line per fusion.
std::vector<std::string> notes_of(const std::vector<replay::FusedChain>& chains, const std::string& backend) {
  struct Ran {
    size_t nodes = 0, calls = 0;
    std::map<std::string, size_t> ends;
  };
  std::map<std::string, Ran> ran;
  for (const replay::FusedChain& chain : chains) {
    Ran& fusion = ran[chain.fusion];
    fusion.nodes += chain.nodes.size();
    ++fusion.calls;
    ++fusion.ends[folded(chain.nodes.back())];
  }
  std::vector<std::string> notes;
  for (const auto& [fusion, all] : ran) {
    std::vector<std::string> ends;
    for (const auto& [end, count] : all.ends) ends.push_back(fmt::format("{} ({})", end, count));
    notes.push_back(fmt::format("fused: {} nodes ran as {} calls of {} {}, which end at {}", all.nodes, all.calls,
                                backend, fusion, fmt::join(ends, ", ")));
  }
  if (notes.empty()) notes.push_back(fmt::format("fused: no chain of this plan is one of {}'s", backend));
  return notes;
}

compare::MadeCapture with_fused_kernels(const Fixture& fixture, const std::string& backend, const Fusions& fusions) {
  const replay::NativeBackend& native = native_backend(backend, fixture.plan().working);
  const replay::FusedPlan fused =
      replay::fused(fixture.plan(), native.registry, fusions, backend, to_string(fixture.plan().working),
                    [&](const std::string& tap) { return fixture.recording().has(tap); });
  Edited edited = unedited(fused.plan);
  edited.registry = fused.registry;
  std::vector<std::string> unwritten;
  for (const auto& chain : fused.chains) unwritten.insert(unwritten.end(), chain.inner.begin(), chain.inner.end());
  compare::MadeCapture capture = made(fixture, edited, unwritten);
  capture.components = native.components;
  capture.rounds_freely = native.rounds_freely;
  for (const auto& chain : fused.chains) capture.taps.insert(chain.outputs.begin(), chain.outputs.end());
  capture.notes = notes_of(fused.chains, backend);
  return capture;
}

}  // namespace

bool is_fused(const std::string& candidate) { return candidate.ends_with(kFused); }

compare::MadeCapture with_fused_kernels(const golden::Golden& golden, const std::string& backend,
                                        const Fusions& fusions) {
  return with_fused_kernels(Fixture(golden.folder()), backend, fusions);
}

void require_instructions(const std::string& backend) {
  if (Named(backend).backend == "cpu") static_cast<void>(cpu::level());
}

const replay::NativeBackend& native_backend(const std::string& backend, DType working) {
  require_instructions(backend);
  static std::mutex mutex;
  static std::map<std::pair<std::string, DType>, replay::NativeBackend> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find({backend, working});
  if (found != known.end()) return found->second;
  const Named named(backend);
  auto native = replay::with_native_kernels(registry(), optimized::registry_with_libraries(), named.backend,
                                            named.variant(working));
  return known.emplace(std::pair{backend, working}, std::move(native)).first->second;
}

NativeKernel native_kernel(const std::string& backend, const std::string& component, DType working) {
  const Named named(plain(backend));
  const Registry& kernels = is_fused(backend) ? optimized::fusions().kernels() : optimized::registry_with_libraries();
  const KernelEntry* entry = kernels.find(component, named.backend, named.variant(working));
  return {entry, entry == nullptr ? nullptr : &kernels.component(component)};
}

std::vector<std::string> backends() {
  std::set<std::string> names;
  for (const KernelEntry& entry : optimized::registry_with_libraries().kernels()) {
    const size_t dash = entry.variant.find('-');
    names.insert(entry.backend + (dash == std::string::npos ? "" : ":" + entry.variant.substr(dash + 1)));
  }
  return {names.begin(), names.end()};
}

bool is_backend(const std::string& candidate) {
  const auto known = backends();
  return std::find(known.begin(), known.end(), candidate) != known.end();
}

bool can_be_made(const std::string& candidate) {
  const auto& fused = optimized::fusions().kernels().kernels();
  const bool chains = is_fused(candidate) && std::any_of(fused.begin(), fused.end(), [&](const KernelEntry& entry) {
                        return entry.backend == plain(candidate);
                      });
  return chains || is_backend(candidate) || candidate.starts_with(kFault);
}

compare::MakeCapture maker_of(const std::string& candidate) {
  const bool planted = candidate.starts_with(kFault);
  const std::string name = planted ? candidate.substr(kFault.size()) : candidate;
  if (planted) static_cast<void>(find_fault(name));  // a wrong name is a mistake of the call
  const auto done = std::make_shared<std::map<std::string, compare::MadeCapture>>();
  return [=](const golden::Golden& golden) {
    const std::string folder = golden.folder().string();
    const auto found = done->find(folder);
    if (found != done->end()) return found->second;
    const Fixture fixture(golden.folder());
    auto capture = planted          ? with_fault_planted(fixture, name)
                   : is_fused(name) ? with_fused_kernels(fixture, plain(name), optimized::fusions())
                                    : with_backend_kernels(fixture, name);
    return done->emplace(folder, std::move(capture)).first->second;
  };
}

}  // namespace parity::faults
