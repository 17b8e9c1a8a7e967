// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Extents of losses and of components that balance the load of experts.

#include <algorithm>

#include "cases/drawn/declared.hpp"

namespace parity::cases {
namespace {

/// Draws flags of which at least one is set, so that no divisor is 0.
void draw_flags(CaseMaker& m, const std::string& field, const std::string& axes, int64_t count) {
  const int64_t set = m.from(0, count - 1);
  m.ids(field, axes, [&](int64_t i) { return i == set || m.from(0, 3) > 0 ? 1 : 0; });
}

/// Draws labels, some beyond the last position, which are ignored. The first of a batch never is.
void span_loss(CaseMaker& m) {
  draw_sequences(m);
  m.exponents("logits", "B,S,2", 2.0);
  for (const char* field : {"start", "end"})
    m.ids(field, "B", [&](int64_t b) { return m.from(-1, b == 0 ? m.size('S') - 1 : m.size('S')); });
  m.param("num_items", m.coin() ? 0.0 : 3.0);
}

void squared_error(CaseMaker& m) {
  m.extent('B', 17);
  m.extent('L', 65);
}

void independent_labels_loss(CaseMaker& m) {
  m.extent('B', 17);
  m.extent('L', 65);
  m.exponents("logits", "B,L", 3.0);
}

void mtp_loss(CaseMaker& m) {
  draw_sequences(m);
  m.extent('V', 129);
  for (int64_t d = m.from(1, 3); d > 0; --d) m.exponents("logits", "B,S,V", 2.0);
  m.ids("labels", "B,S", [&](int64_t i) { return i > 0 && m.from(0, 3) == 0 ? -100 : m.from(0, m.size('V') - 1); });
  m.param("factor", m.coin() ? 0.1 : 1.0);
}

void router_aux_loss(CaseMaker& m) {
  draw_rows(m);
  m.extent('E', 65);
  m.size('K', m.size('S') + (m.coin() ? 0 : m.from(1, 9)));
  for (int64_t l = m.from(1, 3); l > 0; --l) m.exponents("logits", "N,E", 2.0);
  m.ids("mask", "B,K", [&](int64_t i) { return i + 1 == m.size('K') || m.from(0, 3) > 0 ? 1 : 0; });
  m.param("top_k", m.from(1, std::min<int64_t>(m.size('E'), 8)));
  m.param("pooled_slots", m.coin());
}

void router_balance_loss(CaseMaker& m) {
  draw_rows(m);
  m.extent('E', 129);
  m.ids("load", "E", [&](int64_t) { return m.from(0, 1) * m.from(0, m.size('N')); });
  m.coin() ? m.leave_out("token_mask") : draw_flags(m, "token_mask", "N", m.size('N'));
  m.param("top_k", m.from(1, 8));
  m.param("eps", m.one_of<double>({0.0, 1e-20}));
}

void load_sum(CaseMaker& m) {
  m.extent('E', 129);
  for (int64_t r = m.from(1, 4); r > 0; --r) m.ids("loads", "E", [&](int64_t) { return m.from(0, 1 << 20); });
}

/// Draws loads, of which some equal the mean: their bias stays.
void router_bias_update(CaseMaker& m) {
  m.extent('E', 129);
  m.ids("load", "E", [&](int64_t) { return m.from(0, 3); });
  m.param("rate", m.one_of<double>({1e-3, 0.1}));
}

}  // namespace

void add_loss_extents(std::map<std::string, Recipe>& extents) {
  extents["span_loss"] = span_loss;
  extents["squared_error"] = squared_error;
  extents["independent_labels_loss"] = independent_labels_loss;
  extents["mtp_loss"] = mtp_loss;
  extents["router_aux_loss"] = router_aux_loss;
  extents["router_balance_loss"] = router_balance_loss;
  extents["load_sum"] = load_sum;
  extents["router_bias_update"] = router_bias_update;
}

}  // namespace parity::cases
