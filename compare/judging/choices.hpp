// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Rows of a discrete output: the recorded ids with the scores that decided them.
#pragma once

#include <functional>
#include <vector>

#include "compare/judging/discrete.hpp"
#include "replay/spans/walk.hpp"

namespace parity::compare {

struct ChoiceRow {
  int64_t sequence = 0;  // b
  int64_t token = 0;     // s
  Choice choice;
};

using ChoiceBody = std::function<void(const ChoiceRow&)>;

/// Calls `body` once for each list of ids in `field`, in the order of the tap. The scores are exact values. Their delta
/// is the error bound, plus kDriftFactor times the drift of the scores when inputs are inherited.
void for_each_choice(const replay::Outcome& outcome, const std::string& field, const AxisSizes& sizes, bool inherited,
                     const ChoiceBody& body);

/// How a candidate orders block ids. Ids of experts are a set in every case.
enum class BlockOrder : uint8_t {
  list,    // ids in descending score
  set,     // ids in any order
  either,  // not stated: ids that are right only as a set pass, with a note in Record::deviation
};
struct ChoiceRules {
  BlockOrder order = BlockOrder::list;
  std::vector<bool> uncomputed{};  // true for ids whose row is not judged; empty: every row is judged
};

/// Judges the ids (i64, rows of axis T). Fills status, reason, discrete, worst and where of `record`.
void judge_choices(const replay::Outcome& outcome, const std::string& field, const AxisSizes& sizes, bool inherited,
                   const Tensor& ids, Record& record, const ChoiceRules& rules = {});
/// Describes an order common to all rows, e.g. "ids in ascending order, the same set". Rows have the last extent.
[[nodiscard]] std::string order_text(const Tensor& ids);

/// Passes a record whose contract is broken if at most one row in a hundred differs from the ids that the node itself
/// chooses. Needed under a fault, whose choice need not follow from the scores.
void accept_own_choices(Record& record);
/// Fails a passing record unless every row has the reference's ids. For operands on which only one choice is correct.
void require_own_choices(Record& record);

}  // namespace parity::compare
