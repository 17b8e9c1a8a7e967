// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cases/drawn/declared.hpp"
#include "cases/drawn/exact.hpp"

namespace parity::cases {
namespace {

double shrunk(int64_t terms) { return 1.0 / std::sqrt(static_cast<double>(terms)); }

/// Draws, in half of the cases, a part of a vocabulary whose other words are in the tables of other ranks.
void token_embedding(CaseMaker& m) {
  m.tokens(17);
  m.extent('V', 65);
  if (m.coin()) return;
  const int64_t first = m.from(0, 9), words = first + m.size('V') + m.from(0, 9);
  m.param("first_word", first);
  m.param("vocabulary", words);
  m.ids("ids", "B,S", [&](int64_t) { return m.from(0, words - 1); });
}

void token_equals(CaseMaker& m) {
  m.tokens(17);
  m.ids("ids", "B,S", [&](int64_t) { return m.from(0, 2); });
  m.param("token", m.from(0, 2));
}

void slot_positions(CaseMaker& m) { m.tokens(17); }

/// Draws slots that follow the tokens of the call, or precede them.
void token_mask(CaseMaker& m) {
  draw_rows(m);
  m.size('K', m.size('S') + (m.coin() ? 0 : m.from(1, 17)));
  m.param("padding", m.coin());
}

void document_pairs(CaseMaker& m) {
  draw_sequences(m);
  m.size('K', m.size('S') + (m.coin() ? 0 : m.from(1, 17)));
}

void block_mask(CaseMaker& m) {
  draw_sequences(m);
  m.range('X', 1, 2);
  m.extent('J', 33);
  m.within('T', 1, 16, m.size('J'));
  m.output("out", "B,X,S,J", TapType::index);
}

void cache_write(CaseMaker& m) {
  draw_sequences(m);
  const int64_t filled = m.coin() ? 0 : m.from(1, 65);
  m.size('K', filled + m.size('S') + (m.coin() ? 0 : m.from(1, 33)));
  m.param("filled", filled);
}

/// Draws pages so that every sequence owns separate pages in any order.
void page_write(CaseMaker& m) {
  m.range('B', 1, 3);
  m.range('G', 1, 3);
  m.extent('S', 33);
  m.extent('D', 33);
  m.choose('Q', {1, 2, 3, 4, 8, 16, 32, 64});
  const int64_t filled = m.coin() ? 0 : m.from(1, 65);
  m.size('J', (filled + m.size('S') + m.size('Q') - 1) / m.size('Q') + (m.coin() ? 0 : 1));
  m.size('Y', m.size('B') * m.size('J') + (m.coin() ? 0 : m.from(1, 3)));
  const auto pages = shuffled(m, m.size('Y'));
  m.ids("table", "B,J", [&](int64_t i) { return pages[static_cast<size_t>(i)]; });
  m.param("page_size", m.size('Q'));
  m.param("filled", filled);
  filled == 0 && m.coin() ? m.leave_out("past") : m.values("past", "Y,G,Q,D");
}

/// Draws rows of Y, with or without repetition, cut to K of P slots.
void cache_edit(CaseMaker& m) {
  m.range('Y', 1, 3);
  m.extent('P', 65);
  m.size('K', m.coin() ? m.size('P') : m.from(1, m.size('P')));
  const bool picks = m.coin();
  m.size('B', picks ? m.range('B', 1, 4) : m.size('Y'));
  m.range('G', 1, 2);
  m.extent('D', 33);
  m.values("past", "Y,G,P,D");
  if (!picks) m.leave_out("rows");
  if (picks) m.ids("rows", "B", [&](int64_t) { return m.from(0, m.size('Y') - 1); });
  m.output("out", "B,G,K,D");
}

/// Draws parts of two processes. If there are slots, every slot belongs to one process, from `first_slot` on.
void gather(CaseMaker& m) {
  draw_sequences(m);
  m.range('G', 1, 2);
  m.extent('D', 33);
  const int64_t parts = m.from(1, 3), all = parts * m.size('S');
  const bool placed = m.coin();
  const int64_t first = placed ? m.from(0, all - 1) : 0;
  std::vector<int64_t> slots(static_cast<size_t>(all));
  std::iota(slots.begin(), slots.end(), 0);
  for (int64_t r = 0; r < parts; ++r) {
    m.values("parts", "B,G,S,D");
    const auto slot = [&](int64_t i) {
      const int64_t at = r * m.size('S') + i;
      std::swap(slots[static_cast<size_t>(at)], slots[static_cast<size_t>(m.from(at, all - 1))]);
      return slots[static_cast<size_t>(at)];
    };
    placed ? m.ids("slots", "S", slot) : m.leave_out("slots");
  }
  m.size('K', m.coin() ? all - first : m.from(1, all));  // rows beyond the result, and slots without a row
  m.param("first_slot", first);
  m.output("out", "B,G,K,D", m.coin() ? TapType::single : TapType::working);  // weights of experts are widened
}

void gather_ids(CaseMaker& m) {
  draw_rows(m);
  m.range('T', 1, 4);
  const int64_t parts = m.from(1, 3);
  for (int64_t r = 0; r < parts; ++r) m.ids("parts", "B,S,T", [&](int64_t) { return m.from(0, 127); });
  const int64_t first = m.coin() ? 0 : m.from(0, m.size('S'));
  m.param("first_slot", first);
  m.size('O', parts * m.size('S') - first);
  m.output("out", "B,O,T", TapType::index);
}

/// Draws ids of up to eight experts, of which the rank may own none.
void local_experts(CaseMaker& m) {
  draw_rows(m);
  m.range('T', 1, 4);
  const int64_t count = m.from(1, 4);
  m.param("first", m.from(0, 8));
  m.param("count", count);
  m.ids("indices", "N,T", [&](int64_t) { return m.from(0, 7); });
}

void lightning_tables(CaseMaker& m) {
  m.range('A', 1, 7);
  m.choose('Q', {1, 2, 3, 8, 16, 32});
  const int64_t layers = m.from(2, 80);
  m.param("layers", layers);
  m.param("layer", m.from(0, layers - 1));
  m.param("depth_epsilon", m.coin() ? 1e-5 : 0.0);
  m.param("interpolated", m.coin());
  const bool stored = m.coin();  // all processes or none
  const std::vector<std::pair<std::string, std::string>> tables{
      {"slope_rate", "A,1,1"}, {"query_decay", "A,Q,1"}, {"key_decay", "A,Q,1"}, {"diagonal_decay", "1,A,Q,Q"}};
  for (const auto& [name, axes] : tables) {
    const auto value = [&](int64_t) { return 1.0 - m.uniform(); };
    stored ? m.numbers("stored_" + name, axes, TapType::working, value) : m.leave_out("stored_" + name);
    m.output(name, axes, m.type_of(name == "slope_rate" ? "lightning_tables.slope" : "lightning_tables.decay"));
  }
}

void lightning_split(CaseMaker& m) { m.tokens(17); }

void lightning_mask(CaseMaker& m) {
  draw_sequences(m);
  m.param("multiplies", m.coin());
}

void routed(CaseMaker& m) {
  draw_rows(m);
  m.extent('E', 129);
  m.within('T', 1, 8, m.size('E'));
}

void cast(CaseMaker& m) { m.tokens(17); }

void moe_experts_preweighted(CaseMaker& m) {
  draw_rows(m);
  m.extent('H', 65);
  m.extent('F', 33);
  m.choose('E', {1, 2, 3, 4, 8});
  m.within('T', 1, 4, m.size('E'));
  m.bank("gate_up", "2F,H", m.size('E'), shrunk(m.size('H')));
  m.bank("down", "H,F", m.size('E'), shrunk(m.size('F')));
  const int64_t first = m.coin() ? 0 : m.from(0, m.size('E') - 1);
  m.param("first_expert", first);
  m.param("experts", m.coin() ? 0 : m.from(1, m.size('E') - first));
  m.param("limit", m.coin() ? 7.0 : 1.3);
  m.param("alpha", m.one_of<double>({1.702, 1.0}));
  m.param("linear_offset", m.one_of<double>({1.0, 0.0}));
  if (m.coin()) {
    m.output("slot_activation", "N,T,F");
    m.output("slot_weighted", "N,T,H");
  }
}

/// Draws partial sums of several processes.
void all_reduce(CaseMaker& m) {
  draw_rows(m);
  m.extent('H', 129);
  for (int64_t r = draw_ranks(m); r > 0; --r) m.values("parts", "N,H");
  m.param("order", m.from(0, 3));
}

void moe_combine(CaseMaker& m) {
  draw_rows(m);
  m.extent('H', 129);
  // Without a rounding of the product, the routing weights have the scale, and there is always a shared expert.
  const bool whole = m.profile().rounding.contains("moe_combine.scaled");
  m.param("scaling", whole ? 1.0 : m.one_of<double>({1.0, 2.0, 2.1}));
  const bool routed_alone = !whole && m.coin();
  routed_alone ? m.leave_out("shared") : m.values("shared", "N,H");
  if (m.coin()) m.values("routed", "N,H", 1.0, TapType::single);  // sums of experts that were not rounded to T yet
}

void shift_left(CaseMaker& m) {
  draw_sequences(m);
  m.param("fill", m.from(0, 1));
}

void joined_linear(CaseMaker& m) {
  m.tokens(17);
  m.extent('H', 129);
  m.extent('F', 65);
  m.values("first", "B,S,H");
  m.values("second", "B,S,H");
  m.values("weight", "F,2H", shrunk(2 * m.size('H')));
  m.output("out", "B,S,F");
}

void pool_last_token(CaseMaker& m) {
  draw_sequences(m);
  m.range('V', 1, 3);
  m.param("pad_token", m.size('B') == 1 && m.coin() ? int64_t{-1} : int64_t{0});
  if (m.coin()) m.output("position", "B", TapType::index);
}

}  // namespace

const std::map<std::string, Recipe>& declared_extents() {
  static const std::map<std::string, Recipe> instance = [] {
    std::map<std::string, Recipe> all{{"token_embedding", token_embedding},
                                      {"token_equals", token_equals},
                                      {"slot_positions", slot_positions},
                                      {"token_mask", token_mask},
                                      {"document_pairs", document_pairs},
                                      {"block_mask", block_mask},
                                      {"cache_write", cache_write},
                                      {"cache_edit", cache_edit},
                                      {"page_write", page_write},
                                      {"gather", gather},
                                      {"gather_ids", gather_ids},
                                      {"local_experts", local_experts},
                                      {"lightning_tables", lightning_tables},
                                      {"lightning_split", lightning_split},
                                      {"lightning_mask", lightning_mask},
                                      {"expert_load", routed},
                                      {"cast", cast},
                                      {"moe_experts_preweighted", moe_experts_preweighted},
                                      {"all_reduce", all_reduce},
                                      {"moe_combine", moe_combine},
                                      {"shift_left", shift_left},
                                      {"joined_linear", joined_linear},
                                      {"pool_last_token", pool_last_token}};
    add_media_extents(all);
    add_rank_extents(all);
    add_loss_extents(all);
    return all;
  }();
  return instance;
}

}  // namespace parity::cases
