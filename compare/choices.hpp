// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The rows of a discrete output: recorded ids, and the scores that decided them.
#pragma once

#include <functional>
#include <vector>

#include "compare/discrete.hpp"
#include "replay/walk.hpp"

namespace parity::compare {

struct ChoiceRow {
  int64_t sequence = 0;  // b
  int64_t token = 0;     // s
  Choice choice;
};

using ChoiceBody = std::function<void(const ChoiceRow&)>;

/// One row per list of ids of `field`, in the order of the tap. Scores are the exact lane's; delta is their bound and,
/// when inputs are inherited, kDriftFactor times the drift of the scores.
void for_each_choice(const replay::Outcome& outcome, const std::string& field, const AxisSizes& sizes, bool inherited,
                     const ChoiceBody& body);

/// How block ids are meant. Experts are a set in any case.
enum class BlockOrder : uint8_t {
  list,    // in descending score
  set,     // in any order
  either,  // not stated: ids that are right only as a set pass, and the record says so (Record::deviation)
};
struct ChoiceRules {
  BlockOrder order = BlockOrder::list;
  std::vector<bool> uncomputed{};  // per id: rows with one of these are not judged; empty: all are
};

/// Judges ids (i64, rows of T); fills status, reason, discrete, worst and where.
void judge_choices(const replay::Outcome& outcome, const std::string& field, const AxisSizes& sizes, bool inherited,
                   const Tensor& ids, Record& record, const ChoiceRules& rules = {});
/// "ids in ascending order, the same set": what the rows of width `ids.shape().back()` have in common.
[[nodiscard]] std::string order_text(const Tensor& ids);

/// Passes a record whose contract is broken when the ids are those that the node itself chooses, but for one row in a
/// hundred: a fault's choice need not follow from the scores.
void accept_own_choices(Record& record);
/// Fails what passed unless every row has the reference's ids: on operands that leave nothing open.
void require_own_choices(Record& record);

}  // namespace parity::compare
