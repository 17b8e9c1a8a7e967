// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Losses of the heads, and regularisers of the routers.

#include <cmath>

#include "cases/drawn/choices.hpp"
#include "cases/drawn/kernels.hpp"
#include "core/components/loss/independent_labels_loss.hpp"
#include "core/components/loss/mtp_loss.hpp"
#include "core/components/loss/router_aux_loss.hpp"
#include "core/components/loss/router_balance_loss.hpp"
#include "core/components/loss/span_loss.hpp"
#include "core/components/loss/squared_error.hpp"

namespace parity::cases {
namespace {

void span_loss(const SpanLoss::Inputs& in, const SpanLoss::Params& params, const SpanLoss::Outputs& out,
               const SpanLoss::Points& round, const Arithmetic& math) {
  const auto logits = in.logits.as<double, 3>();                                                            // (B, S, 2)
  const auto mean = [&](const Span<int64_t, 1>& targets, int64_t column) {
    Row terms;
    for (int64_t b = 0; b < logits.extent[0]; ++b) {
      const int64_t target = std::max<int64_t>(targets(b), 0);
      if (target >= logits.extent[1]) continue;
      Row row;
      for (int64_t s = 0; s < logits.extent[1]; ++s) row.push_back(static_cast<float>(logits(b, s, column)));
      terms.push_back(at(round.term, label_loss(row, target, math)));
    }
    const double count = params.num_items > 0.0 ? params.num_items : static_cast<double>(terms.size());
    return at(round.mean, math.sum(terms) / static_cast<float>(count));
  };
  const float end = mean(in.end.as<int64_t, 1>(), 1), start = mean(in.start.as<int64_t, 1>(), 0);
  out.loss.as<double, 0>()() = at(round.out, 0.5F * at(round.out, start + end));
}

void squared_error(const SquaredError::Inputs& in, const SquaredError::Params&, const SquaredError::Outputs& out,
                   const SquaredError::Points& round, const Arithmetic& math) {
  const auto logits = in.logits.as<double, 2>();                                                               // (B, L)
  const auto labels = in.labels.as<double, 2>();                                                               // (B, L)
  Row terms;
  for (int64_t b = 0; b < logits.extent[0]; ++b) {
    for (int64_t l = 0; l < logits.extent[1]; ++l) {
      const float difference =
          at(round.difference, static_cast<float>(labels(b, l)) - static_cast<float>(logits(b, l)));
      terms.push_back(at(round.square, difference * difference));
    }
  }
  out.loss.as<double, 0>()() = at(round.mean, math.quotient(math.sum(terms), static_cast<float>(terms.size())));
}

void independent_labels_loss(const IndependentLabelsLoss::Inputs& in, const IndependentLabelsLoss::Params&,
                             const IndependentLabelsLoss::Outputs& out, const IndependentLabelsLoss::Points& round,
                             const Arithmetic& math) {
  const auto logits = in.logits.as<double, 2>();                                                               // (B, L)
  const auto labels = in.labels.as<double, 2>();                                                               // (B, L)
  Row terms;
  for (int64_t b = 0; b < logits.extent[0]; ++b) {
    for (int64_t l = 0; l < logits.extent[1]; ++l) {
      const auto x = static_cast<float>(logits(b, l));
      const float likely = at(round.sigmoid, std::min(x, 0.0F) - std::log1p(math.exponential(-std::abs(x))));
      const float complement = at(round.complement, 1.0F - static_cast<float>(labels(b, l)));
      terms.push_back(at(round.term, at(round.product, complement * x) - likely));
    }
  }
  out.loss.as<double, 0>()() = at(round.mean, math.quotient(math.sum(terms), static_cast<float>(terms.size())));
}

void mtp_loss(const MtpLoss::Inputs& in, const MtpLoss::Params& params, const MtpLoss::Outputs& out,
              const MtpLoss::Points& round, const Arithmetic& math) {
  const auto labels = in.labels.as<int64_t, 2>();                                                              // (B, S)
  const int64_t tokens = labels.extent[1];
  const auto foreign = [&](int64_t b, int64_t s, int64_t target) {
    return !in.documents.empty() && in.documents.value(b * tokens + s) != in.documents.value(b * tokens + target);
  };
  float counted = 0.0F;
  for (int64_t i = 0; i < labels.extent[0] * tokens; ++i)
    counted += labels(i / tokens, i % tokens) == kIgnored ? 0.0F : 1.0F;
  Row means;
  for (size_t depth = 0; depth < in.logits.size(); ++depth) {
    const auto rows = rows_of(in.logits[depth].as<double, 2>());
    Row terms;
    for (int64_t i = 0; i < labels.extent[0] * tokens; ++i) {
      const int64_t b = i / tokens, s = i % tokens, target = s + static_cast<int64_t>(depth) + 1;
      if (target >= tokens || labels(b, target) == kIgnored || foreign(b, s, target)) continue;
      terms.push_back(label_loss(rows[static_cast<size_t>(i)], labels(b, target), math));
    }
    means.push_back(at(round.mean, math.sum(terms) / counted));
  }
  const auto share = static_cast<float>(params.factor / static_cast<double>(means.size()));
  out.loss.as<double, 0>()() = at(round.out, math.sum(means) * share);
}

/// Sums over the rows of all layers.
struct Shares {
  std::vector<Row> probability;             // by expert
  std::vector<std::vector<int64_t>> taken;  // by slot and expert
  float weight = 0.0F;
};

Shares shares_of(const RouterAuxLoss::Inputs& in, int64_t top_k, const Round& probability, const Arithmetic& math) {
  const auto mask = in.mask.as<int64_t, 2>();                                                                  // (B, K)
  const auto experts = static_cast<size_t>(in.logits.front().shape.back());
  Shares shares{std::vector<Row>(experts),
                std::vector<std::vector<int64_t>>(static_cast<size_t>(top_k), std::vector<int64_t>(experts)), 0.0F};
  for (const TensorView& layer : in.logits) {
    const auto rows = rows_of(layer.as<double, 2>());
    const auto tokens = static_cast<int64_t>(rows.size()) / mask.extent[0];
    for (size_t n = 0; n < rows.size(); ++n) {
      const auto row = static_cast<int64_t>(n);
      auto [score, sum] = exponentials(rows[n], math);
      for (float& value : score) value = at(probability, math.quotient(value, sum));
      if (mask(row / tokens, mask.extent[1] - tokens + row % tokens) == 0) {  // multiplied by zero: NaN stays NaN
        for (size_t e = 0; e < experts; ++e) shares.probability[e].push_back(0.0F * score[e]);
        continue;
      }
      shares.weight += 1.0F;
      for (size_t e = 0; e < experts; ++e) shares.probability[e].push_back(score[e]);
      const auto ids = largest(score, top_k);
      for (size_t t = 0; t < ids.size(); ++t) ++shares.taken[t][static_cast<size_t>(ids[t])];
    }
  }
  return shares;
}

void router_aux_loss(const RouterAuxLoss::Inputs& in, const RouterAuxLoss::Params& params,
                     const RouterAuxLoss::Outputs& out, const RouterAuxLoss::Points& round, const Arithmetic& math) {
  const Shares shares = shares_of(in, params.top_k, round.probability, math);
  Row terms;
  for (size_t e = 0; e < shares.probability.size(); ++e) {
    const float mean = at(round.mean, at(round.column, math.sum(shares.probability[e])) / shares.weight);
    int64_t together = 0;
    for (const auto& taken : shares.taken) {
      together += taken[e];
      if (!params.pooled_slots) terms.push_back(mean * (static_cast<float>(taken[e]) / shares.weight));
    }
    if (params.pooled_slots) terms.push_back(mean * (static_cast<float>(together) / shares.weight));
  }
  out.loss.as<double, 0>()() = at(round.out, math.sum(terms) * static_cast<float>(shares.probability.size()));
}

void router_balance_loss(const RouterBalanceLoss::Inputs& in, const RouterBalanceLoss::Params& params,
                         const RouterBalanceLoss::Outputs& out, const RouterBalanceLoss::Points& round,
                         const Arithmetic& math) {
  const auto rows = rows_of(in.scores.as<double, 2>());
  const auto load = in.load.as<int64_t, 1>();                                                                     // (E)
  const auto experts = static_cast<size_t>(load.extent[0]);
  std::vector<Row> columns(experts);
  for (size_t n = 0; n < rows.size(); ++n) {
    if (!in.token_mask.empty() && in.token_mask.as<int64_t, 1>()(n) == 0) continue;
    const float total = math.sum(rows[n]) + static_cast<float>(params.eps);
    for (size_t e = 0; e < experts; ++e)
      columns[e].push_back(at(round.share, at(round.quotient, math.quotient(rows[n][e], total))));
  }
  Row terms;
  for (size_t e = 0; e < experts; ++e) {
    const auto tokens = static_cast<float>(columns[e].size());
    const auto taken = static_cast<float>(load(e) * load.extent[0]) / (tokens * static_cast<float>(params.top_k));
    terms.push_back(taken * math.quotient(math.sum(columns[e]), tokens));
  }
  out.loss.as<double, 0>()() = math.sum(terms);
}

}  // namespace

void add_loss_kernels(CorrectKernels& kernels) {
  kernels["span_loss"] = correct_kernel<SpanLoss>(span_loss);
  kernels["squared_error"] = correct_kernel<SquaredError>(squared_error);
  kernels["independent_labels_loss"] = correct_kernel<IndependentLabelsLoss>(independent_labels_loss);
  kernels["mtp_loss"] = correct_kernel<MtpLoss>(mtp_loss);
  kernels["router_aux_loss"] = correct_kernel<RouterAuxLoss>(router_aux_loss);
  kernels["router_balance_loss"] = correct_kernel<RouterBalanceLoss>(router_balance_loss);
}

}  // namespace parity::cases
