// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The order of expert slots is the implementation's own: slots of two captures are paired by expert id.
#pragma once

#include "golden/activation_file.hpp"

namespace parity::compare {

/// For every token, which slot of the right capture holds the expert of a slot of the left one.
class SlotOrder {
 public:
  /// `info`: a tap of both captures. Pairs nothing unless it has slots (N, T, …) and both captures hold the ids.
  SlotOrder(const golden::DatasetInfo& info, const golden::ActivationFile& left, const golden::ActivationFile& right);

  [[nodiscard]] bool reorders() const { return slots_ > 0; }
  /// The slot itself when the token's experts are not the same set.
  [[nodiscard]] int64_t right_slot(int64_t token, int64_t slot) const;

 private:
  int64_t slots_ = 0;
  Tensor left_;  // ids, (N, T) i64
  Tensor right_;
};

}  // namespace parity::compare
