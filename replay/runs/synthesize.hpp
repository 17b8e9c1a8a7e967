// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Synthetic goldens: the reference's own oracle-rounded walk, written as a recording. For sizes without captures.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "core/registry.hpp"
#include "core/weights.hpp"
#include "golden/files/activation_writer.hpp"
#include "golden/sources/synthetic_source.hpp"
#include "replay/runs/free_run.hpp"

namespace parity::replay {

/// Returns a checkpoint with every weight of a plan. Norm gains have a deviation of 0.2 around zero, matrices 1.5 /
/// sqrt(fan in), gate_up 4 / sqrt(fan in), so that clamps are reached. Weights published in binary32 are binary32.
[[nodiscard]] golden::SyntheticSource synthetic_checkpoint(const Plan& plan, uint64_t seed);

/// Sets the inputs of all calls in `run`: random tokens, consecutive positions, no padding. Returns them.
std::map<std::string, Tensor> set_drawn_inputs(const Plan& plan, uint64_t seed, FreeRun& run);

/// Writes a recording: random tokens, consecutive positions, no padding, labels in the first call, all taps except
/// optional outputs. Only live taps are in memory. `progress` gets the number of finished nodes and the last name.
void write_synthetic_recording(const Plan& plan, const Registry& registry, const WeightSource& weights, uint64_t seed,
                               golden::ActivationWriter& writer,
                               const std::function<void(size_t, const std::string&)>& progress = {});

}  // namespace parity::replay
