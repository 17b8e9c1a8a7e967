// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What any kernel must do beside computing the right numbers: write every element and nothing beside them, leave its
// inputs alone, read them however they lie, and give the same bits every time, on any number of threads and whatever its
// scratch memory held.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/call.hpp"

namespace parity::cases {

enum class Guard : uint8_t { written, canaries, inputs, repeatable, layouts, threads, workspace };
inline constexpr std::array<Guard, 7> kGuards{Guard::written, Guard::canaries, Guard::inputs,   Guard::repeatable,
                                              Guard::layouts, Guard::threads,  Guard::workspace};
[[nodiscard]] const char* to_string(Guard guard);

/// A kernel, and what it is called with: every run is given copies.
struct GuardedKernel {
  const ErasedKernel& run;
  const KernelCall& call;
  Place& place = host();
};

struct GuardResult {
  /// unjudged: two equal calls differ, nothing can be compared; idle: there was nothing that it could break.
  enum class State : uint8_t { holds, broken, unjudged, idle };
  State state = State::holds;
  int64_t count = 0;   // elements unwritten or changed; operands overrun or misread; calls that differ
  std::string detail;  // the first of them, in words
};
using GuardResults = std::array<GuardResult, kGuards.size()>;  // by Guard

/// The poison of outputs is no number that a kernel writes by chance: an element that still holds it was not written.
[[nodiscard]] GuardResults check_guards(const GuardedKernel& kernel);

/// A kernel of the registry on random calls.
struct KernelGuards {
  std::string component, backend, variant;
  int64_t calls = 0;
  std::array<int64_t, kGuards.size()> broken{};  // calls
  std::array<int64_t, kGuards.size()> unjudged{};
  std::array<int64_t, kGuards.size()> idle{};
  std::string detail;  // the first broken guard, in words

  [[nodiscard]] bool holds() const;
  void add(const GuardResults& results, const std::string& where);
};

struct GuardOptions {
  std::string select = "*";                           // glob over components
  int64_t seeds = 4;                                  // random calls, each in bf16, f16 and f32
  std::vector<std::string> components{};              // globs besides; empty: all
  std::function<void(const std::string&)> running{};  // told the kernel and the call before it runs

  [[nodiscard]] bool wants(const std::string& component) const;
  void tell(const KernelEntry& entry, const std::string& call) const;
};

/// Every kernel of the registry under every guard.
[[nodiscard]] std::vector<KernelGuards> run_guards(const Registry& registry, const GuardOptions& options);
/// Every kernel of native types, on the calls that a battery draws. Error{internal} for a component that none are drawn of.
[[nodiscard]] std::vector<KernelGuards> run_native_guards(const Registry& registry, const GuardOptions& options);

}  // namespace parity::cases
