// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/loss/mtp_loss.hpp"

#include <optional>

#include "reference/loss/label_loss.hpp"
#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void mtp_loss(const MtpLoss::Inputs& in, const MtpLoss::Params& params, const MtpLoss::Outputs& out, Context& context) {
  const auto round = points_of<MtpLoss>(context);
  const auto labels = in.labels.as<int64_t, 2>();                                                              // (B, S)
  std::optional<Span<int64_t, 2>> documents;                                                                   // (B, S)
  if (!in.documents.empty()) documents = in.documents.as<int64_t, 2>();
  double counted = 0.0;
  for (int64_t b = 0; b < labels.extent[0]; ++b) {
    for (int64_t s = 0; s < labels.extent[1]; ++s) counted += labels(b, s) == kIgnoredLabel ? 0.0 : 1.0;
  }
  Sum<Num> total(round.out);
  for (size_t depth = 1; depth <= in.logits.size(); ++depth) {
    const auto logits = in.logits[depth - 1].as<double, 3>();                                               // (B, S, V)
    const auto shift = static_cast<int64_t>(depth);
    Sum<Num> sum(round.mean);
    for (int64_t b = 0; b < labels.extent[0]; ++b) {
      for (int64_t s = 0; s + shift < labels.extent[1]; ++s) {
        const int64_t label = labels(b, s + shift);
        const bool foreign = documents && (*documents)(b, s + shift) != (*documents)(b, s);
        if (label != kIgnoredLabel && !foreign) sum.add(row_loss<Num>(logits, b, s, label, round));
      }
    }
    total.add(round.mean(sum.value() / Num(counted)));
  }
  const double share = params.factor / static_cast<double>(in.logits.size());
  const Sink<Num, 0> y(out.loss, context);                                                                         // ()
  y.set(round.out(total.value() * constant<Num>(share, round.constant)));
}

PARITY_REFERENCE(MtpLoss, mtp_loss)

}  // namespace parity::reference
