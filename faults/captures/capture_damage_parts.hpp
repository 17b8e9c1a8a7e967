// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Ways to damage a capture, by topic. faults/captures/capture_damage.cpp lists them. Each function changes the contents
// and returns where, or nullopt if it finds nothing to change.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faults/captures/capture_contents.hpp"
#include "faults/values/draws.hpp"

namespace parity::faults {

using CapturePlace = std::optional<std::string>;
using CapturePaths = std::vector<std::string>;

// Shared functions.
template <class Wanted>
CapturePaths outputs_where(const CaptureContents& contents, const Wanted& wanted) {
  CapturePaths paths = contents.outputs();
  std::erase_if(paths, [&](const std::string& path) { return !wanted(path, contents.datasets.at(path)); });
  return paths;
}
[[nodiscard]] CapturePlace drawn(const CapturePaths& paths, Draws& draws);
[[nodiscard]] bool has_values(const std::string& path, const CapturedTap& tap);
[[nodiscard]] bool is_number(const std::string& path, const CapturedTap& tap);
/// Resets the tap to the unfilled state that `parity capture init` writes.
void leave_unfilled(CapturedTap& tap);
void rename(CaptureContents& contents, const std::string& from, const std::string& to);

// Missing or unfilled taps: capture_damage_taps.cpp.
CapturePlace misspell(CaptureContents& contents, Draws& draws);
CapturePlace lose(CaptureContents& contents, Draws& draws);
CapturePlace lose_any(CaptureContents& contents, Draws& draws);
CapturePlace leave_one(CaptureContents& contents, Draws& draws);
CapturePlace die(CaptureContents& contents, Draws& draws);
CapturePlace fill_nothing(CaptureContents& contents, Draws& draws);

// Unwritten values, and values of another tap: capture_damage_values.cpp.
CapturePlace mark_unwritten(CaptureContents& contents, Draws& draws);
CapturePlace take_stale(CaptureContents& contents, Draws& draws);
CapturePlace mix_up(CaptureContents& contents, Draws& draws);
CapturePlace leave_rows(CaptureContents& contents, Draws& draws);
CapturePlace leave_zeros(CaptureContents& contents, Draws& draws);
CapturePlace cut_last_row(CaptureContents& contents, Draws& draws);
CapturePlace transpose(CaptureContents& contents, Draws& draws);
CapturePlace store_integers(CaptureContents& contents, Draws& draws);

// Damage to calls: capture_damage_calls.cpp.
CapturePlace other_tokens(CaptureContents& contents, Draws& draws);
CapturePlace exchange_calls(CaptureContents& contents, Draws& draws);
CapturePlace rename_call(CaptureContents& contents, Draws& draws);

// Wrong statements in the file: capture_damage_statements.cpp.
CapturePlace other_golden(CaptureContents& contents, Draws& draws);
CapturePlace slip_in_marker(CaptureContents& contents, Draws& draws);
CapturePlace slip_in_declaration(CaptureContents& contents, Draws& draws);
CapturePlace declare_everything_absent(CaptureContents& contents, Draws& draws);
CapturePlace declare_what_is_there(CaptureContents& contents, Draws& draws);
CapturePlace declare_no_sequence(CaptureContents& contents, Draws& draws);
CapturePlace other_format(CaptureContents& contents, Draws& draws);
CapturePlace other_profile(CaptureContents& contents, Draws& draws);
CapturePlace misspell_attribute(CaptureContents& contents, Draws& draws);
CapturePlace contradict_axes(CaptureContents& contents, Draws& draws);
CapturePlace other_weights(CaptureContents& contents, Draws& draws);

// Exact or nearly exact copies of the golden: capture_damage_copies.cpp.
CapturePlace copy_the_golden(CaptureContents& contents, Draws& draws);
CapturePlace change_one_element(CaptureContents& contents, Draws& draws);
CapturePlace add_a_statement(CaptureContents& contents, Draws& draws);

}  // namespace parity::faults
