// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Collectives of which ranks send each other single rows. Rows that are not sent are NaN, so that a kernel that reads them
// shows.
#include <algorithm>
#include <limits>
#include <vector>

#include "cases/drawn/declared.hpp"
#include "cases/drawn/exact.hpp"
#include "cases/drawn/kernels.hpp"
#include "core/components/collective/combine.hpp"
#include "core/components/collective/reduce_scatter.hpp"

namespace parity::cases {
namespace {

using Value = std::function<double(int64_t)>;
constexpr double kNotSent = std::numeric_limits<double>::quiet_NaN();

/// Draws distinct experts of every token, of `experts`. Returns them. One id in sixteen is no expert's: it is negative,
/// or so large that its lower 32 bits are an expert's. Exact cases count the ranks by the largest id.
std::vector<int64_t> draw_experts(CaseMaker& m, const std::string& axes, int64_t rows, int64_t experts) {
  const int64_t slots = m.within('T', 1, 4, experts);
  std::vector<int64_t> ids;
  for (int64_t n = 0; n < rows; ++n) {
    const int64_t first = m.from(0, experts - 1);
    for (int64_t t = 0; t < slots; ++t) {
      const int64_t id = (first + t) % experts;
      const bool nobody = m.lane() != Lane::exact && m.from(0, 15) == 0;
      ids.push_back(!nobody ? id : m.coin() ? -1 - id : (int64_t{1} << 32) + id);
    }
  }
  m.ids("indices", axes, [&](int64_t i) { return ids[static_cast<size_t>(i)]; });
  return ids;
}

/// Whether a token has an expert in [first, first + count).
bool has_expert(const std::vector<int64_t>& ids, int64_t slots, int64_t row, int64_t first, int64_t count) {
  const auto begin = ids.begin() + row * slots;
  return std::any_of(begin, begin + slots, [&](int64_t e) { return e >= first && e < first + count; });
}

/// Draws the rows of the output: some of N.
int64_t draw_own_rows(CaseMaker& m) {
  m.size('O', m.from(1, m.size('N')));
  const int64_t first = m.from(0, m.size('N') - m.size('O'));
  m.param("first_row", first);
  return first;
}

void reduce_scatter(CaseMaker& m) {
  draw_rows(m);
  m.extent('H', 129);
  draw_own_rows(m);
  m.param("order", m.from(0, 3));
  for (int64_t r = draw_ranks(m); r > 0; --r) m.values("parts", "N,H");
  m.output("out", "O,H");
}

void dispatch(CaseMaker& m) {
  m.size('B', 1);
  m.extent('S', 17);
  m.extent('H', 129);
  const int64_t parts = draw_ranks(m), experts = m.from(1, 8), first = m.from(0, experts), count = m.from(1, 4);
  m.size('O', parts * m.size('S'));
  m.param("first", first);
  m.param("count", count);
  const auto ids = draw_experts(m, "O,T", m.size('O'), experts);
  const TapType type = m.coin() ? TapType::working : TapType::single;  // weights of experts are binary32
  for (int64_t r = 0; r < parts; ++r) {
    m.numbers("parts", "S,H", type, [&](int64_t i) {
      const int64_t row = r * m.size('S') + i / m.size('H');
      return has_expert(ids, m.size('T'), row, first, count) ? round_to(m.working(), m.normal()) : kNotSent;
    });
  }
  m.output("out", "O,H", type);
}

/// Draws the terms of every rank, by `value`: of the own rows, those of tokens with an expert of the rank.
void draw_terms(CaseMaker& m, const std::vector<int64_t>& ids, int64_t parts, const Value& value) {
  const int64_t first = std::get<int64_t>(m.param("first_row")), count = std::get<int64_t>(m.param("count"));
  for (int64_t r = 0; r < parts; ++r) {
    m.numbers("parts", "N,H", TapType::working, [&](int64_t i) {
      const int64_t row = i / m.size('H');
      const bool own = row >= first && row < first + m.size('O');
      return own && has_expert(ids, m.size('T'), row, r * count, count) ? value(i) : kNotSent;
    });
  }
}

void combine(CaseMaker& m) {
  draw_rows(m);
  m.extent('H', 129);
  draw_own_rows(m);
  const int64_t parts = draw_ranks(m), count = m.from(1, 3);
  m.param("count", count);
  const int64_t experts = parts * count + (m.coin() ? 0 : 1);  // one that no rank has
  draw_terms(m, draw_experts(m, "N,T", m.size('N'), experts), parts,
             [&](int64_t) { return round_to(m.working(), m.normal()); });
  m.output("out", "O,H");
}

/// Whole numbers that add up over the ranks without rounding, in any order.
void exact_reduce_scatter(CaseMaker& m) {
  const int64_t ranks = draw_ranks(m), most = whole_numbers(m.working()) / ranks;
  for (int64_t r = 0; r < ranks; ++r)
    m.numbers("parts", "N,H", TapType::working, [&](int64_t) { return static_cast<double>(m.from(-most, most)); });
}

void exact_combine(CaseMaker& m) {
  const int64_t most = whole_numbers(m.working()) / 4;
  const Tensor& ids = m.given("indices");
  const std::vector<int64_t> own(ids.i64(), ids.i64() + ids.view().count());
  const int64_t experts = own.empty() ? 0 : *std::max_element(own.begin(), own.end()) + 1;
  const int64_t count = std::get<int64_t>(m.param("count"));
  draw_terms(m, own, (experts + count - 1) / count, [&](int64_t) { return static_cast<double>(m.from(-most, most)); });
}

/// Adds neighbours, then neighbouring sums.
float tree_sum(std::vector<float> terms, const Round& round) {
  for (size_t step = 1; step < terms.size(); step *= 2) {
    for (size_t i = 0; i + step < terms.size(); i += 2 * step) terms[i] = at(round, terms[i] + terms[i + step]);
  }
  return terms.front();
}

/// Adds in the order that the call prescribes.
void correct_reduce_scatter(const ReduceScatter::Inputs& in, const ReduceScatter::Params& params,
                            const ReduceScatter::Outputs& out, const ReduceScatter::Points& round, const Arithmetic&) {
  const auto y = out.out.as<double, 2>();                                                                      // (L, H)
  const auto order = static_cast<SumOrder>(params.order);
  const auto ranks = static_cast<int64_t>(in.parts.size());
  const SumRoute route = route_of(order, in.parts.front().count(), ranks, size_of(round.sum.target()));
  for (int64_t i = 0; i < y.extent[0] * y.extent[1]; ++i) {
    const int64_t element = params.first_row * y.extent[1] + i;
    std::vector<float> terms;
    for (const TensorView& part : in.parts) terms.push_back(static_cast<float>(part.value(element)));
    float sum = 0.0F;
    for (int64_t k = 0, r = element / route.chunk + route.start; k < ranks; ++k, r += route.step) {
      const float term = terms[static_cast<size_t>((r % ranks + ranks) % ranks)];
      sum = k == 0 ? term : at(round.sum, sum + term);
    }
    y(i / y.extent[1], i % y.extent[1]) = order == SumOrder::tree ? tree_sum(terms, round.sum) : sum;
  }
}

/// Adds from the last rank on.
void correct_combine(const Combine::Inputs& in, const Combine::Params& params, const Combine::Outputs& out,
                     const Combine::Points& round, const Arithmetic&) {
  const auto y = out.out.as<double, 2>();                                                                      // (L, H)
  const auto ids = in.indices.as<int64_t, 2>();                                                                // (N, T)
  for (int64_t n = 0; n < y.extent[0]; ++n) {
    const int64_t row = params.first_row + n;
    for (int64_t h = 0; h < y.extent[1]; ++h) {
      float sum = 0.0F;
      for (auto r = static_cast<int64_t>(in.parts.size()); r-- > 0;) {
        bool has = false;
        for (int64_t t = 0; t < ids.extent[1]; ++t) has = has || (ids(row, t) >= 0 && ids(row, t) / params.count == r);
        if (has)
          sum = at(round.sum, sum + static_cast<float>(in.parts[static_cast<size_t>(r)].as<double, 2>()(row, h)));
      }
      y(n, h) = at(round.out, sum);
    }
  }
}

}  // namespace

void add_rank_extents(std::map<std::string, Recipe>& extents) {
  extents["reduce_scatter"] = reduce_scatter;
  extents["dispatch"] = dispatch;
  extents["combine"] = combine;
}

void add_exact_rank_rows(Recipes& recipes) {
  recipes["reduce_scatter"] = exact_reduce_scatter;
  recipes["combine"] = exact_combine;
}

void add_rank_kernels(CorrectKernels& kernels) {
  kernels["reduce_scatter"] = correct_kernel<ReduceScatter>(correct_reduce_scatter);
  kernels["combine"] = correct_kernel<Combine>(correct_combine);
}

}  // namespace parity::cases
