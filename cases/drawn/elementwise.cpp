// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Components without sums whose functions and products kernels may evaluate in different ways.

#include <algorithm>
#include <cmath>

#include "cases/drawn/coded_cache.hpp"
#include "cases/drawn/gated.hpp"
#include "cases/drawn/kernels.hpp"
#include "core/components/activation/gelu.hpp"
#include "core/components/activation/sigmoid_gate.hpp"
#include "core/components/activation/silu.hpp"
#include "core/components/activation/swiglu.hpp"
#include "core/components/cache/cache_append.hpp"
#include "core/components/cache/paged_view.hpp"
#include "core/components/linear/dequantise.hpp"
#include "core/components/norm/residual_add.hpp"
#include "core/components/rope/partial_rope.hpp"
#include "core/components/rope/rotary_tables.hpp"

namespace parity::cases {
namespace {

void swiglu(const Swiglu::Inputs& in, const Swiglu::Params& params, const Swiglu::Outputs& out,
            const Swiglu::Points& round, const Arithmetic& math) {
  const auto x = in.gate_up.as<double, 2>();                                                                  // (N, 2F)
  const auto y = out.out.as<double, 2>();                                                                      // (N, F)
  for (int64_t n = 0; n < y.extent[0]; ++n) {
    for (int64_t f = 0; f < y.extent[1]; ++f) {
      const auto gate = static_cast<float>(x(n, f)), up = static_cast<float>(x(n, y.extent[1] + f));
      y(n, f) = at(round.out, gated(gate, up, params, round, math));
    }
  }
}

void gelu(const Gelu::Inputs& in, const Gelu::Params&, const Gelu::Outputs& out, const Gelu::Points& round,
          const Arithmetic& math) {
  const auto x = in.x.as<double, 2>();                                                                         // (N, F)
  const auto y = out.out.as<double, 2>();                                                                      // (N, F)
  constexpr float kRootOfHalf = 0.707106781F;
  for (int64_t n = 0; n < y.extent[0]; ++n) {
    for (int64_t f = 0; f < y.extent[1]; ++f) {
      const auto value = static_cast<float>(x(n, f));
      const float error = std::erf(value * kRootOfHalf);
      const float half = 0.5F * value;
      y(n, f) = at(round.out, math.style().fused ? math.multiply_add(half, error, half) : half * (1.0F + error));
    }
  }
}

void silu(const Silu::Inputs& in, const Silu::Params&, const Silu::Outputs& out, const Silu::Points& round,
          const Arithmetic& math) {
  const auto x = in.x.as<double, 2>();                                                                         // (N, F)
  const auto y = out.out.as<double, 2>();                                                                      // (N, F)
  for (int64_t n = 0; n < y.extent[0]; ++n) {
    for (int64_t f = 0; f < y.extent[1]; ++f) {
      const auto value = static_cast<float>(x(n, f));
      const bool quotient = round.sigmoid.precision != Precision::working && value > -80.0F && math.style().fused;
      y(n, f) =
          at(round.out, quotient ? value / (1.0F + std::exp(-value)) : value * at(round.sigmoid, math.logistic(value)));
    }
  }
}

/// Copies page by page in memory order to the sequences that own the page.
void paged_view(const PagedView::Inputs& in, const PagedView::Params& params, const PagedView::Outputs& out,
                const PagedView::Points&, const Arithmetic&) {
  const auto pages = in.pages.as<double, 4>();   // (pages, G, page_size, D)
  const auto table = in.table.as<int64_t, 2>();  // (B, pages of a sequence)
  const auto y = out.out.as<double, 4>();                                                                // (B, G, K, D)
  const auto copy = [&](int64_t page, int64_t b, int64_t first) {
    const int64_t slots = std::min(params.page_size, y.extent[2] - first);
    for (int64_t i = 0; i < y.extent[1] * slots * y.extent[3]; ++i) {
      const int64_t d = i % y.extent[3], slot = i / y.extent[3] % slots, g = i / y.extent[3] / slots;
      y(b, g, first + slot, d) = pages(page, g, slot, d);
    }
  };
  for (int64_t page = 0; page < pages.extent[0]; ++page) {
    for (int64_t b = 0; b < y.extent[0]; ++b) {
      for (int64_t j = 0; j * params.page_size < y.extent[2]; ++j) {
        if (table(b, j) == page) copy(page, b, j * params.page_size);
      }
    }
  }
}

void sigmoid_gate(const SigmoidGate::Inputs& in, const SigmoidGate::Params&, const SigmoidGate::Outputs& out,
                  const SigmoidGate::Points& round, const Arithmetic& math) {
  const auto gate = in.gate.as<double, 2>();                                                                   // (N, H)
  const auto x = in.x.as<double, 2>();                                                                         // (N, H)
  const auto y = out.out.as<double, 2>();                                                                      // (N, H)
  for (int64_t n = 0; n < y.extent[0]; ++n) {
    for (int64_t h = 0; h < y.extent[1]; ++h) {
      const float sigmoid = at(round.sigmoid, math.logistic(static_cast<float>(gate(n, h))));
      y(n, h) = at(round.out, sigmoid * static_cast<float>(x(n, h)));
    }
  }
}

/// Dequantises block by block. Every operation is prescribed, so there is no other correct arithmetic.
void dequantise(const Dequantise::Inputs& in, const Dequantise::Params& params, const Dequantise::Outputs& out,
                const Dequantise::Points& round, const Arithmetic&) {
  const auto codes = in.codes.as<double, 2>();                                                                 // (N, K)
  const auto y = out.out.as<double, 2>();                                                                      // (N, K)
  const bool scaled = !in.scales.empty();
  const auto scales = scaled ? in.scales.as<double, 2>() : Span<double, 2>{nullptr, {1, 1}, {1, 1}};           // (P, Q)
  const int64_t rows = codes.extent[0] / scales.extent[0], columns = codes.extent[1] / scales.extent[1];
  for (int64_t p = 0; p < scales.extent[0]; ++p) {
    for (int64_t q = 0; q < scales.extent[1]; ++q) {
      const double stored = scaled ? scales(p, q) : 1.0;
      const double factor = params.exponents && scaled ? std::ldexp(1.0, static_cast<int>(stored) - 127) : stored;
      for (int64_t i = 0; i < rows * columns; ++i) {
        const int64_t n = p * rows + i % rows, k = q * columns + i / rows;
        y(n, k) = at(round.out, static_cast<float>(codes(n, k)) * static_cast<float>(factor));
      }
    }
  }
}

void residual_add(const ResidualAdd::Inputs& in, const ResidualAdd::Params& params, const ResidualAdd::Outputs& out,
                  const ResidualAdd::Points& round, const Arithmetic& math) {
  const auto residual = in.residual.as<double, 2>();                                                           // (N, H)
  const auto branch = in.branch.as<double, 2>();                                                               // (N, H)
  const auto y = out.out.as<double, 2>();                                                                      // (N, H)
  const bool rounds = round.scaled_branch.precision == Precision::working && round.scaled_branch.working != DType::f32;
  for (int64_t n = 0; n < y.extent[0]; ++n) {
    for (int64_t h = 0; h < y.extent[1]; ++h) {
      const float stream =
          at(round.scaled_residual, static_cast<float>(residual(n, h)) * static_cast<float>(params.residual_factor));
      const auto factor = static_cast<float>(params.branch_factor);
      const auto added = static_cast<float>(branch(n, h));
      y(n, h) = at(round.out, rounds ? stream + at(round.scaled_branch, added * factor)
                                     : math.multiply_add(added, factor, stream));
    }
  }
}

void partial_rope(const PartialRope::Inputs& in, const PartialRope::Params&, const PartialRope::Outputs& out,
                  const PartialRope::Points& round, const Arithmetic& math) {
  const auto x = in.x.as<double, 4>();                                                                   // (B, A, S, D)
  const auto cos = in.cos.as<double, 3>();                                                                  // (B, S, R)
  const auto sin = in.sin.as<double, 3>();                                                                  // (B, S, R)
  const auto y = out.out.as<double, 4>();                                                                // (B, A, S, D)
  const int64_t half = cos.extent[2] / 2;
  const bool rounds = round.direct.precision == Precision::working && round.direct.working != DType::f32;
  for (int64_t b = 0; b < x.extent[0]; ++b) {
    for (int64_t a = 0; a < x.extent[1]; ++a) {
      for (int64_t s = 0; s < x.extent[2]; ++s) {
        for (int64_t d = 0; d < x.extent[3]; ++d) {
          const auto value = static_cast<float>(x(b, a, s, d));
          y(b, a, s, d) = value;
          if (d >= 2 * half) continue;
          const auto partner = static_cast<float>(d < half ? -x(b, a, s, d + half) : x(b, a, s, d - half));
          const auto c = static_cast<float>(cos(b, s, d));
          const float crossed = at(round.crossed, partner * static_cast<float>(sin(b, s, d)));
          y(b, a, s, d) =
              at(round.out, rounds ? at(round.direct, value * c) + crossed : math.multiply_add(value, c, crossed));
        }
      }
    }
  }
}

void rotary_tables(const RotaryTables::Inputs& in, const RotaryTables::Params& params, const RotaryTables::Outputs& out,
                   const RotaryTables::Points& round, const Arithmetic& math) {
  const auto positions = in.positions.as<int64_t, 1>();                                                         // (B*S)
  const auto cos = out.cos.as<double, 2>();                                                                  // (B*S, R)
  const auto sin = out.sin.as<double, 2>();                                                                  // (B*S, R)
  const int64_t half = params.rotary_width / 2;
  for (int64_t j = 0; j < half; ++j) {
    const float exponent = static_cast<float>(2 * j) / static_cast<float>(params.rotary_width);
    // Models load or compute the frequencies once as a buffer. Where bits of T are claimed, they are the oracle's,
    // because one ulp of them is several ulp of T at positions beyond 2^14. In binary32 the kernel computes its own.
    const bool narrow = round.out.precision == Precision::working && round.out.working != DType::f32;
    const double wide = std::pow(params.theta, static_cast<double>(exponent));
    const float power = narrow ? static_cast<float>(wide) : std::pow(static_cast<float>(params.theta), exponent);
    const float inverse = narrow ? 1.0F / power : math.quotient(1.0F, power);
    for (int64_t n = 0; n < positions.extent[0]; ++n) {
      const float angle = static_cast<float>(positions(n)) * inverse;
      for (const int64_t column : {j, j + half}) {
        cos(n, column) = at(round.out, std::cos(angle));
        sin(n, column) = at(round.out, std::sin(angle));
      }
    }
  }
}

/// Copies slots without computing. Only the order of writing is the kernel's choice.
void cache_append(const CacheAppend::Inputs& in, const CacheAppend::Params&, const CacheAppend::Outputs& out,
                  const CacheAppend::Points&, const Arithmetic& math) {
  const auto fresh = in.fresh.as<double, 4>();                                                           // (B, G, S, D)
  const auto y = out.out.as<double, 4>();                                                            // (B, G, P + S, D)
  const int64_t held = y.extent[2] - fresh.extent[2];
  for (const int64_t k : math.visits(y.extent[2])) {
    const auto part = k < held ? in.past.as<double, 4>() : fresh;
    for (int64_t b = 0; b < y.extent[0]; ++b) {
      for (int64_t g = 0; g < y.extent[1]; ++g) {
        for (int64_t d = 0; d < y.extent[3]; ++d) y(b, g, k, d) = part(b, g, k < held ? k : k - held, d);
      }
    }
  }
}

}  // namespace

void add_elementwise_kernels(CorrectKernels& kernels) {
  kernels["cache_append"] = correct_kernel<CacheAppend>(cache_append);
  kernels["dequantise"] = correct_kernel<Dequantise>(dequantise);
  kernels["swiglu"] = correct_kernel<Swiglu>(swiglu);
  kernels["gelu"] = correct_kernel<Gelu>(gelu);
  kernels["silu"] = correct_kernel<Silu>(silu);
  kernels["paged_view"] = correct_kernel<PagedView>(paged_view);
  kernels["sigmoid_gate"] = correct_kernel<SigmoidGate>(sigmoid_gate);
  kernels["residual_add"] = correct_kernel<ResidualAdd>(residual_add);
  kernels["partial_rope"] = correct_kernel<PartialRope>(partial_rope);
  kernels["rotary_tables"] = correct_kernel<RotaryTables>(rotary_tables);
}

const CorrectKernels& correct_kernels() {
  static const CorrectKernels instance = [] {
    CorrectKernels built;
    add_matrix_kernels(built);
    add_attention_kernels(built);
    add_router_kernels(built);
    add_lightning_kernels(built);
    add_elementwise_kernels(built);
    add_loss_kernels(built);
    add_table_kernels(built);
    add_process_kernels(built);
    add_rank_kernels(built);
    add_coded_cache_kernels(built);
    return built;
  }();
  return instance;
}

}  // namespace parity::cases
