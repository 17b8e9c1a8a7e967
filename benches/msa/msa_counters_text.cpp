// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The counted table for the terminal, and as a document.
#include <nlohmann/json.hpp>

#include "benches/msa/msa_counters.hpp"
#include "optimized/ptx/bound/bound.hpp"
#include "reports/text/table.hpp"

namespace parity::benches {
namespace {

constexpr double kGiga = 1e9;

std::string times(const std::optional<double>& ratio) { return ratio ? fmt::format("{:.3f}", *ratio) : "-"; }
std::string part(const std::optional<double>& share) { return share ? fmt::format("{:.1f}%", 100 * *share) : "-"; }

/// What is busiest in the launch that takes longest by the model.
std::string busiest(const CountedCase& counted, const ptx::Gpu& gpu) {
  ptx::Bound::Term most;
  for (const auto& launch : counted.launches) {
    const ptx::Bound::Term term = ptx::bound_of(launch.counters, gpu).largest();
    if (term.seconds >= most.seconds) most = term;
  }
  return to_string(most.resource);
}

std::string blocks_text(const CountedCase& counted) {
  std::string text;
  for (const auto& launch : counted.launches) {
    const ptx::Counters& counters = launch.counters;
    text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", counters.blocks_run(), counters.blocks);
  }
  return text;
}

std::string kernels_text(const CountedTable& table) {
  reports::Table cells({"context", "kernel", "tensor x ideal", "DRAM x ideal", "L2 GB", "conflicts", "coalesced",
                        "bound by", "blocks run"},
                       2);
  for (const CountedRow& row : table.rows) {
    for (const CountedCase& kernel : row.kernels) {
      const OverIdeal over = over_ideal(kernel);
      cells.add({context_label(row.shape.slots), kernel.name, times(over.tensor), times(over.dram),
                 fmt::format("{:.3g}", l2_bytes(kernel) / kGiga), part(over.conflicts), part(over.coalesced),
                 busiest(kernel, *table.options.gpu), blocks_text(kernel)});
    }
  }
  return cells.text("  ");
}

std::string rows_text(const CountedTable& table) {
  const CountedTableOptions& options = table.options;
  reports::Table cells({"context", "queries of a tile", "union", "union / 16", "L2 bytes: one-query / sparse kernel",
                        "dense / MSA", "ideal", "of ideal"},
                       1);
  for (const CountedRow& row : table.rows) {
    const double ratio = bound_ratio(row, *options.gpu), ideal = ideal_bound_ratio(row, *options.gpu, options.type);
    cells.add({context_label(row.shape.slots), std::to_string(row.tile_tokens), fmt::format("{:.1f}", row.union_blocks),
               fmt::format("{:.2f}", row.union_blocks / static_cast<double>(kTopK)),
               fmt::format("{:.2f}x", l2_bytes(row.of(kOneQuery)) / l2_bytes(row.of("sparse"))),
               fmt::format("{:.2f}x", ratio), fmt::format("{:.2f}x", ideal),
               fmt::format("{:.0f}%", 100 * ratio / ideal)});
  }
  return cells.text("  ");
}

}  // namespace

std::string counted_table_text(const CountedTable& table) {
  const CountedTableOptions& options = table.options;
  std::string text =
      fmt::format("prefill, {} query, {} key, {} index heads, width 128, {}; {} selection, seed {}; {}\n",
                  options.heads.query, options.heads.key, options.heads.index, to_string(options.type),
                  to_string(options.selection), options.seed, options.gpu->name);
  text += kernels_text(table) + "\n" + rows_text(table);
  text +=
      "  bound by, dense / MSA: bounds by the model, no times. MSA is index, select and sparse. The ideal index skips\n"
      "  queries that select all blocks. Blocks run: one of each of as many parts of the launch; counts are scaled,\n"
      "  bytes of DRAM are those of the whole launch in closed form.\n";
  for (const std::string& what : table.left_out) text += "  left out: " + what + "\n";
  return text;
}

nlohmann::ordered_json counted_table_json(const CountedTable& table) {
  const CountedTableOptions& options = table.options;
  std::vector<CountedCase> cases;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const CountedRow& row : table.rows) {
    for (CountedCase kernel : row.kernels) {
      kernel.name =
          fmt::format("sdpa-msa/{}/{}/{}/{}", row.shape.slots, kernel.name, to_string(options.type), kCountedBackend);
      cases.push_back(std::move(kernel));
    }
    rows.push_back({{"context", row.shape.slots},
                    {"tile_tokens", row.tile_tokens},
                    {"union", row.union_blocks},
                    {"overlap", row.overlap},
                    {"dense_over_msa", bound_ratio(row, *options.gpu)},
                    {"ideal", ideal_bound_ratio(row, *options.gpu, options.type)}});
  }
  CounterOptions counted;
  counted.seed = options.seed;
  counted.sample = options.sample;
  counted.gpu = options.gpu;
  nlohmann::ordered_json document = to_json(cases, counted);
  document["selection"] = to_string(options.selection);
  document["rows"] = std::move(rows);
  return document;
}

}  // namespace parity::benches
