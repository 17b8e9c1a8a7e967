// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>

#include "benches/cases.hpp"
#include "core/softmax.hpp"
#include "reference/reference.hpp"

namespace parity::benches {
namespace {

AxisSizes sizes_of(const AttentionShape& shape) {
  return {{'B', shape.batch},     {'S', shape.queries},
          {'K', shape.slots},     {'A', shape.heads},
          {'G', shape.key_heads}, {'X', shape.index_heads},
          {'D', shape.width},     {'I', shape.width},
          {'J', shape.blocks()},  {'T', std::min(kTopK, shape.blocks())}};
}

Call attention_call(const std::string& component, const AttentionShape& shape, DType type, const Values& values) {
  Call call;
  call.drawn = values.undrawn == nullptr;
  if (!call.drawn) call.place = values.undrawn;
  call.component = component;
  call.working = type;
  call.sizes = sizes_of(shape);
  return call;
}

/// Sets the parameters of a flash kernel: the sum of weighted values is divided last.
void add_softmax(Call& call) {
  call.params["scale"] = 1.0 / std::sqrt(static_cast<double>(call.sizes.at('D')));
  call.params["normalise_first"] = false;
  call.params["key_tile"] = int64_t{512};
  call.params["zero_blind_rows"] = true;
}

void add_positions(Call& call) {
  const int64_t queries = call.sizes.at('S'), first = call.sizes.at('K') - queries;
  call.ids("positions", "B,S", [&](int64_t i) { return first + i % queries; });
}

double flops_of(const std::string& component, const AttentionShape& shape) {
  return reference::registry().component(component).flops(sizes_of(shape), {{"block_size", kBlock}});
}

/// Returns the work of attention: reading all queries and the keys and values of `slots` slots, and writing the output.
Work attention_work(const AttentionShape& shape, DType type, double flops, double slots) {
  const double width = static_cast<double>(shape.width * size_of(type) * shape.batch);
  const double queries = width * static_cast<double>(shape.queries * shape.heads);
  return {flops, queries + 2.0 * width * slots * static_cast<double>(shape.key_heads), queries};
}

}  // namespace

Call dense_call(const AttentionShape& shape, DType type, const Values& values) {
  Call call = attention_call("attention_dense", shape, type, values);
  call.values("q", "B,A,S,D", values.seed);
  call.values("k", "B,G,K,D", values.seed);
  call.values("v", "B,G,K,D", values.seed);
  add_softmax(call);
  call.output("out", "B,S,A,D");
  return call;
}

Call sparse_call(const AttentionShape& shape, DType type, const Values& values, const Tensor& blocks) {
  Call call = attention_call("attention_block_sparse", shape, type, values);
  call.values("q", "B,A,S,D", values.seed);
  call.values("k", "B,G,K,D", values.seed);
  call.values("v", "B,G,K,D", values.seed);
  call.input("blocks", "B,X,S,T", TapType::index, blocks);
  add_softmax(call);
  call.params["block_size"] = kBlock;
  call.output("out", "B,S,A,D");
  return call;
}

Call index_call(const AttentionShape& shape, DType type, const Values& values) {
  Call call = attention_call("index_block_scores", shape, type, values);
  call.values("q", "B,X,S,I", values.seed);
  call.values("k", "B,1,K,I", values.seed);
  add_positions(call);
  call.params["block_size"] = kBlock;
  call.params["per_group"] = true;
  call.output("block_scores", "B,X,S,J", TapType::single);
  return call;
}

Call select_call(const AttentionShape& shape, DType type, const Tensor& block_scores) {
  Call call = attention_call("index_select", shape, type, Values(block_scores.place()));
  call.input("block_scores", "B,X,S,J", TapType::single, block_scores);
  add_positions(call);
  call.params["block_size"] = kBlock;
  call.params["top_k"] = kTopK;
  call.params["local_blocks"] = int64_t{1};
  call.output("blocks", "B,X,S,T", TapType::index);
  return call;
}

Work dense_work(const AttentionShape& shape, DType type) {
  return attention_work(shape, type, flops_of("attention_dense", shape), static_cast<double>(shape.slots));
}

/// Returns the work of block-sparse attention. A slot is read at most once for each query that sees it.
Work sparse_work(const AttentionShape& shape, DType type) {
  const double flops = flops_of("attention_block_sparse", shape);
  const double kept = flops / (4.0 * static_cast<double>(shape.batch * shape.width * shape.heads));
  return attention_work(shape, type, flops, std::min(static_cast<double>(shape.slots), kept));
}

Work index_work(const AttentionShape& shape, DType type) {
  if (shape.blocks() <= kTopK) return {};
  const double keys = over_queries(sizes_of(shape), [](int64_t seen) { return seen <= kTopK * kBlock ? 0 : seen; });
  const double width = static_cast<double>(shape.width);
  const double operands =
      width * static_cast<double>(size_of(type)) * static_cast<double>(shape.slots + shape.queries * shape.index_heads);
  const double scores = 4.0 * static_cast<double>(shape.queries * shape.index_heads * shape.blocks());
  return {2.0 * width * static_cast<double>(shape.index_heads) * keys, static_cast<double>(shape.batch) * operands,
          static_cast<double>(shape.batch) * scores};
}

}  // namespace parity::benches
