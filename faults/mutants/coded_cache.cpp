// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// FP8 caches whose codes or scales are those of another format or direction.

#include <cmath>

#include "core/components/cache/cache_dequantise.hpp"
#include "core/components/cache/cache_quantise.hpp"
#include "faults/mutants/mutants.hpp"

namespace parity::faults {
namespace {

constexpr double kLeastNormalCode = 0x1p-6;

/// How numbers become codes, or codes numbers, by mistake.
struct CodeMistakes {
  bool inverse = false;    // multiplies instead of dividing, or the other way round
  bool e5m2 = false;       // codes of the other 8-bit format
  bool flushes = false;    // no subnormal codes
  bool truncates = false;  // toward zero
  bool saturates = true;   // else NaN beyond the largest
  double largest = 448.0;  // 240 is that of e4m3fnuz
};

double mistaken_code(double x, const CodeMistakes& how) {
  if (std::isnan(x)) return x;
  const double magnitude = std::abs(x);
  const DType type = how.e5m2 ? DType::e5m2 : DType::e4m3fn;
  if (magnitude > how.largest) return how.saturates ? std::copysign(how.largest, x) : std::nan("");
  if (how.flushes && magnitude < kLeastNormalCode) return std::copysign(0.0, x);
  const double code = round_to(type, magnitude);
  if (!how.truncates || code <= magnitude) return std::copysign(code, x);
  const double step = std::exp2(std::max(std::ilogb(magnitude), -6) - 3);
  return std::copysign(code - step, x);
}

/// The number of the same byte in the other format.
double read_as_e5m2(double number) {
  std::byte byte{};
  store_element(DType::e4m3fn, &byte, number);
  return load_element(DType::e5m2, &byte);
}

struct CacheQuantiseMistaken : CacheQuantise {
  static constexpr ComponentText text{"cache_quantise_mistaken", "codes of another format, range or rounding",
                                      "faults/mutants/coded_cache.cpp"};
  using Params = CodeMistakes;
  static constexpr auto params() {
    return std::tuple{param("inverse", &Params::inverse),     param("e5m2", &Params::e5m2),
                      param("flushes", &Params::flushes),     param("truncates", &Params::truncates),
                      param("saturates", &Params::saturates), param("largest", &Params::largest)};
  }
};

struct CacheDequantiseMistaken : CacheDequantise {
  static constexpr ComponentText text{"cache_dequantise_mistaken", "codes of another format, or divided by the scale",
                                      "faults/mutants/coded_cache.cpp"};
  using Params = CodeMistakes;
  static constexpr auto params() {
    return std::tuple{param("inverse", &Params::inverse), param("e5m2", &Params::e5m2),
                      param("flushes", &Params::flushes)};
  }
};

template <class Num>
void cache_quantise_mistaken(const CacheQuantise::Inputs& in, const CodeMistakes& how,
                             const CacheQuantise::Outputs& out, Context& context) {
  const auto round = points_of<CacheQuantiseMistaken>(context);
  const auto x = in.x.as<double, 4>();                                                                   // (B, G, S, D)
  const auto scale = in.scale.as<double, 1>();                                                                    // (G)
  const Sink<Num, 4> y(out.codes, context);                                                              // (B, G, S, D)
  for (int64_t b = 0; b < x.extent[0]; ++b) {
    for (int64_t g = 0; g < x.extent[1]; ++g) {
      for (int64_t s = 0; s < x.extent[2]; ++s) {
        for (int64_t d = 0; d < x.extent[3]; ++d) {
          const double number = x(b, g, s, d);
          const double scaled = round.quotient(how.inverse ? number * scale(g) : number / scale(g));
          y.set(Num(mistaken_code(scaled, how)), b, g, s, d);
        }
      }
    }
  }
}

template <class Num>
void cache_dequantise_mistaken(const CacheDequantise::Inputs& in, const CodeMistakes& how,
                               const CacheDequantise::Outputs& out, Context& context) {
  const auto round = points_of<CacheDequantiseMistaken>(context);
  const auto codes = in.codes.as<double, 4>();                                                           // (B, G, K, D)
  const auto scale = in.scale.as<double, 1>();                                                                    // (G)
  const Sink<Num, 4> y(out.out, context);                                                                // (B, G, K, D)
  for (int64_t b = 0; b < codes.extent[0]; ++b) {
    for (int64_t g = 0; g < codes.extent[1]; ++g) {
      for (int64_t k = 0; k < codes.extent[2]; ++k) {
        for (int64_t d = 0; d < codes.extent[3]; ++d) {
          double code = codes(b, g, k, d);
          if (how.flushes && std::abs(code) < kLeastNormalCode) code = std::copysign(0.0, code);
          if (how.e5m2) code = read_as_e5m2(code);
          y.set(round.out(round.product(Num(how.inverse ? code / scale(g) : code * scale(g)))), b, g, k, d);
        }
      }
    }
  }
}

}  // namespace

PARITY_REFERENCE(CacheQuantiseMistaken, cache_quantise_mistaken)
PARITY_REFERENCE(CacheDequantiseMistaken, cache_dequantise_mistaken)

}  // namespace parity::faults
