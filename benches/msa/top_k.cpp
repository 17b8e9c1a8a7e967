// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/msa/top_k.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <set>

#include <nlohmann/json.hpp>

#include "benches/measure.hpp"
#include "benches/msa/msa_table.hpp"
#include "benches/msa/selections.hpp"
#include "benches/statistics.hpp"
#include "core/random.hpp"
#include "optimized/backends.hpp"
#include "optimized/registry.hpp"
#include "optimized/torch/torch.hpp"
#include "reports/text/table.hpp"

namespace parity::benches {
namespace {

Shape shortened(Shape shape) {
  shape.back() = std::min(shape.back(), kTopK);
  return shape;
}

void time(TopKRow& row, const std::vector<Prepared>& prepared, const BareTopK& bare, int rounds) {
  const std::vector<Timed> all{{[&] { prepared[0].run(); }}, {[&] { bare.run(); }}, {[&] { prepared[1].run(); }}};
  double slowest = 0.0;
  for (const auto& once : interleaved(all, 1, 2)) slowest = std::max(slowest, once.front());
  auto samples = interleaved(all, rounds, calls_per_sample(slowest));
  row.own = std::move(samples[0]);
  row.bare = std::move(samples[1]);
  row.chain = std::move(samples[2]);
}

TopKRow timed(int64_t blocks, int64_t queries, uint64_t seed, int rounds) {
  TopKRow row{blocks, queries, {}, {}, {}, {}, false};
  const AttentionShape shape{1, queries, blocks * kBlock, 64, 4, 4, 128};
  const Call call = select_call(shape, DType::bf16, drawn_scores(shape, seed));
  const BareTopK bare(call.of("block_scores"));
  const auto note = [&](const std::string& wrong) {
    row.why = wrong;
    row.wrong = true;
  };
  const Registry& registry = optimized::registry_with_libraries();
  std::vector<Prepared> prepared;
  std::vector<JudgedOutputs> judged;  // of each backend separately, since lists may differ where scores tie
  for (const std::string& backend : {optimized::own_backend(), optimized::library_backend()}) {
    const KernelEntry* kernel = registry.find("index_select", backend, "bf16");
    if (kernel == nullptr) row.why = fmt::format("backend {} has no top-k kernel", backend);
    if (kernel != nullptr) {
      if (const auto wrong = why_wrong(call, kernel->run, distinct_slices(call, seed))) note(*wrong);
      prepared.emplace_back(call, kernel->run);
      judged.emplace_back(call);
    }
  }
  if (!row.why.empty()) return row;
  if (const auto wrong = bare.why_wrong()) note(*wrong);
  if (row.wrong) return row;
  {
    const torch_backend::Delivery stay(false);
    time(row, prepared, bare, rounds);
  }
  for (size_t i = 0; i < prepared.size(); ++i) {
    if (const auto changed = judged[i].why_changed(prepared[i])) note(*changed);
  }
  if (const auto wrong = bare.why_wrong()) note(*wrong);
  if (row.wrong) row.own.clear();
  return row;
}

}  // namespace

BareTopK::BareTopK(const Tensor& scores)
    : scores_(scores), values_(DType::f32, shortened(scores.shape())), ids_(DType::i64, shortened(scores.shape())) {}

void BareTopK::run() const { torch_backend::top_k(scores_.view(), values_.view(), ids_.view()); }

std::optional<std::string> BareTopK::why_wrong() const {
  constexpr int64_t kRows = 32;
  std::memset(values_.view().data, 0xFF, static_cast<size_t>(values_.bytes()));  // NaN, so that no old value is left
  std::fill_n(ids_.i64(), ids_.view().count(), int64_t{-1});
  run();
  const int64_t blocks = scores_.shape().back(), kept = ids_.shape().back(), rows = scores_.view().count() / blocks;
  const Random random(1, "rows of top-k");
  for (int64_t i = 0; i < std::min(kRows, rows); ++i) {
    const int64_t row =
        i == 0 ? rows - 1 : static_cast<int64_t>(random.below(static_cast<uint64_t>(i), static_cast<uint64_t>(rows)));
    const auto* scores = reinterpret_cast<const float*>(scores_.view().data) + row * blocks;
    const auto* values = reinterpret_cast<const float*>(values_.view().data) + row * kept;
    const int64_t* ids = ids_.i64() + row * kept;
    if (!are_largest({scores, scores + blocks}, {values, values + kept}, {ids, ids + kept}))
      return fmt::format("torch::topk does not return the largest scores in row {}", row);
  }
  return std::nullopt;
}

bool are_largest(const std::vector<float>& row, const std::vector<float>& values, const std::vector<int64_t>& ids) {
  if (values.size() != ids.size() || std::set<int64_t>(ids.begin(), ids.end()).size() != ids.size()) return false;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= static_cast<int64_t>(row.size()) || row[static_cast<size_t>(ids[i])] != values[i])
      return false;
  }
  std::vector<float> all = row, kept = values;
  std::sort(all.begin(), all.end(), std::greater<>());
  std::sort(kept.begin(), kept.end(), std::greater<>());
  return std::equal(kept.begin(), kept.end(), all.begin());
}

std::vector<TopKRow> run_top_k(uint64_t seed, int rounds) {
  std::vector<TopKRow> rows;
  for (const int64_t blocks : {int64_t{128}, int64_t{512}}) {
    for (const int64_t queries : {int64_t{1024}, int64_t{1}}) rows.push_back(timed(blocks, queries, seed, rounds));
  }
  return rows;
}

nlohmann::ordered_json top_k_json(const std::vector<TopKRow>& rows, uint64_t seed) {
  nlohmann::ordered_json document{{"seed", seed}, {"rows", nlohmann::ordered_json::array()}};
  for (const TopKRow& row : rows)
    document["rows"].push_back({{"blocks", row.blocks},
                                {"queries", row.queries},
                                {"own", row.own},
                                {"torch_topk", row.bare},
                                {"torch_chain", row.chain},
                                {"why", row.why}});
  return document;
}

std::string top_k_markdown(const std::vector<TopKRow>& rows, uint64_t seed) {
  std::string text = fmt::format(
      "# Top-k of 16 key blocks\n"
      "\n"
      "Written by `parity bench --table top-k --seed {}`: 4 index heads, f32 scores, {}. `torch::topk` is the bare "
      "call, unsorted, into buffers that are kept; ours forces the query's own block in, orders by score and ends "
      "lists with -1, too, as the chain of LibTorch's operations does. Medians of rounds taken in turns, ± half the "
      "quartiles' distance.\n"
      "\n",
      seed, torch_backend::description());
  reports::Table table({"blocks", "queries", "own", "torch::topk", "LibTorch's chain", "topk / own", "chain / own"}, 0);
  const auto time = [](const std::vector<double>& samples) {
    return fmt::format("{:.4g} us ±{:.0f}%", 1e6 * median(samples), 100.0 * spread(samples));
  };
  for (const TopKRow& row : rows) {
    const std::string blocks = std::to_string(row.blocks), queries = std::to_string(row.queries);
    if (row.own.empty()) {
      table.add({blocks, queries, row.why, "-", "-", "-", "-"});
      continue;
    }
    table.add({blocks, queries, time(row.own), time(row.bare), time(row.chain),
               fmt::format("{:.1f}x", median(row.bare) / median(row.own)),
               fmt::format("{:.1f}x", median(row.chain) / median(row.own))});
  }
  for (const std::string& line : table.markdown()) text += line;
  return text;
}

}  // namespace parity::benches
