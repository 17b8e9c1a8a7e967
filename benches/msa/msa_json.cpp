// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The table as JSON: every sample, and the figures that the Markdown derives from them.
#include <cstdlib>

#include <nlohmann/json.hpp>

#include "benches/msa/msa_table.hpp"
#include "optimized/backends.hpp"
#include "optimized/torch/torch.hpp"
#include "reports/text/format.hpp"

namespace parity::benches {
namespace {

using Json = nlohmann::ordered_json;
using reports::json_number;

Json json_of(const Work& work) { return {{"flops", work.flops}, {"read", work.read}, {"written", work.written}}; }

Json json_of(const LayerRates& rates) {
  return {{"product_flops", rates.product_flops},
          {"product_bytes", rates.product_bytes},
          {"expert_flops", rates.expert_flops},
          {"expert_bytes", rates.expert_bytes},
          {"wrong", rates.wrong}};
}

Json json_of(const std::optional<Share>& share) {
  if (!share) return nullptr;
  return {{"bound", to_string(share->bound)},
          {"of_peak", json_number(share->of_peak)},
          {"of_loop", json_number(share->of_loop)},
          {"beyond", share->beyond()},
          {"note", share->note()}};
}

Json variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? Json() : Json(value);
}

std::vector<std::pair<std::string, Ratio>> ratios_of(const TableRow& row, const MsaTable& table) {
  std::vector<std::pair<std::string, Ratio>> ratios{
      {"sdpa_over_msa", ratio_of(row, {{"sdpa"}}, {{"msa"}})},
      {"mask_over_msa", ratio_of(row, {{"mask"}}, {{"msa"}})},
      {"dense_over_msa", ratio_of(row, {{"dense"}}, {{"msa"}})},
      {"sdpa_over_dense", ratio_of(row, {{"sdpa"}}, {{"dense"}})},
      {"topk_over_select", ratio_of(row, {{"topk"}}, {{"select"}}, Caches::warm)},
      {"share_of_ideal", share_of_ideal(row, table.peaks, table.options.type)},
      {"layer_ratio", layer_ratio(row, table)}};
  for (const Selection selection : {Selection::model, Selection::sticky, Selection::random})
    ratios.emplace_back(std::string("share_of_ideal_by_parts_") + to_string(selection),
                        share_of_ideal_with(selection, row, table));
  return ratios;
}

Json json_of(const TableRow& row, const MsaTable& table) {
  const DType type = table.options.type;
  Json json{{"phase", to_string(row.phase)},
            {"context", row.shape.slots},
            {"batch", row.shape.batch},
            {"heads", row.shape.heads},
            {"key_heads", row.shape.key_heads},
            {"index_heads", row.shape.index_heads},
            {"calls_per_sample", row.calls},
            {"dense", json_of(row.dense)},
            {"sparse", json_of(row.sparse)},
            {"index", json_of(row.index)},
            {"caches", row.caches() == Caches::cold ? "cold" : "warm"},
            {"ideal", json_number(ideal_ratio(row, table.peaks, type))},
            {"published", row.is_shard() ? Json(json_number(published_ratio(row.phase, row.shape.slots))) : Json()},
            {"overlaps", row.overlaps}};
  for (const auto& [name, ratio] : ratios_of(row, table)) {
    json[name] = json_number(ratio.value());
    json["spreads"][name] = json_number(ratio.spread());
    json["doubtful"][name] = ratio.doubtful();
  }
  for (const auto& [column, cell] : row.cells) {
    Json& of = json["columns"][column];
    of["seconds"] = cell.samples;
    of["cold_seconds"] = cell.cold;
    of["doubtful"] = is_doubtful(cell.samples);
    of["cold_doubtful"] = is_doubtful(cell.cold);
    of["why"] = cell.why;
    const bool has_work =
        column == "sdpa" || column == "mask" || column == "dense" || column == "index" || column.starts_with("sparse");
    if (has_work) of["share"] = json_of(share_of_column(row, table, column));
  }
  return json;
}

}  // namespace

Json table_json(const MsaTable& table) {
  const TableOptions& options = table.options;
  Json document{{"table", "sdpa-msa"},
                {"headlines", headlines(table)},
                {"level", own_of(table.options).version()},
                {"libtorch", torch_backend::description()},
                {"onednn_max_cpu_isa", variable("ONEDNN_MAX_CPU_ISA")},
                {"mkl_enable_instructions", variable("MKL_ENABLE_INSTRUCTIONS")},
                {"type", to_string(options.type)},
                {"selection", to_string(options.selection)},
                {"seed", options.seed},
                {"rounds", options.rounds},
                {"peaks", json_of(table.peaks)},
                {"layer_rates", {{"own", json_of(table.own)}, {"torch", json_of(table.torch)}}},
                {"rows", Json::array()},
                {"left_out", table.left_out}};
  for (const TableRow& row : table.rows) document["rows"].push_back(json_of(row, table));
  return document;
}

}  // namespace parity::benches
