// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/made.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "faults/altered_golden.hpp"
#include "faults/candidate.hpp"
#include "faults/catalogue.hpp"
#include "faults/fixture.hpp"
#include "optimized/registry.hpp"

namespace parity::faults {
namespace {

constexpr std::string_view kFault = "fault:";

/// "torch:mask" is the variant of each type with "-mask" behind it; "torch" the plain ones.
struct Named {
  std::string backend, suffix;

  explicit Named(const std::string& candidate) : backend(candidate.substr(0, candidate.find(':'))) {
    if (backend.size() < candidate.size()) suffix = "-" + candidate.substr(backend.size() + 1);
  }
  [[nodiscard]] std::string variant(DType working) const { return to_string(working) + suffix; }
};

compare::MadeCapture made(const Fixture& fixture, const Edited& edited) {
  const Candidate candidate = candidate_of(edited, fixture.plan(), fixture.golden().parameters(), fixture.recording());
  const auto altered = std::make_shared<const AlteredGolden>(fixture.golden(), candidate.datasets);
  return {altered->path() / "activations.h5", {}, {}, altered};
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

}  // namespace

const replay::NativeBackend& native_backend(const std::string& backend, DType working) {
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

bool has_kernel(const std::string& backend, const std::string& component, DType working) {
  const Named named(backend);
  return optimized::registry_with_libraries().find(component, named.backend, named.variant(working)) != nullptr;
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

bool can_be_made(const std::string& candidate) { return is_backend(candidate) || candidate.starts_with(kFault); }

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
    auto capture = planted ? with_fault_planted(fixture, name) : with_backend_kernels(fixture, name);
    return done->emplace(folder, std::move(capture)).first->second;
  };
}

}  // namespace parity::faults
