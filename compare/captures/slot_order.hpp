// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Pairs the expert slots of two captures by expert id, because each implementation may order them differently.
#pragma once

#include "golden/files/activation_file.hpp"

namespace parity::compare {

/// Maps each slot of the left capture to the slot of the right capture with the same expert, for every token.
class SlotOrder {
 public:
  /// `info` is a tap of both captures. Slots are paired only if it has them (N, T, …) and both captures record the ids.
  SlotOrder(const golden::DatasetInfo& info, const golden::ActivationFile& left, const golden::ActivationFile& right);

  [[nodiscard]] bool reorders() const { return slots_ > 0; }
  /// Returns `slot` itself if the two captures chose different sets of experts for the token.
  [[nodiscard]] int64_t right_slot(int64_t token, int64_t slot) const;

 private:
  int64_t slots_ = 0;
  Tensor left_;  // ids, (N, T) i64
  Tensor right_;
};

}  // namespace parity::compare
