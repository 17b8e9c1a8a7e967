// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Activations of other models.

#include <limits>
#include <numbers>

#include "core/components/activation/gelu.hpp"
#include "core/components/activation/sigmoid_gate.hpp"
#include "core/components/activation/silu.hpp"
#include "core/components/activation/swiglu.hpp"
#include "faults/mutants/mutants.hpp"
#include "reference/activation/rounded_logistic.hpp"

namespace parity::faults {
namespace {

struct SwigluMistaken : Swiglu {
  static constexpr ComponentText text{"swiglu_mistaken", "clamps, or the unit offset, in the wrong place",
                                      "faults/mutants/activations.cpp"};
  struct Params : Swiglu::Params {
    bool gate_ceiling = true;   // gate <= limit
    bool gate_floor = false;    // adds gate >= -limit
    bool up_ceiling = true;     // up <= limit
    bool up_floor = true;       // up >= -limit
    bool offset_first = false;  // adds the unit offset before the clamp
    bool gelu = false;          // gelu(gate) instead of gate sigmoid(alpha gate)
  };
  static constexpr auto params() {
    return std::tuple_cat(
        Swiglu::params(),
        std::tuple{param("gate_ceiling", &Params::gate_ceiling), param("gate_floor", &Params::gate_floor),
                   param("up_ceiling", &Params::up_ceiling), param("up_floor", &Params::up_floor),
                   param("offset_first", &Params::offset_first), param("gelu", &Params::gelu)});
  }
};

template <class Num>
Num clamped(Num x, const Num& limit, bool floor, bool ceiling) {
  if (ceiling) x = at_most(x, limit);
  return floor ? at_least(x, -limit) : x;
}

template <class Num>
void swiglu_mistaken(const Swiglu::Inputs& in, const SwigluMistaken::Params& params, const Swiglu::Outputs& out,
                     Context& context) {
  const auto round = points_of<SwigluMistaken>(context);
  const auto gate_up = in.gate_up.as<double, 2>();                                                            // (N, 2F)
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, F)
  const int64_t width = gate_up.extent[1] / 2;
  const Num limit = constant<Num>(params.limit, round.limit);
  const Num one(params.linear_offset);
  for (int64_t n = 0; n < gate_up.extent[0]; ++n) {
    for (int64_t f = 0; f < width; ++f) {
      const Num g = clamped(Num(gate_up(n, f)), limit, params.gate_floor, params.gate_ceiling);
      Num u(gate_up(n, width + f));
      if (params.offset_first) u = round.shifted(u + one);
      u = clamped(u, limit, params.up_floor, params.up_ceiling);
      if (!params.offset_first) u = round.shifted(u + one);
      const Num sigmoid =
          round.sigmoid(reference::rounded_logistic(round.scaled(g * round.constant(Num(params.alpha))), round));
      const Num gelu =
          round.gated(Num(0.5) * g * (Num(1.0) + round.constant(error_function(g * Num(1.0 / std::numbers::sqrt2)))));
      y.set(round.out(u * (params.gelu ? gelu : round.gated(g * sigmoid))), n, f);
    }
  }
}

struct GeluApproximated : Gelu {
  static constexpr ComponentText text{"gelu_approximated", "tanh, or x sigmoid(1.702 x), instead of erf",
                                      "faults/mutants/activations.cpp"};
  struct Params {
    bool quick = false;
  };
  static constexpr auto params() { return std::tuple{param("quick", &Params::quick)}; }
};

template <class Num>
void gelu_approximated(const Gelu::Inputs& in, const GeluApproximated::Params& params, const Gelu::Outputs& out,
                       Context& context) {
  const auto round = points_of<GeluApproximated>(context);
  const auto x = in.x.as<double, 2>();                                                                         // (N, F)
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, F)
  for (int64_t n = 0; n < x.extent[0]; ++n) {
    for (int64_t f = 0; f < x.extent[1]; ++f) {
      const double v = x(n, f);
      const double inner = std::sqrt(2.0 / std::numbers::pi) * (v + 0.044715 * v * v * v);
      const double value = params.quick ? v / (1.0 + std::exp(-1.702 * v)) : 0.5 * v * (1.0 + std::tanh(inner));
      if constexpr (std::is_same_v<Num, Bounded>) {  // 1 + tanh cancels in binary32
        y.set(round.out(Bounded(value, 0.0, 4.0 * unit_roundoff(DType::f32) * std::abs(v))), n, f);
      } else {
        y.set(round.out(value), n, f);
      }
    }
  }
}

PARITY_MUTANT_OF(SiluMissing, Silu, "silu_missing", "out = x")
PARITY_MUTANT_OF(SigmoidGateAsSilu, SigmoidGate, "sigmoid_gate_as_silu", "out = gate sigmoid(gate) x")

template <class Num>
void silu_missing(const Silu::Inputs& in, const Silu::Params&, const Silu::Outputs& out, Context& context) {
  const auto x = in.x.as<double, 2>();                                                                         // (N, F)
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, F)
  for (int64_t n = 0; n < x.extent[0]; ++n) {
    for (int64_t f = 0; f < x.extent[1]; ++f) y.set(Num(x(n, f)), n, f);
  }
}

template <class Num>
void sigmoid_gate_as_silu(const SigmoidGate::Inputs& in, const SigmoidGate::Params&, const SigmoidGate::Outputs& out,
                          Context& context) {
  const auto round = points_of<SigmoidGateAsSilu>(context);
  const auto gate = in.gate.as<double, 2>();                                                                   // (N, H)
  const auto x = in.x.as<double, 2>();                                                                         // (N, H)
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, H)
  for (int64_t n = 0; n < x.extent[0]; ++n) {
    for (int64_t h = 0; h < x.extent[1]; ++h) {
      const Num silu = round.sigmoid(Num(gate(n, h)) * logistic(Num(gate(n, h))));
      y.set(round.out(silu * Num(x(n, h))), n, h);
    }
  }
}

}  // namespace

PARITY_REFERENCE(SwigluMistaken, swiglu_mistaken)
PARITY_REFERENCE(GeluApproximated, gelu_approximated)
PARITY_REFERENCE(SiluMissing, silu_missing)
PARITY_REFERENCE(SigmoidGateAsSilu, sigmoid_gate_as_silu)

}  // namespace parity::faults
