// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Requirements on a kernel besides right numbers: it writes every element and nothing else, does not change its inputs,
// reads any layout, refuses ids that do not exist, and gives equal bits in every run: on any number of threads, with any
// contents of scratch memory, and as a graph that is launched again.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cases/drawn/case_spec.hpp"
#include "core/call.hpp"

namespace parity::cases {

enum class Guard : uint8_t { written, canaries, inputs, repeatable, layouts, threads, workspace, replay, ids };
inline constexpr std::array<Guard, 9> kGuards{Guard::written,    Guard::canaries, Guard::inputs,
                                              Guard::repeatable, Guard::layouts,  Guard::threads,
                                              Guard::workspace,  Guard::replay,   Guard::ids};
/// Returns the guard in words, for tables and messages.
[[nodiscard]] const char* to_string(Guard guard);
/// Returns the guard's key in JSON documents.
[[nodiscard]] const char* key_of(Guard guard);

/// A kernel and a call of it. Every run gets copies of the operands.
struct GuardedKernel {
  const ErasedKernel& run;
  const KernelCall& call;
  Place& place = host();
  const KernelCall* exact = nullptr;  // the same call of the reference; nullptr: refusals are not checked
};

struct GuardResult {
  /// unjudged: two equal calls differ, so nothing can be compared. idle: the call has nothing that this guard checks.
  enum class State : uint8_t { holds, broken, unjudged, idle };
  State state = State::holds;
  int64_t count = 0;   // number of elements unwritten or changed, of operands overrun or misread, or of differing calls
  std::string detail;  // the first of these in words
};
using GuardResults = std::array<GuardResult, kGuards.size()>;  // index: Guard

/// Checks one kernel under all guards. An element with the poison, which no kernel writes by chance, was not written.
[[nodiscard]] GuardResults check_guards(const GuardedKernel& kernel);

/// Checks only that the kernel reads any layout. The other guards are idle.
[[nodiscard]] GuardResults check_layouts_alone(const GuardedKernel& kernel);

/// Results of the guards for one kernel of the registry on random calls.
struct KernelGuards {
  std::string component, backend, variant;
  int64_t calls = 0;
  std::array<int64_t, kGuards.size()> broken{};  // number of calls that break each guard
  std::array<int64_t, kGuards.size()> unjudged{};
  std::array<int64_t, kGuards.size()> idle{};
  std::string detail;  // the first broken guard in words

  [[nodiscard]] bool holds() const;
  void add(const GuardResults& results, const std::string& where);
};

struct GuardOptions {
  std::string select = "*";               // glob over components
  int64_t seeds = 4;                      // number of random calls, each in bf16, f16 and f32
  std::vector<std::string> components{};  // further globs; empty: all
  std::vector<std::string> backends{};    // globs; empty: all
  std::function<std::optional<CaseSpec>(const CaseSpec&)> fitted{};  // of run_native_guards: CaseKernel::fitted
  std::function<void(const std::string&)> running{};                 // called with the kernel and the call before a run
  bool tiles = false;  // of run_native_guards: also small calls across tiles, each kernel in every layout

  [[nodiscard]] bool wants(const KernelEntry& entry) const;
  void tell(const KernelEntry& entry, const std::string& call) const;
};

/// Checks every kernel of the registry under every guard.
[[nodiscard]] std::vector<KernelGuards> run_guards(const Registry& registry, const GuardOptions& options);
/// Checks every native kernel on calls that a battery draws. Error{internal} for a component without drawn calls.
[[nodiscard]] std::vector<KernelGuards> run_native_guards(const Registry& registry, const GuardOptions& options);

}  // namespace parity::cases
