// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The battery runs a single kernel on drawn cases, boundary shapes first, and judges it like an isolated node. A
// failing case is reduced to the smallest extents that still fail.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cases/backends.hpp"
#include "cases/drawn/case.hpp"
#include "compare/judging/record.hpp"

namespace parity::cases {

/// Returns the kernels of a backend. Its fused kernels are "cpu:fused".
[[nodiscard]] CaseKernel with_backend(const std::string& backend);
/// Finds the native kernel of a component and working type, for with_kernels. A result without a kernel means that the
/// backend has none.
using FindKernel = std::function<NativeKernel(const std::string& component, DType working)>;
[[nodiscard]] CaseKernel with_kernels(const std::string& backend, const FindKernel& find);

struct CaseFailure {
  CaseSpec spec;                                // the reduced case
  CaseSpec found;                               // the case as drawn
  std::string found_where;                      // the judge's description of where `found` failed
  std::string text;                             // the reduced case in words: text_of()
  compare::Record record;                       // first wrong output
  std::optional<compare::ValueMatch> values{};  // description of its wrong values
};

/// Returns the first wrong output of the case, else a mistrusted one (the case is too small), else any. If the kernel
/// throws, the record has status error. Throws Error{unsupported} if the kernel is not one of the case.
[[nodiscard]] compare::Record worst_record(const CaseSpec& spec, const CaseKernel& kernel);
/// Describes the wrong values of an output of the case.
[[nodiscard]] std::optional<compare::ValueMatch> values_of(const CaseSpec& spec, const CaseKernel& kernel,
                                                           const std::string& tap);
/// Whether the record neither passes nor is mistrusted.
[[nodiscard]] bool is_wrong(const compare::Record& record);

struct BatteryOptions {
  int64_t cases = 100;  // per component and type: half in the first lane, the others in turn; none in the lane large
  int64_t large = 1;    // additional cases per component and type in the lane large
  bool tiles = false;   // also cases above tile sizes of shipped kernels (cases/tiles.hpp), if the lane boundary runs
  uint64_t seed = 1;
  std::vector<Lane> lanes{kLanes.begin(), kLanes.end()};  // a component without exact cases gets more of others
  std::vector<DType> types{DType::f32, DType::bf16, DType::f16};
  int64_t shard = 0, shards = 1;  // runs every `shards`-th case of a component and type, from number `shard` on
  int threads = 0;                // 0: one per processor
  bool brief = false;             // end at the first case that fails, as it was drawn
  std::function<bool(const CaseSpec&)> wanted{};  // selects the cases to run; empty: all
  std::function<void(size_t, size_t)> progress{};
};

struct BatteryResult {
  std::string component;
  int64_t cases = 0, failed = 0, mistrusted = 0;
  int64_t tiles = 0;    // how many of `cases` are across tiles
  int64_t changed = 0;  // how many of `cases` have other extents than drawn, as the kernel requires
  int64_t skipped = 0;  // further cases, which the kernel excludes
  std::array<int64_t, kLanes.size()> cases_in{}, failed_in{};  // by lane
  std::optional<CaseFailure> first;                            // the first telling failure, reduced
};

/// Runs every case of one component and reduces the first that fails.
[[nodiscard]] BatteryResult run_battery(const std::string& component, const CaseKernel& kernel,
                                        const BatteryOptions& options);

}  // namespace parity::cases
