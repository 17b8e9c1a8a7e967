// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The values from which a case is drawn, and the text that names it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/dtype.hpp"
#include "core/tensor.hpp"

namespace parity::cases {

/// Purpose of a seed. Tolerances are developed with the cases of one kind and tested with those of the other.
enum class SeedUse : uint8_t { gate, calibration };

/// Returns the seed of a run. Seeds of different uses never coincide, because the lowest bit is the use.
[[nodiscard]] constexpr uint64_t case_seed(SeedUse use, uint64_t study, int64_t run) {
  return (((study << 32U) + static_cast<uint64_t>(run)) << 1U) | static_cast<uint64_t>(use);
}

/// Lane of a case. boundary: extents at edges (1, tile and block and warp +- 1, …). anywhere: any extents. special: as
/// boundary, with NaN and infinities. exact: as boundary, with operands on which nothing rounds
/// (cases/drawn/exact.hpp). large: as anywhere, with enough rows that a kernel shares them out (cases/drawn/large.hpp).
enum class Lane : uint8_t { boundary, anywhere, special, exact, large };
inline constexpr std::array kLanes{Lane::boundary, Lane::anywhere, Lane::special, Lane::exact, Lane::large};
[[nodiscard]] const char* to_string(Lane lane);
/// Returns the lane named `text`. Throws Error{usage} for another word; `where` names its origin.
[[nodiscard]] Lane parse_lane(const std::string& text, const std::string& where);

/// The values that determine a case: equal specs give equal cases.
struct CaseSpec {
  std::string component;  // a component or a model
  DType working = DType::f32;
  Lane lane = Lane::boundary;
  uint64_t seed = 0;
  AxisSizes given{};  // extents that replace drawn ones, as in a reduced case

  /// Returns the text that parse_case reads: "rms_norm:bf16:boundary:17:S1,H3".
  [[nodiscard]] std::string text() const;
};
/// Parses a spec's text. Error{usage}: another form, unknown type or lane, or a component that is not in `known`.
[[nodiscard]] CaseSpec parse_case(const std::string& text, const std::vector<std::string>& known);
/// Throws Error{usage} if the extents `drawn` differ from those that `spec` gives. `text` describes the case.
void require_given(const CaseSpec& spec, const AxisSizes& drawn, const std::string& text);

}  // namespace parity::cases
