// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/cases.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "benches/chain.hpp"
#include "benches/msa/selections.hpp"
#include "core/random.hpp"
#include "reference/reference.hpp"

namespace parity::benches {
namespace {

Call call_of(const std::string& component, DType type, AxisSizes sizes) {
  Call call;
  call.component = component;
  call.working = type;
  sizes.try_emplace('B', 1);
  call.sizes = std::move(sizes);
  return call;
}

double shrunk(int64_t terms) { return 1.0 / std::sqrt(static_cast<double>(terms)); }

Call linear(DType type, uint64_t seed, int64_t tokens) {
  Call call = call_of("linear", type, {{'S', tokens}, {'H', 2048}, {'F', 2048}});
  call.values("x", "B,S,H", seed);
  call.values("weight", "F,H", seed, shrunk(2048));
  call.output("out", "B,S,F");
  return call;
}

Call rms_norm(DType type, uint64_t seed, int64_t tokens) {
  Call call = call_of("rms_norm", type, {{'S', tokens}, {'H', 6144}});
  call.values("x", "B,S,H", seed);
  call.values("weight", "H", seed, 0.5);
  call.params = {{"eps", 1e-6}, {"gain_offset", 1.0}};
  call.output("out", "B,S,H");
  return call;
}

Call partial_rope(DType type, uint64_t seed, int64_t tokens) {
  Call call = call_of("partial_rope", type, {{'S', tokens}, {'A', 16}, {'D', 128}, {'R', 64}});
  const auto angle = [](int64_t i) {
    return static_cast<double>(i / 64) * std::pow(5e6, -static_cast<double>(i % 32) / 32.0);
  };
  call.values("x", "B,A,S,D", seed);
  call.numbers("cos", "B,S,R", TapType::working, [&](int64_t i) { return std::cos(angle(i)); });
  call.numbers("sin", "B,S,R", TapType::working, [&](int64_t i) { return std::sin(angle(i)); });
  call.output("out", "B,A,S,D");
  return call;
}

Call norm_rope(DType type, uint64_t seed, int64_t tokens, bool keys) {
  Call call = call_of(keys ? "norm_rope_append" : "norm_rope", type,
                      {{'S', tokens}, {'A', keys ? 4 : 64}, {'D', 128}, {'R', 64}});
  const auto angle = [](int64_t i) {
    return static_cast<double>(i / 64) * std::pow(5e6, -static_cast<double>(i % 32) / 32.0);
  };
  call.values("x", "B,S,A,D", seed);
  call.values("weight", "D", seed, 0.5);
  call.numbers("cos", "B,S,R", TapType::working, [&](int64_t i) { return std::cos(angle(i)); });
  call.numbers("sin", "B,S,R", TapType::working, [&](int64_t i) { return std::sin(angle(i)); });
  call.params = {{"eps", 1e-6}, {"gain_offset", 1.0}};
  call.output("out", "B,A,S,D");
  return call;
}
Call queries(DType type, uint64_t seed, int64_t tokens) { return norm_rope(type, seed, tokens, false); }
Call keys(DType type, uint64_t seed, int64_t tokens) { return norm_rope(type, seed, tokens, true); }

Call add_norm(DType type, uint64_t seed, int64_t tokens) {
  Call call = call_of("add_norm", type, {{'S', tokens}, {'H', 6144}});
  call.values("residual", "B,S,H", seed);
  call.values("branch", "B,S,H", seed);
  call.values("weight", "H", seed, 0.5);
  call.params = {{"eps", 1e-6}, {"gain_offset", 1.0}};
  call.output("sum", "B,S,H");
  call.output("out", "B,S,H");
  return call;
}

/// Adds codes and scales of a matrix (F, H), in the types of a checkpoint.
void codes(Call& call, uint64_t seed, const std::string& axes, const std::string& scale_axes) {
  const Random random(seed, "codes");
  Tensor codes = Tensor::unwritten(DType::e4m3fn, shape_of(axes, call.sizes), axes);
  for (int64_t i = 0; i < codes.view().count(); ++i) {
    const uint64_t code = random.below(static_cast<uint64_t>(i), 254);  // leaves out 0x7f and 0xff, which are NaN
    codes.view().data[i] = static_cast<std::byte>(code < 127 ? code : code + 1);
  }
  Tensor scales = Tensor::unwritten(DType::u8, shape_of(scale_axes, call.sizes), scale_axes);
  for (int64_t i = 0; i < scales.view().count(); ++i)
    scales.view().data[i] = static_cast<std::byte>(110 + random.below(static_cast<uint64_t>(i), 5));
  call.input("codes", axes, TapType::wide, std::move(codes));
  call.input("scales", scale_axes, TapType::wide, std::move(scales));
}

Call dequantise(DType type, uint64_t seed, int64_t rows) {
  Call call = call_of("dequantise", type, {{'S', rows}, {'K', 6144}, {'Q', 192}});
  codes(call, seed, "S,K", "S,Q");
  call.params = {{"exponents", true}};
  call.output("out", "S,K");
  return call;
}

Call mxfp8_linear(DType type, uint64_t seed, int64_t tokens) {
  Call call = call_of("mxfp8_linear", type, {{'S', tokens}, {'H', 6144}, {'F', 2048}, {'Q', 192}});
  call.values("x", "B,S,H", seed);
  codes(call, seed, "F,H", "F,Q");
  call.output("out", "B,S,F");
  return call;
}

Call router(DType type, uint64_t seed, int64_t tokens) {
  Call call = call_of("router", type, {{'S', tokens}, {'N', tokens}, {'E', 128}, {'T', 4}});
  call.values("logits", "N,E", seed, 2.0, TapType::single);
  call.values("bias", "E", seed, 0.25, TapType::single);
  call.params = {{"top_k", int64_t{4}}, {"eps", 1e-20}, {"scaling", 2.0}};
  for (const char* field : {"scores", "choice"}) call.output(field, "N,E", TapType::single);
  call.output("indices", "N,T", TapType::index);
  call.output("weights", "N,T", TapType::single);
  return call;
}

Call experts(DType type, uint64_t seed, int64_t tokens, bool balanced) {
  Call call =
      call_of("moe_experts", type, {{'S', tokens}, {'N', tokens}, {'H', 1024}, {'F', 512}, {'T', 4}, {'E', 16}});
  const Random random(seed, "experts");
  std::set<int64_t> chosen;
  uint64_t draw = 0;
  call.values("x", "N,H", seed);
  call.ids("indices", "N,T", [&](int64_t i) {
    if (balanced) return i % 16;  // four neighbours of sixteen: every expert gets the same number of tokens
    if (i % 4 == 0) chosen.clear();
    for (;;) {
      const auto expert = static_cast<int64_t>(random.below(draw++, 16));
      if (chosen.insert(expert).second) return expert;
    }
  });
  call.numbers("weights", "N,T", TapType::single,
               [&](int64_t i) { return 0.1 + random.uniform(static_cast<uint64_t>(i)); });
  call.bank("gate_up", "2F,H", 16, seed, shrunk(1024));
  call.bank("down", "H,F", 16, seed + 1, shrunk(512));
  call.params = {{"alpha", 1.702}, {"limit", 7.0}, {"linear_offset", 1.0}};
  call.output("out", "N,H");
  return call;
}

Call moe_experts(DType type, uint64_t seed, int64_t tokens) { return experts(type, seed, tokens, false); }

/// Returns the number of experts that at least one token chose.
double members_used(const Call& call) {
  if (call.banks.empty()) return 0.0;
  const Tensor ids = call.of("indices");
  return static_cast<double>(std::set<int64_t>(ids.i64(), ids.i64() + ids.view().count()).size());
}

/// Returns the flops of a component, or the sum over the parts of a fusion.
double flops_of(const Call& call) {
  std::vector<FusedPart> parts = parts_of(call.component);
  if (parts.empty()) parts.push_back({.component = call.component, .inputs = {}, .outputs = {}});
  double flops = 0.0;
  for (const FusedPart& part : parts) {
    const Flops declared = reference::registry().component(part.component).flops;
    if (declared != nullptr) flops += declared(call.sizes, call.params);
  }
  return flops;
}

Call lightning(DType type, uint64_t seed, int64_t tokens) {
  constexpr int64_t kRows = 256;
  Call call = call_of("lightning_attention", type, {{'S', tokens}, {'A', 16}, {'D', 128}, {'Q', kRows}});
  const auto slope = [](int64_t a) { return std::exp2(-0.5 * static_cast<double>(a + 1)); };
  const auto decay = [&](int64_t a, int64_t n) { return n < 0 ? 0.0 : std::exp(-slope(a) * static_cast<double>(n)); };
  for (const char* field : {"q", "k", "v"}) call.values(field, "B,A,S,D", seed, 0.5);
  if (tokens == 1) call.values("past", "B,A,D,D", seed);
  call.numbers("slope_rate", "A,1,1", TapType::working, slope);
  call.numbers("query_decay", "A,Q,1", TapType::working, [&](int64_t i) { return decay(i / kRows, i % kRows + 1); });
  call.numbers("key_decay", "A,Q,1", TapType::working,
               [&](int64_t i) { return decay(i / kRows, kRows - i % kRows - 1); });
  call.numbers("diagonal_decay", "1,A,Q,Q", TapType::working,
               [&](int64_t i) { return decay(i / (kRows * kRows), i / kRows % kRows - i % kRows); });
  call.output("out", "B,A,S,D");
  call.output("state", "B,A,D,D");
  return call;
}

/// One image of `patches` patches, 16 heads of the published width.
Call vision(DType type, uint64_t seed, int64_t patches) {
  Call call = call_of("vision_attention", type, {{'P', patches}, {'A', 16}, {'D', 80}, {'M', 1}});
  for (const char* field : {"q", "k", "v"}) call.values(field, "1,A,P,D", seed);
  call.ids("grid", "M,3", [&](int64_t i) { return i == 0 ? 1 : i == 1 ? 64 : patches / 64; });
  call.params = {{"scale", shrunk(80)}, {"normalise_first", false}, {"key_tile", int64_t{512}}};
  call.output("out", "1,P,A,D");
  return call;
}

BenchCase by_tokens(const std::string& component, int64_t tokens, Call (*make)(DType, uint64_t, int64_t)) {
  return {component, fmt::format("tokens-{}", tokens),
          [=](DType type, uint64_t seed) { return make(type, seed, tokens); }};
}

BenchCase dense(const AttentionShape& shape, const std::string& id) {
  return {"attention_dense", id, [=](DType type, uint64_t seed) { return dense_call(shape, type, seed); },
          [=](const Call& call) { return dense_work(shape, call.working); }};
}

BenchCase select(const AttentionShape& shape, const std::string& id) {
  return {"index_select", id,
          [=](DType type, uint64_t seed) { return select_call(shape, type, drawn_scores(shape, seed)); }};
}

void add_attention(std::vector<BenchCase>& cases) {
  const auto add = [&](const std::string& phase, const AttentionShape& shape) {
    const int64_t group = shape.heads / shape.key_heads;
    const std::string id =
        fmt::format("{}-{}{}{}", phase, shape.slots, group == 16 ? "" : fmt::format("-of-{}", group),
                    shape.key_heads == 1 || shape.queries == 1 ? "" : fmt::format("-x{}", shape.key_heads));
    cases.push_back(dense(shape, id));
    cases.push_back({"attention_block_sparse", id,
                     [=](DType type, uint64_t seed) {
                       return sparse_call(shape, type, seed, drawn_blocks(shape, Selection::sticky, seed));
                     },
                     [=](const Call& call) { return sparse_work(shape, call.working); }});
    cases.push_back({"index_block_scores", id, [=](DType type, uint64_t seed) { return index_call(shape, type, seed); },
                     [=](const Call& call) { return index_work(shape, call.working); }});
    cases.push_back(select(shape, id));
  };
  add("prefill", {1, 4096, 4096, 16, 1, 1, 128});
  add("prefill", {1, 4096, 4096, 64, 4, 4, 128});  // all heads of M3
  add("prefill", {1, 4096, 4096, 12, 2, 2, 128});  // a quarter of M2's heads, six query heads for each key head
  for (const int64_t slots : {int64_t{16384}, int64_t{65536}}) add("decode", {1, 1, slots, 64, 4, 4, 128});
  cases.push_back(dense({1, 8192, 8192, 16, 1, 1, 128}, "prefill-8192"));
  // Cases of index_select by the number of blocks to choose from.
  for (const int64_t blocks : {int64_t{128}, int64_t{512}})
    cases.push_back(select({1, 4096, blocks * kBlock, 16, 1, 1, 128}, fmt::format("blocks-{}", blocks)));
}

void add_linear_attention(std::vector<BenchCase>& cases) {
  for (const int64_t tokens : {4096, 512, 1}) cases.push_back(by_tokens("lightning_attention", tokens, lightning));
  cases.push_back(
      {"vision_attention", "patches-4096", [](DType type, uint64_t seed) { return vision(type, seed, 4096); }});
}

}  // namespace

Work work_of(const Call& call) {
  Work work{flops_of(call)};
  for (const CallOperand& operand : call.inputs) work.read += static_cast<double>(operand.tensor.bytes());
  for (const CallOperand& operand : call.outputs) work.written += static_cast<double>(operand.tensor.bytes());
  for (const CallBank& bank : call.banks)
    work.read += members_used(call) * static_cast<double>(bank.members.front().bytes());
  return work;
}

std::vector<Slice> slices_of(const Call& call, uint64_t seed) {
  const Random random(seed, "slices");
  if (call.component == "vision_attention")  // a slice of one patch would see only that patch
    return {{{'A', {static_cast<int64_t>(random.below(0, static_cast<uint64_t>(call.sizes.at('A')))), 1}}}};
  const char rows = call.sizes.contains('N') ? 'N' : 'S';
  const int64_t count = call.sizes.at(rows), groups = call.sizes.contains('G') ? call.sizes.at('G') : 1;
  std::vector<Slice> slices;
  uint64_t draw = 0;
  const auto any = [&](int64_t limit) {
    return static_cast<int64_t>(random.below(draw++, static_cast<uint64_t>(limit)));
  };
  const auto add = [&](int64_t row, int64_t group) {
    Slice slice;
    if (call.component != "lightning_attention") slice[rows] = {row, 1};  // its state sums over all rows before
    if (call.sizes.at('B') > 1) slice['B'] = {any(call.sizes.at('B')), 1};
    if (call.sizes.contains('G')) {  // one key head and the query heads that share it
      const int64_t heads = call.sizes.at('A') / groups;
      slice['G'] = {group, 1};
      slice['A'] = {group * heads, heads};
      if (call.sizes.at('X') == groups) slice['X'] = {group, 1};
      if (call.sizes.at('X') != groups && call.component != "attention_block_sparse")
        slice['X'] = {any(call.sizes.at('X')), 1};
      // The query stands in the last slot of the slice, because attention reads no later slot.
      if (call.component.starts_with("attention_")) slice['K'] = {0, call.sizes.at('K') - count + row + 1};
    } else if (call.sizes.contains('A')) {
      slice['A'] = {any(call.sizes.at('A')), 1};
    }
    if (std::find(slices.begin(), slices.end(), slice) == slices.end()) slices.push_back(std::move(slice));
  };
  add(0, any(groups));
  add(count - 1, any(groups));
  for (int64_t group = 0; group < groups; ++group) add(any(count), group);
  return slices;
}

const std::vector<BenchCase>& bench_cases() {
  static const std::vector<BenchCase> instance = [] {
    std::vector<BenchCase> cases;
    add_attention(cases);
    cases.push_back(by_tokens("dequantise", 2048, dequantise));
    for (const int64_t tokens : {1, 2, 4, 8, 512}) cases.push_back(by_tokens("mxfp8_linear", tokens, mxfp8_linear));
    for (const int64_t tokens : {512, 1}) {
      cases.push_back(by_tokens("linear", tokens, linear));
      cases.push_back(by_tokens("rms_norm", tokens, rms_norm));
      cases.push_back(by_tokens("partial_rope", tokens, partial_rope));
      cases.push_back(by_tokens("norm_rope", tokens, queries));
      cases.push_back(by_tokens("norm_rope_append", tokens, keys));
      cases.push_back(by_tokens("add_norm", tokens, add_norm));
      cases.push_back(by_tokens("router", tokens, router));
      cases.push_back(by_tokens("moe_experts", tokens, moe_experts));
    }
    cases.push_back(
        {"moe_experts", "balanced-512", [](DType type, uint64_t seed) { return experts(type, seed, 512, true); }});
    add_linear_attention(cases);
    return cases;
  }();
  return instance;
}

}  // namespace parity::benches
