// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/vision/vision_attention.hpp"

#include <numeric>

#include "reference/attention/attention_row.hpp"
#include "reference/support.hpp"
#include "reference/vision/patch_grid.hpp"

namespace parity::reference {

template <class Num>
void vision_attention(const VisionAttention::Inputs& in, const VisionAttention::Params& params,
                      const VisionAttention::Outputs& out, Context& context) {
  const auto round = points_of<VisionAttention>(context);
  const auto q = in.q.as<double, 4>();                                                                   // (1, A, P, D)
  const Sink<Num, 4> y(out.out, context);                                                                // (1, P, A, D)
  const int64_t patches = q.extent[2];
  PARITY_CHECK(params.key_tile > 0, usage, "vision_attention: key_tile is {}; 1 or more is needed", params.key_tile);
  auto scopes = media_of(in.grid.as<int64_t, 2>(), patches);
  if (!params.per_medium) scopes = {{0, patches, {}}};
  const auto k = in.k.as<double, 4>();                                                                   // (1, A, P, D)
  const auto v = in.v.as<double, 4>();                                                                   // (1, A, P, D)
  const auto attend = [&](int64_t a) {
    const Head head(k, v, 0, a);
    for (const Medium& scope : scopes) {
      for (int64_t p = scope.first; p < scope.first + scope.count; ++p) {
        AttentionRow row{0, a, p, std::vector<int64_t>(static_cast<size_t>(scope.count)), false, scope.first};
        std::iota(row.slots.begin(), row.slots.end(), scope.first);
        const auto result = attention_row<Num, VisionAttention>(row, q, head, params, round);
        for (size_t d = 0; d < result.size(); ++d) y.set(result[d], 0, p, a, static_cast<int64_t>(d));
      }
    }
  };
  CaughtInParallel caught;
#pragma omp parallel for schedule(dynamic) if (patches >= kManySlots)
  for (int64_t a = 0; a < q.extent[1]; ++a) caught.run([&] { attend(a); });
  caught.rethrow();
}

PARITY_REFERENCE(VisionAttention, vision_attention)

}  // namespace parity::reference
