// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/attention/attention_dense.hpp"

#include "reference/attention/attention_row.hpp"
#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void attention_dense(const AttentionDense::Inputs& in, const AttentionDense::Params& params,
                     const AttentionDense::Outputs& out, Context& context) {
  const auto everything = [](int64_t, int64_t, int64_t, int64_t) { return true; };
  AttentionDense::Inputs seen = in;
  if (params.first_slot_masks && !seen.mask.empty()) seen.mask.strides[1] = 0;
  attention<Num, AttentionDense>(seen, params, out, context, everything);
}

PARITY_REFERENCE(AttentionDense, attention_dense)

}  // namespace parity::reference
