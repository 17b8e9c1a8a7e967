// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Products with weights, norms and routed experts.

#include <algorithm>
#include <cmath>

#include "cases/drawn/gated.hpp"
#include "cases/drawn/kernels.hpp"
#include "core/components/experts/moe_experts.hpp"
#include "core/components/linear/linear.hpp"
#include "core/components/norm/layer_norm.hpp"
#include "core/components/norm/rms_norm.hpp"
#include "core/components/vision/patch_embed.hpp"

namespace parity::cases {
namespace {

void linear(const Linear::Inputs& in, const Linear::Params&, const Linear::Outputs& out, const Linear::Points& round,
            const Arithmetic& math) {
  const auto x = rows_of(in.x.as<double, 2>());
  const auto weight = rows_of(in.weight.as<double, 2>());
  const Row bias = in.bias.empty() ? Row() : values_of(in.bias.as<double, 1>());
  const auto y = out.out.as<double, 2>();                                                                      // (N, F)
  for (size_t n = 0; n < x.size(); ++n) {
    for (size_t f = 0; f < weight.size(); ++f) {
      const float sum = math.dot(x[n], weight[f]);
      y(n, f) = at(round.out, at(round.sum, bias.empty() ? sum : sum + bias[f]));
    }
  }
}

void patch_embed(const PatchEmbed::Inputs& in, const PatchEmbed::Params&, const PatchEmbed::Outputs& out,
                 const PatchEmbed::Points& round, const Arithmetic& math) {
  auto patches = rows_of(in.pixels.as<double, 2>());
  for (Row& patch : patches) {  // pixels are binary32 in every model
    for (float& pixel : patch) pixel = static_cast<float>(round_to(round.out.working, pixel));
  }
  const int64_t width = in.pixels.shape.back();
  const auto y = out.out.as<double, 2>();                                                                      // (P, H)
  for (int64_t h = 0; h < y.extent[1]; ++h) {
    Row kernel;
    for (int64_t i = 0; i < width; ++i) kernel.push_back(static_cast<float>(in.weight.value(h * width + i)));
    for (size_t p = 0; p < patches.size(); ++p) y(p, h) = at(round.out, at(round.sum, math.dot(patches[p], kernel)));
  }
}

void rms_norm(const RmsNorm::Inputs& in, const RmsNorm::Params& params, const RmsNorm::Outputs& out,
              const RmsNorm::Points& round, const Arithmetic& math) {
  const auto x = rows_of(in.x.as<double, 2>());
  const Row weight = values_of(in.weight.as<double, 1>());
  const auto y = out.out.as<double, 2>();                                                                      // (N, H)
  const auto width = static_cast<float>(weight.size());
  for (size_t n = 0; n < x.size(); ++n) {
    const float mean = math.quotient(math.dot(x[n], x[n]), width);
    const float inverse = math.inverse_root(mean + static_cast<float>(params.eps));
    for (size_t h = 0; h < weight.size(); ++h) {
      const float normalised = at(round.normalised, x[n][h] * inverse);
      y(n, h) = at(round.out, normalised * at(round.gain, static_cast<float>(params.gain_offset) + weight[h]));
    }
  }
}

/// Returns mean and sum of squares computed in one pass: each value updates both (Welford).
std::pair<float, float> running_moments(const Row& x, const Arithmetic& math) {
  float mean = 0.0F, squares = 0.0F, count = 0.0F;
  for (const int64_t i : math.visits(static_cast<int64_t>(x.size()))) {
    const float value = x[static_cast<size_t>(i)];
    count += 1.0F;
    const float step = value - mean;
    mean += step / count;
    squares = math.multiply_add(step, value - mean, squares);
  }
  return {mean, squares / count};
}

std::pair<float, float> moments(const Row& x, const Arithmetic& math) {
  const auto count = static_cast<float>(x.size());
  const float mean = math.quotient(math.sum(x), count);
  Row deviations;
  for (const float value : x) deviations.push_back(value - mean);
  return {mean, math.quotient(math.dot(deviations, deviations), count)};
}

void layer_norm(const LayerNorm::Inputs& in, const LayerNorm::Params& params, const LayerNorm::Outputs& out,
                const LayerNorm::Points& round, const Arithmetic& math) {
  const auto x = rows_of(in.x.as<double, 2>());
  const Row weight = values_of(in.weight.as<double, 1>());
  const Row bias = values_of(in.bias.as<double, 1>());
  const auto y = out.out.as<double, 2>();                                                                      // (N, H)
  const bool running = math.style().reciprocal;
  for (size_t n = 0; n < x.size(); ++n) {
    const auto [mean, variance] = running ? running_moments(x[n], math) : moments(x[n], math);
    const float inverse = math.inverse_root(variance + static_cast<float>(params.eps));
    for (size_t h = 0; h < weight.size(); ++h) {
      // Not fused, as in LibTorch: a fused one would leave the rounding of mean * inverse where x is the mean.
      const float offset = -mean * inverse, scaled = x[n][h] * inverse;
      const float normalised = running ? (x[n][h] - mean) * inverse : scaled + offset;
      y(n, h) = at(round.out, math.multiply_add(normalised, weight[h], bias[h]));
    }
  }
}

/// Returns swiglu(gate_up x) of one token: F values.
Row activation(const Row& x, const std::vector<Row>& gate_up, const MoeExperts::Params& params,
               const MoeExperts::Points& round, const Arithmetic& math) {
  Row hidden;
  for (const Row& row : gate_up) hidden.push_back(at(round.gate_up, at(round.sum, math.dot(x, row))));
  const size_t width = gate_up.size() / 2;
  Row result;
  for (size_t f = 0; f < width; ++f)
    result.push_back(at(round.activation, gated(hidden[f], hidden[width + f], params, round, math)));
  return result;
}

/// Returns a token's experts: if `rounds`, in the oracle's order (each addition rounds to T), else in any order.
std::vector<int64_t> order_of(const Span<int64_t, 2>& indices, int64_t n, bool rounds, const Arithmetic& math) {
  std::vector<int64_t> slots = math.visits(indices.extent[1]);
  if (rounds)
    std::sort(slots.begin(), slots.end(), [&](int64_t a, int64_t b) { return indices(n, a) < indices(n, b); });
  return slots;
}

void moe_experts(const MoeExperts::Inputs& in, const MoeExperts::Params& params, const MoeExperts::Outputs& out,
                 const MoeExperts::Points& round, const Arithmetic& math) {
  const auto x = rows_of(in.x.as<double, 2>());
  const auto indices = in.indices.as<int64_t, 2>();                                                            // (N, T)
  const auto weights = in.weights.as<double, 2>();                                                             // (N, T)
  const auto y = out.out.as<double, 2>();                                                                      // (N, H)
  std::vector<std::vector<Row>> gate_up, down;
  for (int64_t e = 0; e < in.gate_up->size(); ++e) {
    const Tensor first = in.gate_up->member(e);
    const Tensor second = in.down->member(e);
    gate_up.push_back(rows_of(first.view().as<double, 2>()));
    down.push_back(rows_of(second.view().as<double, 2>()));
  }
  for (int64_t n = 0; n < y.extent[0]; ++n) {
    for (int64_t h = 0; h < y.extent[1]; ++h) y(n, h) = 0.0;
    for (const int64_t t : order_of(indices, n, round.out.active, math)) {
      const auto e = static_cast<size_t>(indices(n, t));
      const Row active = activation(x[static_cast<size_t>(n)], gate_up[e], params, round, math);
      const auto factor = static_cast<float>(weights(n, t));
      for (size_t f = 0; f < active.size() && !out.slot_activation.empty(); ++f)
        out.slot_activation.as<double, 3>()(n, t, f) = active[f];
      for (int64_t h = 0; h < y.extent[1]; ++h) {
        const float value = at(round.down, at(round.sum, math.dot(active, down[e][static_cast<size_t>(h)])));
        if (!out.slot_weighted.empty()) out.slot_weighted.as<double, 3>()(n, t, h) = value * factor;
        const float addend = at(round.addend, value * factor);
        y(n, h) = at(round.out, static_cast<float>(y(n, h)) + addend);
      }
    }
  }
}

}  // namespace

void add_matrix_kernels(CorrectKernels& kernels) {
  kernels["linear"] = correct_kernel<Linear>(linear);
  kernels["patch_embed"] = correct_kernel<PatchEmbed>(patch_embed);
  kernels["rms_norm"] = correct_kernel<RmsNorm>(rms_norm);
  kernels["layer_norm"] = correct_kernel<LayerNorm>(layer_norm);
  kernels["moe_experts"] = correct_kernel<MoeExperts>(moe_experts);
}

}  // namespace parity::cases
