// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Synthetic goldens: the reference's own rounded walk, written as a recording. For sizes that no capture covers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "core/registry.hpp"
#include "core/weights.hpp"
#include "golden/activation_writer.hpp"
#include "golden/synthetic_source.hpp"

namespace parity::replay {

/// A checkpoint for every weight of a plan: norm gains spread by 0.2 around zero, matrices 1.5 / sqrt(fan in), gate_up
/// 4 / sqrt(fan in) so that clamps are reached; what is published in binary32 is binary32.
[[nodiscard]] golden::SyntheticSource synthetic_checkpoint(const Plan& plan, uint64_t seed);

/// Random tokens, consecutive positions, no padding, labels in the first call; every tap of the plan but
/// optional outputs. Memory: the live taps. `progress` gets the number of finished nodes and the name of the last.
void write_synthetic_recording(const Plan& plan, const Registry& registry, const WeightSource& weights, uint64_t seed,
                               golden::ActivationWriter& writer,
                               const std::function<void(size_t, const std::string&)>& progress = {});

}  // namespace parity::replay
