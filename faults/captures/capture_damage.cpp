// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/captures/capture_damage.hpp"

#include "faults/captures/capture_damage_parts.hpp"

namespace parity::faults {

const std::vector<CaptureDamage>& capture_damages() {
  using enum CaptureBase;
  static const std::vector<CaptureDamage> damages{
      {"misspelt", "a tap with a misspelt name", any, misspell},
      {"missing", "a tap that another call or layer has", undeclared, lose},
      {"missing-declared", "a tap that is not declared absent", declared, lose_any},
      {"unfilled", "a tap that was not filled", declared, leave_one},
      {"died", "a script that crashed half way", declared, die},
      {"empty", "nothing was filled", declared, fill_nothing},
      {"unwritten", "a tap marked as computed that was never written", declared, mark_unwritten},
      {"stale", "a tap of another call or layer", any, take_stale},
      {"mixed-up", "another tap's values", any, mix_up},
      {"unwritten-row", "a row that was never written", any, leave_rows},
      {"zeros", "an array that was allocated and never written", any, leave_zeros},
      {"cut", "a row too few", any, cut_last_row},
      {"transposed", "axes in another order, not declared", any, transpose},
      {"wrong-type", "numbers as integers", any, store_integers},
      {"other-tokens", "another prompt", any, other_tokens},
      {"calls-exchanged", "the taps of two calls exchanged", any, exchange_calls},
      {"call-renamed", "a call that the golden does not have", any, rename_call},
      {"other-golden", "made for another golden", any, other_golden},
      {"identical", "the golden itself", undeclared, copy_the_golden, true},
      {"one-element", "a copy of the golden with an element changed", undeclared, change_one_element, true},
      {"statement-added", "a copy of the golden with a statement added", undeclared, add_a_statement, true},
      {"marker-misspelt", "an invalid marker", declared, slip_in_marker},
      {"declaration-misspelt", "missing taps declared with a wrong attribute", declared, slip_in_declaration},
      {"all-absent", "everything declared absent", declared, declare_everything_absent},
      {"contradictory", "a tap filled and declared absent", declared, declare_what_is_there},
      {"no-sequence", "every sequence declared absent", any, declare_no_sequence},
      {"other-format", "an unknown format", any, other_format},
      {"other-profile", "another profile", any, other_profile},
      {"attribute-misspelt", "a misspelt attribute", any, misspell_attribute},
      {"axes", "axes of another letter", any, contradict_axes},
      {"other-weights", "own weights that are zero or negated", any, other_weights}};
  return damages;
}

}  // namespace parity::faults
