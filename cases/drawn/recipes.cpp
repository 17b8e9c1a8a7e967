// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Recipes of components. Their calls are small, so that ten thousand take minutes.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cases/drawn/coded_cache.hpp"
#include "cases/drawn/maker.hpp"

namespace parity::cases {
namespace {

double shrunk(int64_t terms) { return 1.0 / std::sqrt(static_cast<double>(terms)); }

void linear(CaseMaker& m) {
  m.tokens(17);
  m.extent('H', 257);
  m.extent('F', 65);
  m.values("x", "B,S,H");
  m.values("weight", "F,H", shrunk(m.size('H')));
  if (m.coin()) m.values("bias", "F", 0.5);
  m.output("out", "B,S,F");
}

void patch_embed(CaseMaker& m) {
  m.extent('P', 17);
  m.range('C', 1, 3);
  m.range('Y', 1, 4);
  m.extent('H', 33);
  m.size('F', 2 * m.size('C') * m.size('Y') * m.size('Y'));
  m.values("pixels", "P,F", 1.0, TapType::single);  // as a processor makes them, in every model
  m.values("weight", "H,C,2,Y,Y", shrunk(m.size('F')));
  m.output("out", "P,H");
}

void rms_norm(CaseMaker& m) {
  m.tokens(17);
  m.extent('H', 513);
  m.values("x", "B,S,H", std::exp2(static_cast<double>(m.from(-4, 4))));
  m.values("weight", "H", 0.5);
  m.param("eps", m.one_of<double>({1e-6, 1e-5}));
  m.param("gain_offset", m.profile().system == "minimax_m3_vl" ? 1.0 : 0.0);
  m.output("out", "B,S,H");
}

void layer_norm(CaseMaker& m) {
  m.tokens(17);
  m.extent('H', 513);
  m.values("x", "B,S,H");
  m.values("weight", "H");
  m.values("bias", "H");
  m.param("eps", m.one_of<double>({1e-5, 1e-6}));
  m.output("out", "B,S,H");
}

/// Draws the parameters of M3's clamped, shifted activation, or of plain SiLU.
void gate_params(CaseMaker& m) {
  const bool clamped = m.profile().system == "minimax_m3_vl";
  m.param("alpha", clamped ? 1.702 : 1.0);
  m.param("limit", !clamped ? std::numeric_limits<double>::infinity() : m.coin() ? 7.0 : 1.3);
  m.param("linear_offset", clamped ? 1.0 : 0.0);
}

void moe_experts(CaseMaker& m) {
  m.tokens(9);
  m.size('N', m.size('B') * m.size('S'));
  m.extent('H', 65);
  m.extent('F', 33);
  m.choose('E', {1, 2, 3, 4, 8});
  m.within('T', 1, 4, m.size('E'));
  const int64_t routing = m.from(0, 2);  // any; the same experts for all tokens; none for the last expert
  std::vector<int64_t> experts(static_cast<size_t>(m.size('E')));
  std::iota(experts.begin(), experts.end(), 0);
  const int64_t open = routing == 2 ? std::max(m.size('E') - 1, m.size('T')) : m.size('E');
  m.values("x", "N,H");
  m.ids("indices", "N,T", [&](int64_t i) {
    const int64_t slot = i % m.size('T');
    if (routing != 1)
      std::swap(experts[static_cast<size_t>(slot)], experts[static_cast<size_t>(m.from(slot, open - 1))]);
    return experts[static_cast<size_t>(slot)];
  });
  m.numbers("weights", "N,T", TapType::single, [&](int64_t) { return 1.0 - m.uniform(); });
  m.bank("gate_up", "2F,H", m.size('E'), shrunk(m.size('H')));
  m.bank("down", "H,F", m.size('E'), shrunk(m.size('F')));
  gate_params(m);
  if (m.coin()) m.free("moe_experts", true);
  if (m.from(0, 3) == 0) {
    m.output("slot_activation", "N,T,F");
    m.output("slot_weighted", "N,T,H", TapType::single);
  }
  m.output("out", "N,H");
}

/// Draws, for a third of the cases, chosen experts that the router has to take. Some ids are no expert's. Weights are
/// exact only where the router itself chooses.
void forced_experts(CaseMaker& m) {
  if (m.lane() == Lane::exact || m.from(0, 2) != 0) return;
  const int64_t experts = m.size('E'), slots = m.size('T');
  std::vector<int64_t> pool(static_cast<size_t>(experts));
  std::iota(pool.begin(), pool.end(), 0);
  m.ids("forced", "N,T", [&](int64_t i) {
    const int64_t slot = i % slots;
    if (slot > 0 && m.from(0, 7) == 0) return slot % 2 == 0 ? experts + slot : -slot;
    std::swap(pool[static_cast<size_t>(slot)], pool[static_cast<size_t>(m.from(slot, experts - 1))]);
    return pool[static_cast<size_t>(slot)];
  });
}

void router(CaseMaker& m) {
  m.tokens(17);
  m.size('N', m.size('B') * m.size('S'));
  m.extent('E', 129);
  m.within('T', 1, 8, m.size('E'));
  m.numbers("logits", "N,E", TapType::single, [&](int64_t) { return 2.0 * m.normal(); });
  m.numbers("bias", "E", TapType::single, [&](int64_t) { return 0.25 * m.normal(); });
  m.param("top_k", m.size('T'));
  m.param("eps", m.one_of<double>({0.0, 1e-20}));
  m.param("scaling", m.one_of<double>({1.0, 2.0, 2.1}));
  m.output("scores", "N,E", TapType::single);
  m.output("choice", "N,E", TapType::single);
  m.output("indices", "N,T", TapType::index);
  m.output("weights", "N,T", TapType::single);
  forced_experts(m);
}

/// Returns the score of block n for a query in block `own`: ties on a lattice, -inf later and sometimes before.
double block_score(CaseMaker& m, bool lattice, int64_t n, int64_t own) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (m.spoils()) return m.one_of<double>({std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity, -0.0});
  if (n > own || m.from(0, 15) == 0) return -kInfinity;
  return lattice ? static_cast<double>(m.from(-2, 2)) : m.normal();
}

void index_select(CaseMaker& m) {
  m.range('B', 1, 2);
  m.extent('S', 17);
  m.extent('J', m.from(0, 3) == 0 ? 257 : 33);
  const bool lists = m.coin();
  m.range('X', 1, 2);
  const int64_t block = m.one_of<int64_t>({1, 3, 128});
  const int64_t top_k = m.one_of<int64_t>({1, 2, 4, 15, 16, 16, 16, 17, 40});
  m.size('T', std::min(top_k, m.size('J')));
  const bool last = m.coin(), lattice = m.coin();
  std::vector<int64_t> positions;
  m.ids("positions", "B,S", [&](int64_t) {
    positions.push_back(last ? m.size('J') * block - 1 : m.from(0, m.size('J') * block - 1));
    return positions.back();
  });
  m.numbers("block_scores", lists ? "B,X,S,J" : "B,S,J", TapType::single, [&](int64_t i) {
    const int64_t row = i / m.size('J'), sequence = row / m.size('S') / (lists ? m.size('X') : 1);
    const int64_t query = sequence * m.size('S') + row % m.size('S');
    return block_score(m, lattice, i % m.size('J'), positions[static_cast<size_t>(query)] / block);
  });
  m.param("block_size", block);
  m.param("top_k", top_k);
  m.param("local_blocks", m.from(0, 3));
  m.param("init_blocks", m.from(0, 2));
  if (m.coin()) m.output("forced_scores", lists ? "B,X,S,J" : "B,S,J", TapType::single);
  m.output("blocks", lists ? "B,X,S,T" : "B,S,T", TapType::index);
}

void softmax_router(CaseMaker& m) {
  m.tokens(17);
  m.size('N', m.size('B') * m.size('S'));
  m.extent('E', 129);
  m.within('T', 1, 8, m.size('E'));
  m.exponents("logits", "N,E", 2.0);
  m.param("top_k", m.size('T'));
  m.output("scores", "N,E", TapType::single);
  m.output("indices", "N,T", TapType::index);
  m.output("weights", "N,T", m.type_of("softmax_router.out"));
  forced_experts(m);
}

/// Returns the class of the largest logit of row `row`.
int64_t likeliest(const Tensor& logits, int64_t row, int64_t classes) {
  const double* first = logits.f64() + row * classes;
  return std::max_element(first, first + classes) - first;
}

void cross_entropy(CaseMaker& m) {
  m.range('B', 1, 2);
  m.extent('S', 17);
  m.extent('V', 513);
  const bool trained = m.coin();  // the labels are likely, so that losses are small differences of large numbers
  m.exponents("logits", "B,S,V", trained ? 12.0 : 2.0);
  const int64_t offset = m.from(0, 1);
  m.ids("labels", "B,S", [&](int64_t i) {
    if (m.from(0, 3) == 0) return int64_t{-100};
    const bool likely = trained && i % m.size('S') >= offset;
    return likely ? likeliest(m.given("logits"), i - offset, m.size('V')) : m.from(0, m.size('V') - 1);
  });
  m.param("label_offset", offset);
  m.param("num_items", m.coin() ? 0.0 : 7.0);
  if (m.coin()) {
    m.numbers("aux_loss", "", TapType::single, [&](int64_t) { return 1.0 + m.uniform(); });
    m.param("aux_coefficient", 0.01);
  }
  if (m.coin()) m.output("sum", "", TapType::single);
  m.output("loss", "", TapType::single);
}

void lightning_attention(CaseMaker& m) {
  m.range('B', 1, 2);
  m.range('A', 1, 2);
  m.extent('S', 33);
  m.extent('D', 17);
  m.choose('Q', {1, 2, 3, 8, 16, 32});
  const int64_t block = m.size('Q');
  std::vector<double> slopes;
  for (int64_t a = 0; a < m.size('A'); ++a) slopes.push_back(round_to(m.working(), 0.01 + m.uniform()));
  const auto decay = [&](int64_t a, int64_t distance) {
    return distance < 0 ? 0.0 : std::exp(-slopes[static_cast<size_t>(a)] * static_cast<double>(distance));
  };
  for (const char* field : {"q", "k", "v"}) m.values(field, "B,A,S,D");
  if (m.coin()) m.values("past", "B,A,D,D");
  m.numbers("slope_rate", "A,1,1", TapType::working, [&](int64_t a) { return slopes[static_cast<size_t>(a)]; });
  m.numbers("query_decay", "A,Q,1", TapType::working, [&](int64_t i) { return decay(i / block, i % block + 1); });
  m.numbers("key_decay", "A,Q,1", TapType::working, [&](int64_t i) { return decay(i / block, block - i % block - 1); });
  m.numbers("diagonal_decay", "1,A,Q,Q", TapType::working,
            [&](int64_t i) { return decay(i / (block * block), i / block % block - i % block); });
  m.output("out", "B,A,S,D");
  m.output("state", "B,A,D,D", m.type_of("lightning_attention.state"));
  if (m.coin()) return;  // what recordings have besides; without a past, also the two terms of `out`
  m.size('J', 1 + (m.has_input("past") ? m.size('S') : (m.size('S') + block - 1) / block));
  m.output("block_states", "J,B,A,D,D", m.type_of("lightning_attention.state"));
  if (m.has_input("past")) return;
  m.output("intra", "B,A,S,D", m.type_of("lightning_attention.intra"));
  m.output("inter", "B,A,S,D", m.type_of("lightning_attention.inter"));
}

void swiglu(CaseMaker& m) {
  m.tokens(17);
  m.extent('F', 129);
  m.exponents("gate_up", "B,S,2F", 3.0);
  gate_params(m);
  m.output("out", "B,S,F");
}

void gelu(CaseMaker& m) {
  m.tokens(17);
  m.extent('F', 129);
  m.values("x", "B,S,F", 2.0);
  m.output("out", "B,S,F");
}

void silu(CaseMaker& m) {
  m.tokens(17);
  m.extent('F', 129);
  m.exponents("x", "B,S,F", 3.0);
  m.output("out", "B,S,F");
}

void sigmoid_gate(CaseMaker& m) {
  m.tokens(17);
  m.extent('H', 129);
  m.exponents("gate", "B,S,H", 3.0);
  m.values("x", "B,S,H");
  m.output("out", "B,S,H");
}

void residual_add(CaseMaker& m) {
  m.tokens(17);
  m.extent('H', 129);
  m.values("residual", "B,S,H", 4.0);
  m.values("branch", "B,S,H");
  m.param("residual_factor", m.coin() ? 1.0 : 3.55);
  m.param("branch_factor", m.coin() ? 1.0 : 0.75);
  m.output("out", "B,S,H");
}

int64_t far_position(CaseMaker& m) {
  return m.boundary() ? m.one_of<int64_t>({0, 1, 127, 128, 16383, 16384, 16385, 65535, 131071}) : m.from(0, 1 << 20);
}

void rotary_tables(CaseMaker& m) {
  m.tokens(17);
  m.extent('W', 64);
  m.size('R', 2 * m.size('W'));
  m.ids("positions", "B,S", [&](int64_t) { return far_position(m); });
  m.param("theta", m.one_of<double>({1e4, 5e6, 1e7}));
  m.param("rotary_width", m.size('R'));
  m.output("cos", "B,S,R", m.type_of("rotary_tables.out"));
  m.output("sin", "B,S,R", m.type_of("rotary_tables.out"));
}

void partial_rope(CaseMaker& m) {
  m.tokens(9);
  m.range('A', 1, 3);
  m.extent('W', 32);
  m.size('R', 2 * m.size('W'));
  m.size('D', m.size('R') + (m.coin() ? 0 : m.from(1, 33)));
  std::vector<double> angles;
  const int64_t tokens = m.size('B') * m.size('S');
  for (int64_t i = 0; i < tokens; ++i) {
    const auto position = static_cast<double>(far_position(m));
    for (int64_t r = 0; r < m.size('R'); ++r)
      angles.push_back(position *
                       std::pow(1e4, -static_cast<double>(r % m.size('W')) / static_cast<double>(m.size('W'))));
  }
  m.values("x", "B,A,S,D");
  m.numbers("cos", "B,S,R", m.type_of("rotary_tables.out"),
            [&](int64_t i) { return std::cos(angles[static_cast<size_t>(i)]); });
  m.numbers("sin", "B,S,R", m.type_of("rotary_tables.out"),
            [&](int64_t i) { return std::sin(angles[static_cast<size_t>(i)]); });
  m.output("out", "B,A,S,D");
}

/// Draws pages in any order. Some are shared by sequences or unused. Table entries after the last slot are arbitrary.
void paged_view(CaseMaker& m) {
  m.range('B', 1, 3);
  m.range('G', 1, 3);
  m.extent('K', 65);
  m.extent('D', 33);
  m.choose('Q', {1, 2, 3, 4, 8, 16, 32, 64});
  const int64_t used = (m.size('K') + m.size('Q') - 1) / m.size('Q');
  m.size('J', used + (m.coin() ? 0 : m.from(1, 2)));
  m.range('Y', 1, 2 * m.size('J') + 1);
  m.values("pages", "Y,G,Q,D");
  m.ids("table", "B,J", [&](int64_t i) { return i % m.size('J') < used ? m.from(0, m.size('Y') - 1) : -1; });
  m.param("page_size", m.size('Q'));
  m.output("out", "B,G,K,D");
}

void cache_append(CaseMaker& m) {
  m.range('B', 1, 2);
  m.range('G', 1, 2);
  m.extent('S', 33);
  m.extent('D', 129);
  const int64_t past = m.coin() ? 0 : m.extent('P', 65);
  m.size('K', m.size('S') + past);
  if (past > 0) m.values("past", "B,G,P,D");
  m.values("fresh", "B,G,S,D");
  m.output("out", "B,G,K,D");
}

/// Draws codes and scales as stored, as numbers. Parameters that are not quantised have no scales.
void dequantise(CaseMaker& m) {
  const bool exponents = std::get<bool>(m.param("exponents", m.coin()));
  const bool published = m.coin();  // blocks of one row and 32 columns
  m.extent('P', 9);
  m.range('Q', 1, 4);
  m.size('F', m.size('P') * (published ? 1 : m.from(1, 3)));
  m.size('K', m.size('Q') * (published ? 32 : m.from(1, 33)));
  m.codes("codes", "F,K");
  const auto scale = [&](int64_t) {  // scales of a multiplied matrix are as similar as those of checkpoints
    return exponents ? static_cast<double>(m.settled().read_on ? m.from(118, 121) : m.from(100, 150))
                     : round_to(DType::f32, std::exp2(m.normal() - 8.0));
  };
  if (exponents || m.coin()) m.numbers("scales", "P,Q", TapType::wide, scale);
  m.stored("scales", exponents ? DType::u8 : DType::f32);
  m.output("out", "F,K");
}

}  // namespace

const std::map<std::string, Recipe>& recipes() {
  static const std::map<std::string, Recipe> instance = [] {
    std::map<std::string, Recipe> all{{"linear", linear},
                                      {"patch_embed", patch_embed},
                                      {"dequantise", dequantise},
                                      {"rms_norm", rms_norm},
                                      {"layer_norm", layer_norm},
                                      {"moe_experts", moe_experts},
                                      {"router", router},
                                      {"index_select", index_select},
                                      {"softmax_router", softmax_router},
                                      {"cross_entropy", cross_entropy},
                                      {"lightning_attention", lightning_attention},
                                      {"swiglu", swiglu},
                                      {"gelu", gelu},
                                      {"silu", silu},
                                      {"sigmoid_gate", sigmoid_gate},
                                      {"residual_add", residual_add},
                                      {"rotary_tables", rotary_tables},
                                      {"partial_rope", partial_rope},
                                      {"cache_append", cache_append},
                                      {"paged_view", paged_view}};
    add_attention_recipes(all);
    add_coded_cache_recipes(all);
    add_declared_recipes(all);
    return all;
  }();
  return instance;
}

}  // namespace parity::cases
