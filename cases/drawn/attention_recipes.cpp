// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Recipes of attention: histories, padding, full and nearly full blocks, slots beyond 2^14.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "cases/drawn/maker.hpp"

namespace parity::cases {

namespace {

constexpr int64_t kFar = int64_t{1} << 14;

/// Draws queries and a history. One case in thirty has more than 2^14 slots.
void draw_slots(CaseMaker& m, int64_t most_queries, int64_t most_slots) {
  const bool held = m.gives('B') || m.gives('S') || m.gives('K') || m.gives('G');
  const bool far = m.from(0, 29) == 0 && !m.large() && !held;
  far ? m.size('B', 1) : static_cast<void>(m.range('B', 1, 2));
  far ? m.size('S', 1) : static_cast<void>(m.extent('S', most_queries));
  const int64_t history = far ? m.from(kFar - 2, kFar + 1) : m.coin() ? 0 : m.extent('Z', most_slots);
  far ? m.size('K', m.size('S') + history) : m.follows('K', m.size('S') + history, m.size('S'));
  far ? m.size('G', 1) : static_cast<void>(m.range('G', 1, 2));
  const bool published = !far && m.from(0, 7) == 0;  // query heads per key/value head, and channels, of real models
  m.size('A', m.size('G') * (far ? 1 : published ? m.choose('a', {1, 2, 3, 6, 8, 16}) : m.range('a', 1, 3)));
  published ? m.choose('D', {64, 80, 128}) : m.extent('D', far ? 4 : 65);
}

/// Draws how the softmax is computed and rounded. The rounding of a flash kernel is free.
void draw_kernel(CaseMaker& m, const std::string& component) {
  const bool flash = m.sdpa();
  m.param("scale", 1.0 / std::sqrt(static_cast<double>(m.size('D'))));
  m.param("normalise_first", !flash);
  m.param("key_tile", m.one_of<int64_t>({512, 512, 512, 3}));
  if (component != "vision_attention") m.param("zero_blind_rows", flash);
  if (flash) m.free(component, m.coin());
}

/// Draws left padding. Some rows then see only padding. The mask of a static cache may end at the last of the `used`
/// slots: nothing says whether later ones are tokens, and no query sees them.
void draw_mask(CaseMaker& m, int64_t used) {
  if (m.coin()) return;
  const bool narrow = used < m.size('K') && m.coin();
  const int64_t width = narrow ? used : m.size('K');
  if (narrow) m.size('U', used);
  const int64_t padding = m.from(0, std::min<int64_t>(width - 1, 5));
  m.ids("mask", narrow ? "B,U" : "B,K", [&](int64_t i) { return i < width && i % width < padding ? 0 : 1; });
}

/// Draws whether queries stand before unused slots at the end of a buffer. Returns the first query's slot.
int64_t draw_query_slot(CaseMaker& m) {
  const int64_t last = m.size('K') - m.size('S');
  if (m.from(0, 7) != 0) return last;
  return std::get<int64_t>(m.param("query_slot", m.from(last / 2, last)));
}

/// Draws any values, or ones and zeros of which a channel has a one in every D-th slot alone: then it shows the weights
/// of few slots, where a sum of many would hide how each is rounded.
void draw_values(CaseMaker& m, const std::string& axes, char slots) {
  if (m.from(0, 3) != 0) return m.values("v", axes);
  const int64_t width = m.size('D'), count = m.size(slots);
  m.numbers("v", axes, TapType::working, [=](int64_t i) { return i / width % count % width == i % width ? 1.0 : 0.0; });
}

void attention_dense(CaseMaker& m) {
  draw_slots(m, 9, 65);
  m.values("q", "B,A,S,D");
  m.values("k", "B,G,K,D");
  draw_values(m, "B,G,K,D", 'K');
  draw_mask(m, draw_query_slot(m) + m.size('S'));
  draw_kernel(m, "attention_dense");
  m.param("first_slot_masks", m.from(0, 7) == 0);
  m.output("out", "B,S,A,D");
}

/// Draws, in a quarter of the cases each, the slots that queries stand in, hidden pairs as in packed documents, and that
/// a query sees its own slot whatever hides it. Returns the queries' slots (B, S).
std::vector<int64_t> draw_sight(CaseMaker& m) {
  const int64_t first = draw_query_slot(m), queries = m.size('S');
  std::vector<int64_t> own(static_cast<size_t>(m.size('B') * queries));
  for (size_t i = 0; i < own.size(); ++i) own[i] = first + static_cast<int64_t>(i) % queries;
  const bool stand = m.from(0, 3) == 0, pairs = m.from(0, 3) == 0, self = m.from(0, 3) == 0;
  if (stand)
    m.ids("positions", "B,S",
          [&](int64_t i) { return own[static_cast<size_t>(i)] = m.from(0, m.from(0, m.size('K') - 1)); });
  if (pairs) m.ids("pairs", "B,S,K", [&](int64_t) { return m.from(0, 3) == 0 ? 0 : 1; });
  // A query that sees nothing gets the mean of all slots, which rounds: no exact case has one.
  m.param("self_visible", self || (m.lane() == Lane::exact && (stand || pairs)));
  return own;
}

/// Draws lists of a query's own block and earlier ones. Where a query sees its own slot anyway, a third of the lists
/// has no block, and a third may lack the query's own.
void draw_lists(CaseMaker& m, int64_t block, const std::vector<int64_t>& slots) {
  const bool self = std::get<bool>(m.param("self_visible"));
  const int64_t kept = m.size('T'), queries = m.size('S'), rows_of_sequence = m.size('X') * queries;
  std::set<int64_t> chosen;
  int64_t kind = 0;  // 1: no block; 2: any blocks
  m.ids("blocks", "B,X,S,T", [&](int64_t i) {
    const int64_t row = i / kept, query = row / rows_of_sequence * queries + row % queries;
    const int64_t own = slots[static_cast<size_t>(query)] / block;
    if (i % kept == 0) {
      chosen.clear();
      kind = self ? m.from(0, 2) : 0;
    }
    const int64_t id = i % kept == 0 && kind == 0 ? own : m.from(0, own);
    return kind == 1 || !chosen.insert(id).second ? -1 : id;
  });
}

void attention_block_sparse(CaseMaker& m) {
  const int64_t block = m.choose('b', {1, 2, 3, 8, 16, 64, 128});
  draw_slots(m, 5, 1);
  if (m.size('K') < kFar) {  // whole blocks, one slot fewer, or one slot more
    const int64_t slots = block * m.range('n', 1, 3) + m.from(-1, 1);
    m.follows('K', std::max(slots, m.size('S')), m.size('S'));
  }
  const int64_t blocks = (m.size('K') + block - 1) / block;
  m.size('X', m.coin() ? 1 : m.size('G'));
  m.size('T', m.coin() ? std::min<int64_t>(blocks, 16) : m.from(1, std::min<int64_t>(blocks, 4)));
  m.values("q", "B,A,S,D");
  m.values("k", "B,G,K,D");
  draw_values(m, "B,G,K,D", 'K');
  const std::vector<int64_t> own = draw_sight(m);
  draw_mask(m, *std::max_element(own.begin(), own.end()) + 1);
  draw_lists(m, block, own);
  m.param("block_size", block);
  draw_kernel(m, "attention_block_sparse");
  m.output("out", "B,S,A,D");
}

void vision_attention(CaseMaker& m) {
  m.range('M', 1, 3);
  std::vector<int64_t> grid;
  int64_t patches = 0;
  for (int64_t i = 0; i < m.size('M'); ++i) {
    grid.insert(grid.end(), {m.from(1, 2), 2 * m.from(1, 3), 2 * m.from(1, 3)});
    patches += grid[grid.size() - 3] * grid[grid.size() - 2] * grid.back();
  }
  m.size('P', patches);
  m.range('A', 1, 2);
  m.extent('D', 33);
  m.values("q", "1,A,P,D");
  m.values("k", "1,A,P,D");
  draw_values(m, "1,A,P,D", 'P');
  m.ids("grid", "M,3", [&](int64_t i) { return grid[static_cast<size_t>(i)]; });
  m.param("per_medium", m.coin());
  draw_kernel(m, "vision_attention");
  m.output("out", "1,P,A,D");
}

void index_block_scores(CaseMaker& m) {
  draw_slots(m, m.from(0, 3) == 0 ? 129 : 5, 129);  // sometimes more queries than any kernel's tile
  m.extent('I', m.size('K') > kFar / 2 ? 4 : 65);
  const int64_t block = m.size('K') > kFar / 2 ? 128 : m.choose('b', {1, 2, 3, 8, 16, 64, 128});
  m.range('X', 1, 2);
  m.size('J', (m.size('K') + block - 1) / block);
  m.values("q", "B,X,S,I");
  m.values("k", "B,1,K,I");
  const int64_t first = m.size('K') - m.size('S');
  m.ids("positions", "B,S", [&](int64_t i) { return first + i % m.size('S'); });
  const bool per_group = m.coin();
  m.param("block_size", block);
  m.param("per_group", per_group);
  m.param("scale", m.coin() ? 1.0 : 1.0 / std::sqrt(static_cast<double>(m.size('I'))));
  // Kernels of long contexts never hold all scores: a call that asks for them would start another kernel.
  constexpr int64_t kMostScores = 128 * 129;
  const bool asks = m.from(0, 3) == 0;
  if (asks && m.size('S') * m.size('K') <= kMostScores) m.output("scores", "B,X,S,K", TapType::single);
  m.output("block_scores", per_group ? "B,X,S,J" : "B,S,J", TapType::single);
}

}  // namespace

void add_attention_recipes(std::map<std::string, Recipe>& recipes) {
  recipes["attention_dense"] = attention_dense;
  recipes["attention_block_sparse"] = attention_block_sparse;
  recipes["vision_attention"] = vision_attention;
  recipes["index_block_scores"] = index_block_scores;
}

}  // namespace parity::cases
