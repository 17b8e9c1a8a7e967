// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/embedding/pool_last_token.hpp"

#include "reference/support.hpp"

namespace parity::reference {
namespace {

int64_t last_token(const Span<int64_t, 2>& ids, int64_t b, int64_t pad_token) {
  int64_t s = ids.extent[1] - 1;
  if (pad_token < 0) return s;
  while (s > 0 && ids(b, s) == pad_token) --s;
  return s;
}

}  // namespace

template <class Num>
void pool_last_token(const PoolLastToken::Inputs& in, const PoolLastToken::Params& params,
                     const PoolLastToken::Outputs& out, Context& context) {
  const auto x = in.x.as<double, 3>();                                                                      // (B, S, H)
  const auto ids = in.ids.as<int64_t, 2>();                                                                    // (B, S)
  const int64_t batch = ids.extent[0];
  PARITY_CHECK(params.pad_token >= 0 || batch == 1, schema,
               "{} sequences and no pad_token_id; the package refuses batches without one", batch);
  const Sink<Num, 2> y(out.out, context);                                                                      // (B, H)
  for (int64_t b = 0; b < batch; ++b) {
    const int64_t s = last_token(ids, b, params.pad_token);
    if (!out.position.empty()) out.position.as<int64_t, 1>()(b) = s;
    for (int64_t h = 0; h < x.extent[2]; ++h) y.set(Num(x(b, s, h)), b, h);
  }
}

PARITY_REFERENCE(PoolLastToken, pool_last_token)

}  // namespace parity::reference
