// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What the CUDA kernels of cases cost, counted by the PTX machine: no GPU is needed, and counts do not vary.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "benches/counters/assembled.hpp"
#include "benches/peaks/roofline.hpp"
#include "optimized/cuda_host/launch_counters.hpp"
#include "optimized/ptx/bound/occupancy.hpp"

namespace parity::benches {

/// The backend whose kernels can be counted, and its kernels for compute capability 9.0.
inline constexpr const char *kCountedBackend = "cuda-host", *kCountedSm90 = "cuda-host:sm90";

struct CounterOptions {
  std::string select = "*";  // glob over the names of kernels
  std::string backend = kCountedBackend;
  uint64_t seed = 1;              // of operands and of the sample
  uint32_t sample = 0;            // blocks of each launch that run in place of all; 0: all run
  const ptx::Gpu* gpu = nullptr;  // for which kernels are assembled; null: they are not
  std::function<void(const std::string&)> progress{};
};

struct CountedCase {
  std::string name;   // "rms_norm/tokens-512/bf16/cuda-host"
  std::string why{};  // why nothing was counted: the judge's message
  Work ideal{};       // what the case declares
  std::vector<optimized::cuda::CountedLaunch> launches{};
  std::map<std::string, Assembled> assembled{};  // by kernel
  std::vector<std::string> left_out{};           // what is not known, and why

  [[nodiscard]] ptx::Cost total() const;
  /// Returns the bytes of the operands, if a single launch was sampled: the sample cannot count different addresses.
  [[nodiscard]] std::optional<ptx::UniqueBytes> stated() const;
};

/// Runs each selected kernel once. If all blocks run, its outputs are judged, and a wrong kernel has no counts. Error
/// {device} if this build has no CUDA kernels.
[[nodiscard]] std::vector<CountedCase> count_cases(const CounterOptions& options);

/// Counts divided by the least that the case needs, and shares. Empty if one of the two numbers is unknown or 0.
struct OverIdeal {
  std::optional<double> tensor;     // products of tensor units over those that the component declares
  std::optional<double> dram;       // bytes at different addresses, launch by launch, over those of the operands
  std::optional<double> l2;         // bytes in sectors over bytes at different addresses
  bool l2_of_operands = false;      // of a sample: over the bytes of the operands
  std::optional<double> conflicts;  // share of wavefronts
  std::optional<double> coalesced;  // share of requests
};
[[nodiscard]] OverIdeal over_ideal(const CountedCase& counted);

/// The blocks of each launch that an SM holds, and what limits them.
[[nodiscard]] std::optional<ptx::Occupancy> occupancy_of(const CountedCase& counted,
                                                         const optimized::cuda::CountedLaunch& launch,
                                                         const ptx::Gpu& gpu);

/// The document of the kind "counters", without its frame.
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<CountedCase>& cases, const CounterOptions& options);

// ---- the gate ----------------------------------------------------------------------------------------------------------
struct CounterBaseline {
  uint64_t seed = 0, sample = 0;
  std::map<std::string, std::vector<ptx::Counters>> cases;  // launches by name
};
/// Throws Error{schema}, whose text begins with `name` and the wrong key.
[[nodiscard]] CounterBaseline counter_baseline_from_json(const nlohmann::json& document, const std::string& name);

/// Throws Error{unsupported} if the baseline was counted with a different seed or sample.
void require_same_operands(const CounterBaseline& before, const CounterOptions& options);

struct CounterVerdict {
  std::string name;
  std::vector<std::string> grown{};  // "rms_norm_f32: load sectors grew from …"
  std::string why{};                 // why nothing was compared
  bool lost = false;                 // `why` is a failure
  [[nodiscard]] bool fails() const { return lost || !grown.empty(); }
};
/// Each counter may grow by the share reports::kMostGrowth. Throws as require_same_operands() does.
[[nodiscard]] std::vector<CounterVerdict> compare_counters(const CounterBaseline& before,
                                                           const std::vector<CountedCase>& now,
                                                           const CounterOptions& options);

}  // namespace parity::benches
