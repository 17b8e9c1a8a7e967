// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/embedding/token_embedding.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void token_embedding(const TokenEmbedding::Inputs& in, const TokenEmbedding::Params& params,
                     const TokenEmbedding::Outputs& out, Context& context) {
  const auto ids = in.ids.as<int64_t, 1>();                                                                     // (B*S)
  const auto table = in.table.as<double, 2>();                                                                 // (V, H)
  const Sink<Num, 2> y(out.out, context);                                                                    // (B*S, H)
  const int64_t words = params.vocabulary > 0 ? params.vocabulary : table.extent[0];
  for (int64_t n = 0; n < ids.extent[0]; ++n) {
    const int64_t id = ids(n), row = id - params.first_word;
    PARITY_CHECK(id >= 0 && id < words, schema, "token id {} at position {} is outside the vocabulary of {}", id, n,
                 words);
    const bool own = row >= 0 && row < table.extent[0];
    for (int64_t h = 0; h < table.extent[1]; ++h) y.set(Num(own ? table(row, h) : 0.0), n, h);
  }
}

PARITY_REFERENCE(TokenEmbedding, token_embedding)

}  // namespace parity::reference
