// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Exact routers, index selection and loss. Scores are on a lattice and differ wherever the choice depends on them.

#include <algorithm>
#include <cmath>
#include <limits>

#include "cases/drawn/choices.hpp"
#include "cases/drawn/exact.hpp"

namespace parity::cases {
namespace {

/// Draws the logits of one token. Of the chosen experts `whole` have the score 1 and the others one half, so that the
/// sum is a power of two. Other experts have a lower score, or the lowest chosen score and a smaller bias.
std::vector<double> router_row(CaseMaker& m, const std::vector<int64_t>& rank) {
  const auto experts = static_cast<int64_t>(rank.size());
  const int64_t slots = m.size('T'), power = power_below(slots), whole = 2 * power - slots;
  const int64_t ones = whole == slots && m.coin() ? 0 : whole;  // a power of two of slots may all have one half
  const auto order = shuffled(m, experts);
  int64_t least = std::numeric_limits<int64_t>::max();  // rank of the lowest chosen expert
  for (int64_t t = ones < slots ? ones : 0; t < slots; ++t)
    least = std::min(least, rank[static_cast<size_t>(order[static_cast<size_t>(t)])]);
  std::vector<double> row(static_cast<size_t>(experts));
  for (int64_t i = 0; i < experts; ++i) {
    const auto e = static_cast<size_t>(order[static_cast<size_t>(i)]);
    const bool close = i >= slots && rank[e] < least && m.coin();
    const bool one = i < ones || (close && ones == slots), half = !one && (i < slots || close);
    row[e] = one ? static_cast<double>(m.from(40, 90)) : half ? 0.0 : -static_cast<double>(m.from(128, 300));
  }
  return row;
}

/// Draws biases that differ by 2^-10, less than scores do. They may need more digits than bf16 has.
void router(CaseMaker& m) {
  constexpr double kStep = 0x1p-10;
  const int64_t experts = m.size('E');
  const auto rank = shuffled(m, experts);
  std::vector<double> row;
  m.numbers("logits", "N,E", TapType::single, [&](int64_t i) {
    if (i % experts == 0) row = router_row(m, rank);
    return row[static_cast<size_t>(i % experts)];
  });
  const double centre = m.one_of<double>({-1.0, 0.0, 1.0, 2.0});
  m.numbers("bias", "E", TapType::single, [&](int64_t e) {
    return centre + kStep * static_cast<double>(rank[static_cast<size_t>(e)] - experts / 2);
  });
  m.param("scaling", m.one_of<double>({0.5, 1.0, 1.0, 2.0, 4.0}));
}

/// Draws equal logits for the chosen experts, a power of two of them. All other exponentials are 0.
void softmax_router(CaseMaker& m) {
  const int64_t experts = m.size('E'), slots = power_below(m.size('T'));
  m.size('T', slots);
  m.param("top_k", slots);
  m.output("indices", "N,T", TapType::index);
  m.output("weights", "N,T", m.type_of("softmax_router.out"));
  std::vector<int64_t> order;
  double top = 0.0;
  std::vector<double> row(static_cast<size_t>(experts));
  fill_rows(m, "logits", "N,E", experts, [&] {
    order = shuffled(m, experts);
    top = static_cast<double>(m.from(-8, 8));
    for (int64_t i = 0; i < experts; ++i)
      row[static_cast<size_t>(order[static_cast<size_t>(i)])] =
          i < slots ? top : top - static_cast<double>(m.from(128, 200));
    return row;
  });
}

/// Gives visible blocks different scores and forces at most as many as are chosen, since ties may go either way.
void index_select(CaseMaker& m) {
  const Tensor drawn = m.given("block_scores");
  const int64_t blocks = m.size('J'), top_k = std::get<int64_t>(m.param("top_k"));
  const int64_t local = std::min(std::get<int64_t>(m.param("local_blocks")), top_k);
  m.param("local_blocks", local);
  m.param("init_blocks", std::min(std::get<int64_t>(m.param("init_blocks")), top_k - local));
  const double unit = std::ldexp(1.0, static_cast<int>(m.from(-6, 6)));
  std::vector<int64_t> rank;
  m.numbers("block_scores", drawn.view().axes, TapType::single, [&](int64_t i) {
    if (i % blocks == 0) rank = shuffled(m, blocks);
    const double score = drawn.f64()[i];
    return std::isinf(score) ? score : unit * static_cast<double>(rank[static_cast<size_t>(i % blocks)] - blocks / 2);
  });
}

/// Gives one word all of the probability: a loss is the distance of the label. The divisor is a power of two.
void cross_entropy(CaseMaker& m) {
  const int64_t words = m.size('V'), tokens = m.size('S');
  std::vector<double> row(static_cast<size_t>(words));
  fill_rows(m, "logits", "B,S,V", words, [&] {
    const int64_t likely = m.from(0, words - 1), top = m.from(-8, 8);
    for (int64_t v = 0; v < words; ++v)
      row[static_cast<size_t>(v)] = static_cast<double>(v == likely ? top : top - m.from(128, 200));
    return row;
  });
  const int64_t offset = std::get<int64_t>(m.param("label_offset")), places = m.size('B') * (tokens - offset);
  int64_t wanted = places > 0 ? power_below(m.from(1, places)) : 0, left = places;
  const bool every = m.coin();  // the divisor is given, so any number of labels may count
  m.ids("labels", "B,S", [&](int64_t i) {
    if (i % tokens < offset) return m.from(0, words - 1);
    const bool taken = every ? m.coin() : m.from(0, --left) < wanted;
    if (taken) --wanted;
    return taken ? m.from(0, words - 1) : kIgnored;
  });
  m.param("num_items", every ? m.one_of<double>({1.0, 4.0, 8.0}) : 0.0);
  if (!m.has("aux_loss")) return;
  m.numbers("aux_loss", "", TapType::single, [&](int64_t) { return static_cast<double>(m.from(1, 9)); });
  m.param("aux_coefficient", 0.25);
}

}  // namespace

void add_exact_choices(Recipes& recipes) {
  recipes["router"] = router;
  recipes["softmax_router"] = softmax_router;
  recipes["index_select"] = index_select;
  recipes["cross_entropy"] = cross_entropy;
}

}  // namespace parity::cases
