// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A hand-sized exchange: four ranks, each with one part of four elements.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/sharding/layout.hpp"
#include "golden/sources/synthetic_source.hpp"
#include "reference/reference.hpp"
#include "replay/captures/overlay.hpp"
#include "replay/runs/evaluator.hpp"

namespace parity::compare::tests {

inline Tensor row_of(const std::vector<double>& values, const std::string& axes, const Shape& shape) {
  Tensor row(DType::f32, shape, axes);
  for (size_t i = 0; i < values.size(); ++i) store_element(DType::f32, row.view().data + i * 4, values[i]);
  return row;
}

/// Each of four ranks has "x_partial" of four numbers, and "x": their sum, or with `gathered` all 16 of them.
struct FourRanks {
  Plan plan;
  std::map<std::string, Tensor> values;
  bool gathered;

  explicit FourRanks(bool gathers) : gathered(gathers) {
    plan.working = DType::f32;
    for (int64_t rank = 0; rank < 4; ++rank) {
      const std::string part = tap(rank, "x_partial");
      plan.taps[part] = {"B,G,S,D", {1, 1, 2, 2}, TapType::working, static_cast<int>(plan.nodes.size())};
      Node term;
      term.component = "silu";
      term.rank = static_cast<int>(rank);
      term.inputs["x"] = {{Operand::Kind::tap, "in", ""}};
      term.outputs["out"] = {Operand::Kind::tap, part, ""};
      plan.nodes.push_back(term);
      const double base = 1.0 + static_cast<double>(rank);
      values[part] = row_of({base, -2.0 * base, base * base, 0.5 + base * base * base}, "B,G,S,D", {1, 1, 2, 2});
    }
    for (int64_t rank = 0; rank < 4; ++rank) add_exchange(rank);
  }

  static std::string tap(int64_t rank, const std::string& name) { return rank_prefix(rank) + name; }
  [[nodiscard]] const Node& exchange(int64_t rank) const { return plan.nodes[static_cast<size_t>(4 + rank)]; }
  void set(int64_t rank, const std::string& name, int64_t i, double value) {
    store_element(DType::f32, values.at(tap(rank, name)).view().data + i * 4, value);
  }
  [[nodiscard]] double part(int64_t rank, int64_t i) const { return values.at(tap(rank, "x_partial")).view().value(i); }

 private:
  void add_exchange(int64_t rank) {
    const Shape shape{1, 1, gathered ? 8 : 2, 2};
    plan.taps[tap(rank, "x")] = {"B,G,K,D", shape, TapType::working, static_cast<int>(plan.nodes.size())};
    if (!gathered) plan.taps[tap(rank, "x")].axes = "B,G,S,D";
    Node node;
    node.component = gathered ? "gather" : "all_reduce";
    node.rank = static_cast<int>(rank);
    std::vector<double> all(gathered ? 16 : 4);
    for (int64_t sender = 0; sender < 4; ++sender) {
      node.inputs["parts"].push_back({Operand::Kind::tap, tap(sender, "x_partial"), ""});
      for (int64_t i = 0; i < 4; ++i) all[static_cast<size_t>(gathered ? sender * 4 + i : i)] += part(sender, i);
    }
    node.outputs["out"] = {Operand::Kind::tap, tap(rank, "x"), ""};
    plan.nodes.push_back(node);
    values[tap(rank, "x")] = row_of(all, plan.taps[tap(rank, "x")].axes, shape);
  }
};

}  // namespace parity::compare::tests
