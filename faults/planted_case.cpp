// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/planted_case.hpp"

#include <algorithm>

#include "faults/edits/edit.hpp"

namespace parity::faults {

namespace {

/// Whether an edit renames or maps a tensor that the case reads.
bool reads_edited(const Edited& edited, const cases::DrawnCase& drawn) {
  const EditedWeights misread(drawn.weights, edited.weights);
  const auto names = drawn.weights.names();
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    const TensorView right = drawn.weights.tensor(name), wrong = misread.tensor(name);
    for (int64_t i = 0; i < right.count(); ++i) {
      if (right.value(i) != wrong.value(i)) return true;
    }
    return false;
  });
}

}  // namespace

bool has_place(const Fault& fault, const cases::CaseSpec& spec) {
  try {
    const cases::DrawnCase drawn = cases::draw_case(spec);
    const auto edited = applied(fault, drawn.plan);
    if (!edited) return false;
    const auto weight = [](const Edit& edit) { return std::holds_alternative<MapWeight>(edit); };
    return !std::all_of(fault.edits.begin(), fault.edits.end(), weight) || reads_edited(*edited, drawn);
  } catch (const Error&) {  // the edit reads taps of other nodes
    return false;
  }
}

cases::CaseKernel with_fault(const Fault& fault) {
  return {[fault](const cases::DrawnCase& drawn, const replay::Evaluator&) {
    const auto edited = applied(fault, drawn.plan);
    PARITY_CHECK(edited.has_value(), unsupported,
                 "fault {} edits no node of case {}; choose another fault (parity list faults)", fault.id,
                 drawn.spec.text());
    const EditedWeights misread(drawn.weights, edited->weights);
    return cases::rounded_outputs(drawn, replay::Evaluator(*edited->registry, edited->plan, misread));
  }};
}

}  // namespace parity::faults
