// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The table as JSON: every sample, and what the Markdown reads off them.
#include <nlohmann/json.hpp>

#include "benches/msa_table.hpp"
#include "core/environment.hpp"
#include "optimized/cpu/level.hpp"
#include "optimized/torch/torch.hpp"
#include "reports/format.hpp"

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

Json json_of(const Peaks& peaks) {
  return {{"f32", peaks.f32},
          {"bf16", peaks.bf16},
          {"read", peaks.read},
          {"copy", peaks.copy},
          {"f32_loop", peaks.f32_loop},
          {"bf16_loop", peaks.bf16_loop},
          {"f32_product", peaks.f32_product},
          {"bf16_product", peaks.bf16_product}};
}

Json json_of(const TableRow& row, const MsaTable& table) {
  const DType type = table.options.type;
  const double msa = row.seconds("msa");
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
            {"sdpa_over_msa", json_number(row.seconds("sdpa") / msa)},
            {"mask_over_msa", json_number(row.seconds("mask") / msa)},
            {"dense_over_msa", json_number(row.seconds("dense") / msa)},
            {"ideal", json_number(ideal_ratio(row, table.peaks, type))},
            {"share_of_ideal", json_number(share_of_ideal(row, table.peaks, type))},
            {"layer_ratio", json_number(layer_ratio(row, table))},
            {"published", json_number(published_ratio(row.phase, row.shape.slots))},
            {"overlaps", row.overlaps}};
  for (const auto& [column, cell] : row.cells)
    json["columns"][column] = {{"seconds", cell.samples}, {"cold_seconds", cell.cold}, {"why", cell.why}};
  return json;
}

}  // namespace

std::string table_json(const MsaTable& table) {
  const TableOptions& options = table.options;
  Json document{{"schema_version", "2.0"},
                {"table", "sdpa-msa"},
                {"command", command_of(options)},
                {"cpu", capture_environment().cpu},
                {"level", cpu::to_string(cpu::level())},
                {"libtorch", torch_backend::description()},
                {"type", to_string(options.type)},
                {"selection", to_string(options.selection)},
                {"seed", options.seed},
                {"peaks", json_of(table.peaks)},
                {"layer_rates", {{"own", json_of(table.own)}, {"torch", json_of(table.torch)}}},
                {"rows", Json::array()},
                {"left_out", table.left_out}};
  for (const TableRow& row : table.rows) document["rows"].push_back(json_of(row, table));
  return document.dump(2) + "\n";
}

}  // namespace parity::benches
