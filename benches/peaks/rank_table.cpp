// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/peaks/rank_table.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "benches/cases.hpp"
#include "core/plans/profile.hpp"
#include "core/plans/systems.hpp"
#include "core/plans/tiny/published_configs.hpp"
#include "core/sharding/sharded_plan.hpp"
#include "ranks/traffic.hpp"
#include "reference/reference.hpp"
#include "replay/spans/plan_work.hpp"
#include "reports/text/table.hpp"

namespace parity::benches {
namespace {

constexpr int64_t kRing = 1;  // AllReduce::Params::order
constexpr double kGiga = 1e9, kMilli = 1e-3;

/// The plan of one call with its cache filled up to `slots`.
Plan plan_of(const std::string& model, const RankPhase& phase) {
  const nlohmann::json config = published_config(model);
  const System& system = system_of(config);
  std::vector<parity::Call> calls = prefill_and_decode(phase.batch, phase.slots, 0);
  if (phase.slots > phase.tokens) {
    calls = prefill_and_decode(phase.batch, phase.slots - phase.tokens, 0);
    calls.push_back({"001", phase.batch, phase.tokens, phase.slots});
  }
  return system.build(config, {newest_profile(system.name), "eager", DType::bf16, calls});
}

bool is_exchange(const Plan& plan, const Node& node) {
  for (const auto& [field, list] : node.inputs) {
    for (const Operand& operand : list) {
      if (operand.kind != Operand::Kind::tap) continue;
      const int producer = plan.tap(operand.name).producer;
      if (producer >= 0 && plan.nodes[static_cast<size_t>(producer)].rank != node.rank) return true;
    }
  }
  return false;
}

/// Whether the node only selects a part of a tap, which kernels do as they read it.
bool is_cut(const Node& node) { return node.component.starts_with("gather") && node.inputs.at("parts").size() == 1; }

/// Bytes of the parameters of each rank: all members of banks, once.
double held_by(const Plan& plan, int rank) {
  std::set<std::string> names;
  for (const Node& node : plan.nodes) {
    if (node.rank != rank || node.layer < 0) continue;
    for (const auto& [field, list] : node.inputs) {
      for (const Operand& operand : list)
        if (operand.kind != Operand::Kind::tap) names.insert(operand.name);
    }
  }
  double bytes = 0;
  for (const std::string& name : names) {
    const WeightInfo& info = plan.weights.at(name);
    bytes += static_cast<double>(element_count(info.shape) * std::max<int64_t>(info.members, 1) *
                                 size_of(info.held == Held::single ? DType::f32 : plan.working));
  }
  return bytes;
}

/// Products of the scores of key blocks, for which the component states none: a kernel skips queries that see no more
/// blocks than are chosen.
double index_flops(const Plan& plan, const Node& node) {
  if (node.component != "index_block_scores") return 0.0;
  const AxisSizes sizes = plan.sizes_of(node);
  AttentionShape shape{};
  shape.batch = sizes.at('B');
  shape.queries = sizes.at('S');
  shape.slots = sizes.at('K');
  shape.index_heads = sizes.at('X');
  shape.width = sizes.at('I');
  return index_work(shape, plan.working).flops;
}

/// Whether its products are those of pairs of a query and a slot before it.
bool of_causal_pairs(const Node& node) {
  return node.component.starts_with("attention_") || node.component == "index_block_scores";
}

std::string single_prefix(const Node& node) {
  const std::string prefix = rank_prefix(node.rank);
  return node.prefix.starts_with(prefix) ? node.prefix.substr(prefix.size()) : node.prefix;
}

/// Products of attention by node of the single plan. Chunks from both ends give every context-parallel rank an equal
/// share of them, which the extents of its tokens do not tell.
std::map<std::string, double> causal_flops(const Plan& single, int step) {
  std::map<std::string, double> flops;
  for (const Node& node : single.nodes) {
    if (node.step == step && of_causal_pairs(node))
      flops[node.prefix] += replay::work_of(single, node, reference::registry()).flops + index_flops(single, node);
  }
  return flops;
}

std::string milliseconds(double seconds) { return fmt::format("{:.3g}", seconds / kMilli); }

const char* largest(double compute, double memory, double links) {
  if (links > std::max(compute, memory)) return "links";
  return memory > compute ? "memory" : "compute";
}

}  // namespace

std::string RankPhase::text() const {
  const std::string of = batch == 1 ? "" : fmt::format("{} x ", batch);
  return name == "prefill" ? fmt::format("prefill {}{}", of, tokens) : fmt::format("decode {}on {}", of, slots);
}

const char* RankTimes::bound() const { return largest(compute, least, links); }
const char* RankTimes::bound_unfused() const { return largest(compute, unfused, links); }

RankTimes times_of(const RankRow& row, const ptx::Gpu& gpu) {
  constexpr double kOperations = 2;  // the table of a GPU counts a product and its sum once
  RankTimes times{row.flops / (kOperations * gpu.tensor.at("bf16")), row.least / gpu.dram, row.unfused / gpu.dram, 0};
  if (gpu.link) times.links = row.sent / *gpu.link;
  return times;
}

std::vector<Layout> table_layouts() {
  return {{.tp = 8, .rules = "vllm"},
          {.ep = 8, .rules = "vllm"},
          {.tp = 8, .ep = 8, .rules = "vllm"},
          {.cp = 8, .rules = "vllm"},
          {.ep = 4, .cp = 2, .rules = "vllm"},
          {.dp = 8, .rules = "vllm"},
          {.ep = 8, .dp = 8, .rules = "vllm", .dispatch = kAllToAll},
          {.ep = 8, .dp = 8, .rules = "vllm", .dispatch = kAllGather}};
}

std::vector<RankPhase> table_phases() {
  return {{"prefill", 1, 8192, 8192}, {"prefill", 1, 131072, 131072}, {"decode", 1, 1, 8192},
          {"decode", 1, 1, 131072},   {"decode", 64, 1, 8192},        {"decode", 64, 1, 131072}};
}

RankRow count_ranks(const std::string& model, const Layout& layout, const RankPhase& phase) {
  RankRow row{layout, phase};
  if (layout.cp > 1 && phase.tokens == 1) {
    row.why = "a single token is not divided: every rank computes it";
    return row;
  }
  const Plan single = plan_of(model, phase);
  Plan plan;
  try {
    plan = sharded_plan(single, layout, reference::registry());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    row.why = error.what();
    return row;
  }
  const int step = plan.nodes.back().step;
  const std::map<std::string, double> causal = causal_flops(single, step);
  std::map<int, replay::PlanWork> work;
  std::map<int, int64_t> exchanges;
  for (Node& node : plan.nodes) {
    if (node.component == "all_reduce") node.params["order"] = kRing;
    if (node.step != step || node.layer < 0) continue;
    if (is_exchange(plan, node)) {
      ++exchanges[node.rank];
    } else if (!is_cut(node)) {
      replay::PlanWork own = replay::work_of(plan, node, reference::registry());
      own.flops += index_flops(plan, node);
      if (layout.cp > 1 && of_causal_pairs(node))
        own.flops = causal.at(single_prefix(node)) / static_cast<double>(layout.cp);
      work[node.rank] += own;
    }
  }
  for (const auto& [rank, each] : work) {
    row.flops = std::max(row.flops, each.flops);
    row.least = std::max(row.least, each.weights + each.cached);
    row.unfused = std::max(row.unfused, each.bytes());
    row.held = std::max(row.held, held_by(plan, rank));
    row.exchanges = std::max(row.exchanges, exchanges[rank]);
  }
  std::map<int64_t, double> sent;
  for (const auto& [key, traffic] : ranks::traffic_of(plan, SentRowsOf(plan, reference::registry()), {}, step)) {
    if (key.layer >= 0) row.sent = std::max(row.sent, sent[key.rank] += static_cast<double>(traffic.bytes));
  }
  return row;
}

std::string rank_markdown(const std::string& model, const std::vector<RankRow>& rows, const ptx::Gpu& gpu) {
  std::map<std::string, std::vector<std::string>> left_out;  // calls by reason
  reports::Table table({"ranks", "call", "TFLOP", "GB held", "GB read", "GB sent", "exchanges", "compute ms",
                        "memory ms", "links ms", "bound by"},
                       2);
  for (const RankRow& row : rows) {
    if (!row.why.empty()) {
      left_out[row.layout.text() + ": " + row.why].push_back(row.phase.text());
      continue;
    }
    const RankTimes times = times_of(row, gpu);
    table.add({row.layout.text(), row.phase.text(), fmt::format("{:.3g}", row.flops / 1e12),
               fmt::format("{:.0f}", row.held / kGiga), fmt::format("{:.3g}", row.least / kGiga),
               fmt::format("{:.3g}", row.sent / kGiga), std::to_string(row.exchanges), milliseconds(times.compute),
               milliseconds(times.least), milliseconds(times.links), times.bound()});
  }
  std::string text = fmt::format(
      "Written by `parity bench --table ranks --gpu {}`: all layers of {} at its published size in bf16, the busiest "
      "rank, at the rates of the {}'s data sheet. Counted from the plan; nothing is measured.\n\n",
      gpu.id, model, gpu.name);
  for (const std::string& line : table.markdown()) text += line;
  if (!left_out.empty()) text += "\n";
  for (const auto& [why, calls] : left_out) text += fmt::format("- {} ({})\n", why, fmt::join(calls, ", "));
  return text;
}

nlohmann::ordered_json rank_json(const std::string& model, const std::vector<RankRow>& rows, const ptx::Gpu& gpu) {
  nlohmann::ordered_json body{{"table", "ranks"}, {"model", model}, {"gpu", gpu.id}, {"rows", nlohmann::json::array()}};
  for (const RankRow& row : rows) {
    const RankTimes times = times_of(row, gpu);
    nlohmann::ordered_json entry{
        {"layout", row.layout.text()},  {"call", row.phase.text()}, {"why", row.why},
        {"flops", row.flops},           {"bytes_held", row.held},   {"bytes_read", row.least},
        {"bytes_unfused", row.unfused}, {"bytes_sent", row.sent},   {"exchanges", row.exchanges}};
    if (row.why.empty()) {
      entry["seconds"] = {
          {"compute", times.compute}, {"memory", times.least}, {"unfused", times.unfused}, {"links", times.links}};
      entry["bound"] = times.bound();
      entry["bound_unfused"] = times.bound_unfused();
    }
    body["rows"].push_back(std::move(entry));
  }
  return body;
}

}  // namespace parity::benches
