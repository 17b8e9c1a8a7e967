// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/loss/span_loss.hpp"

#include "reference/loss/label_loss.hpp"
#include "reference/support.hpp"

namespace parity::reference {
namespace {

template <class Num, class Points>
Num mean_loss(const Span<double, 3>& logits, const Span<int64_t, 1>& targets, int64_t column, double items,
              const Points& round) {
  const int64_t places = logits.extent[2];
  Sum<Num> total(round.mean);
  double counted = 0.0;
  for (int64_t b = 0; b < targets.extent[0]; ++b) {
    const int64_t target = std::max<int64_t>(targets(b), 0);
    if (target >= places) continue;
    total.add(row_loss<Num>(logits, b, column, target, round));
    counted += 1.0;
  }
  return round.mean(total.value() / Num(items > 0.0 ? items : counted));
}

}  // namespace

template <class Num>
void span_loss(const SpanLoss::Inputs& in, const SpanLoss::Params& params, const SpanLoss::Outputs& out,
               Context& context) {
  const auto round = points_of<SpanLoss>(context);
  auto logits = in.logits.as<double, 3>();                                                                  // (B, S, 2)
  std::swap(logits.extent[1], logits.extent[2]);                                                            // (B, 2, S)
  std::swap(logits.stride[1], logits.stride[2]);
  const Num start = mean_loss<Num>(logits, in.start.as<int64_t, 1>(), 0, params.num_items, round);
  const Num end = mean_loss<Num>(logits, in.end.as<int64_t, 1>(), 1, params.num_items, round);
  const Sink<Num, 0> y(out.loss, context);                                                                         // ()
  y.set(round.out(round.out(start + end) / Num(2.0)));
}

PARITY_REFERENCE(SpanLoss, span_loss)

}  // namespace parity::reference
