// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The battery: a kernel alone on drawn cases, boundary shapes first, judged as a run judges an isolated node. A failing
// case is reduced to the smallest extents that still fail.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cases/backends.hpp"
#include "cases/drawn/case.hpp"
#include "compare/record.hpp"

namespace parity::cases {

/// The kernels of a backend; its fused ones are "cpu:fused".
[[nodiscard]] CaseKernel with_backend(const std::string& backend);
/// Kernels of native types, wherever they are found.
using FindKernel = std::function<NativeKernel(const std::string& component, DType working)>;
[[nodiscard]] CaseKernel with_kernels(const std::string& backend, const FindKernel& find);

struct CaseFailure {
  CaseSpec spec;                                // reduced
  CaseSpec found;                               // as it was drawn
  std::string found_where;                      // the judge's words on where that one failed
  std::string text;                             // extents and style of the reduced case
  compare::Record record;                       // the first output that is not right
  std::optional<compare::ValueMatch> values{};  // what its wrong values are
};

/// The first output of the case that is wrong, else one that is mistrusted (the case is too small to tell), else any. What
/// the kernel throws is a record with status error; Error{unsupported} when it is no kernel of the case.
[[nodiscard]] compare::Record worst_record(const CaseSpec& spec, const CaseKernel& kernel);
/// What the wrong values of an output of the case are.
[[nodiscard]] std::optional<compare::ValueMatch> values_of(const CaseSpec& spec, const CaseKernel& kernel,
                                                           const std::string& tap);
/// Neither right nor mistrusted.
[[nodiscard]] bool is_wrong(const compare::Record& record);

struct BatteryOptions {
  int64_t cases =
      100;             // of each component and type: half in the first lane, the others in turn; none in the lane large
  int64_t large = 1;   // in addition, of each component and type in the lane large
  bool tiles = false;  // and those across the tiles of shipped kernels (cases/tiles.hpp), when the lane boundary runs
  uint64_t seed = 1;
  std::vector<Lane> lanes{kLanes.begin(), kLanes.end()};  // a component without exact cases has more of the others
  std::vector<DType> types{DType::f32, DType::bf16, DType::f16};
  int threads = 0;                                // 0: one per processor
  std::function<bool(const CaseSpec&)> wanted{};  // cases to run; empty: all
  std::function<void(size_t, size_t)> progress{};
};

struct BatteryResult {
  std::string component;
  int64_t cases = 0, failed = 0, mistrusted = 0;
  int64_t tiles = 0;                                           // of the cases, those across tiles
  std::array<int64_t, kLanes.size()> cases_in{}, failed_in{};  // by lane
  std::optional<CaseFailure> first;                            // reduced
};

/// Every case of one component; the first that fails is reduced.
[[nodiscard]] BatteryResult run_battery(const std::string& component, const CaseKernel& kernel,
                                        const BatteryOptions& options);

}  // namespace parity::cases
