// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Norms whose mean square is over the wrong elements, or that do not subtract the mean.

#include "core/components/norm/layer_norm.hpp"
#include "core/components/norm/rms_norm.hpp"
#include "faults/mutants/mutants.hpp"

namespace parity::faults {
namespace {

/// A norm with a separate mean square for each of `groups` parts of the width, as one rank sees a norm over all heads.
struct RmsNormGrouped : RmsNorm {
  static constexpr ComponentText text{"rms_norm_grouped", "rms over each of `groups` parts of the width",
                                      "faults/mutants/norms.cpp"};
  struct Params : RmsNorm::Params {
    int64_t groups = 2;
  };
  static constexpr auto params() {
    return std::tuple_cat(RmsNorm::params(), std::tuple{param("groups", &Params::groups)});
  }
};

PARITY_MUTANT_OF(RmsNormAllHeads, RmsNorm, "rms_norm_all_heads", "rms over all heads of a token together")
PARITY_MUTANT_OF(RmsNormMissing, RmsNorm, "rms_norm_missing", "out = x")
PARITY_MUTANT_OF(LayerNormWithoutMean, LayerNorm, "layer_norm_without_mean",
                 "x / sqrt(mean(x^2) + eps) * weight + bias")

/// Computes y = x[i] * inverse * (gain_offset + weight[i]) for `count` elements with one mean square.
template <class Num, class Value, class Write>
void normalise(int64_t count, const RmsNorm::Params& params, const RmsNorm::Points& round, const Value& x,
               const Span<double, 1>& weight, const Write& write) {
  Sum<Num> squares(round.mean);
  for (int64_t i = 0; i < count; ++i) squares.add(round.square(Num(x(i)) * Num(x(i))));
  const Num mean = round.mean(squares.value() / Num(static_cast<double>(count)));
  const Num inverse =
      round.inverse(Num(1.0) / square_root(round.shifted(mean + constant<Num>(params.eps, round.constant))));
  const int64_t width = weight.extent[0];
  for (int64_t i = 0; i < count; ++i) {
    const Num gain = round.gain(Num(params.gain_offset + weight(i % width)));
    write(i, round.out(round.normalised(Num(x(i)) * inverse) * gain));
  }
}

template <class Num>
void rms_norm_grouped(const RmsNorm::Inputs& in, const RmsNormGrouped::Params& params, const RmsNorm::Outputs& out,
                      Context& context) {
  const auto round = points_of<RmsNormGrouped>(context);
  const auto x = in.x.as<double, 2>();                                                                         // (N, H)
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, H)
  PARITY_CHECK(params.groups > 0, usage, "{} groups", params.groups);
  const int64_t width = x.extent[1] % params.groups == 0 ? x.extent[1] / params.groups : x.extent[1];
  for (int64_t n = 0; n < x.extent[0]; ++n) {
    for (int64_t first = 0; first < x.extent[1]; first += width) {
      Span<double, 1> weight = in.weight.as<double, 1>();
      weight.data += first * weight.stride[0];
      weight.extent[0] = width;
      normalise<Num>(
          width, params, round, [&](int64_t i) { return x(n, first + i); }, weight,
          [&](int64_t i, const Num& value) { y.set(value, n, first + i); });
    }
  }
}

template <class Num>
void rms_norm_all_heads(const RmsNorm::Inputs& in, const RmsNorm::Params& params, const RmsNorm::Outputs& out,
                        Context& context) {
  const auto round = points_of<RmsNormAllHeads>(context);
  const auto x = in.x.as<double, 3>();                                                                      // (N, A, D)
  const Sink<Num, 3> y(out.out, context);                                                                   // (N, A, D)
  const int64_t width = x.extent[2];
  for (int64_t n = 0; n < x.extent[0]; ++n) {
    normalise<Num>(
        x.extent[1] * width, params, round, [&](int64_t i) { return x(n, i / width, i % width); },
        in.weight.as<double, 1>(), [&](int64_t i, const Num& value) { y.set(value, n, i / width, i % width); });
  }
}

template <class Num>
void rms_norm_missing(const RmsNorm::Inputs& in, const RmsNorm::Params&, const RmsNorm::Outputs& out,
                      Context& context) {
  const auto x = in.x.as<double, 2>();                                                                         // (N, H)
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, H)
  for (int64_t n = 0; n < x.extent[0]; ++n) {
    for (int64_t h = 0; h < x.extent[1]; ++h) y.set(Num(x(n, h)), n, h);
  }
}

template <class Num>
void layer_norm_without_mean(const LayerNorm::Inputs& in, const LayerNorm::Params& params,
                             const LayerNorm::Outputs& out, Context& context) {
  const auto round = points_of<LayerNormWithoutMean>(context);
  const auto x = in.x.as<double, 2>();                                                                         // (N, H)
  const auto weight = in.weight.as<double, 1>();                                                                  // (H)
  const auto bias = in.bias.as<double, 1>();                                                                      // (H)
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, H)
  for (int64_t n = 0; n < x.extent[0]; ++n) {
    Sum<Num> squares(round.variance);
    for (int64_t h = 0; h < x.extent[1]; ++h) squares.add_product(x(n, h), x(n, h));
    const Num mean = squares.value() / Num(static_cast<double>(x.extent[1]));
    const Num inverse = Num(1.0) / square_root(mean + Num(params.eps));
    for (int64_t h = 0; h < x.extent[1]; ++h)
      y.set(round.out(Num(x(n, h)) * inverse * Num(weight(h)) + Num(bias(h))), n, h);
  }
}

}  // namespace

PARITY_REFERENCE(RmsNormGrouped, rms_norm_grouped)
PARITY_REFERENCE(RmsNormAllHeads, rms_norm_all_heads)
PARITY_REFERENCE(RmsNormMissing, rms_norm_missing)
PARITY_REFERENCE(LayerNormWithoutMean, layer_norm_without_mean)

}  // namespace parity::faults
