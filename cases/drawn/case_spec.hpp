// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a case is drawn from, and the text that names it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/dtype.hpp"
#include "core/tensor.hpp"

namespace parity::cases {

/// What seeds are drawn for: tolerances are looked at with the one kind, and held to with the other.
enum class SeedUse : uint8_t { gate, calibration };

/// Never the same for two uses: the lowest bit is the use.
[[nodiscard]] constexpr uint64_t case_seed(SeedUse use, uint64_t study, int64_t run) {
  return (((study << 32U) + static_cast<uint64_t>(run)) << 1U) | static_cast<uint64_t>(use);
}

/// Where a case is drawn: extents at edges (1, tile and block and warp +- 1, …) or anywhere; at edges with NaN and infinities;
/// at edges with operands on which nothing rounds (cases/drawn/exact.hpp); anywhere with so many rows that a kernel shares
/// them out (cases/drawn/large.hpp).
enum class Lane : uint8_t { boundary, anywhere, special, exact, large };
inline constexpr std::array kLanes{Lane::boundary, Lane::anywhere, Lane::special, Lane::exact, Lane::large};
[[nodiscard]] const char* to_string(Lane lane);
/// Error{usage} for another word, which `where` asked for.
[[nodiscard]] Lane parse_lane(const std::string& text, const std::string& where);

/// The same values, the same case.
struct CaseSpec {
  std::string component;  // or a model
  DType working = DType::f32;
  Lane lane = Lane::boundary;
  uint64_t seed = 0;
  AxisSizes given{};  // extents instead of drawn ones: those of a reduced case

  /// "rms_norm:bf16:boundary:17:S1,H3", which parse_case reads.
  [[nodiscard]] std::string text() const;
};
/// Error{usage} for another form, an unknown type or lane, a component that is not among `known`.
[[nodiscard]] CaseSpec parse_case(const std::string& text, const std::vector<std::string>& known);
/// Error{usage} when the case that was `drawn` has not the extents that `spec` gives it; `text` says what it has.
void require_given(const CaseSpec& spec, const AxisSizes& drawn, const std::string& text);

}  // namespace parity::cases
