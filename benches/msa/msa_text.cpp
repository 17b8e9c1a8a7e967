// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The table as Markdown.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/ranges.h>

#include "benches/msa/msa_table.hpp"
#include "benches/statistics.hpp"
#include "core/environment.hpp"
#include "optimized/backends.hpp"
#include "optimized/torch/torch.hpp"
#include "reports/text/table.hpp"

namespace parity::benches {
namespace {

constexpr const char* kDoubt = " ~";
constexpr const char* kBusyText = "machine busy, not measured";

std::string spread_text(double spread, bool doubtful) {
  return fmt::format("±{:.0f}%{}", 100.0 * spread, doubtful ? kDoubt : "");
}

std::string time_cell(const TableRow& row, const std::string& column, Caches caches) {
  const auto found = row.cells.find(column);
  if (found == row.cells.end()) return "-";
  const Cell& cell = found->second;
  if (!cell.timed()) return cell.why;
  const std::vector<double>& samples = caches == Caches::cold ? cell.cold : cell.samples;
  if (samples.empty()) return "-";
  if (is_busy(samples)) return kBusyText;
  const std::string note = cell.why.empty() ? "" : ", " + cell.why;
  return fmt::format("{:.3g} ms {}{}", 1e3 * median(samples), spread_text(spread(samples), is_doubtful(samples)), note);
}

std::string ratio(const Ratio& ratio) {
  if (ratio.rounds.empty()) return "-";
  if (ratio.busy()) return kBusyText;
  return fmt::format("{:.2f}x {}", ratio.value(), spread_text(ratio.spread(), ratio.doubtful()));
}
std::string percent(const Ratio& ratio) {
  if (ratio.rounds.empty() || ratio.busy()) return "-";
  return fmt::format("{:.0f}%{}", 100.0 * ratio.value(), ratio.doubtful() ? kDoubt : "");
}
std::string ratio(double x) { return std::isfinite(x) ? fmt::format("{:.2f}x", x) : "-"; }
std::string context_of(const TableRow& row) { return context_label(row.shape.slots); }

std::string rendered(const reports::Table& table) {
  std::string text;
  for (const std::string& line : table.markdown()) text += line;
  return text + "\n";
}

constexpr std::array kTimes{"sdpa", "mask", "dense", "naive", "msa", "index", "select", "sparse"};
const std::vector<std::string> kTitles{"context", "SDPA (B1)", "mask SDPA (B0)", "own dense (B2)", "naive MSA (B3)",
                                       "MSA",     "index",     "top-k",          "sparse",         "B1/MSA",
                                       "B0/MSA",  "B2/MSA",    "B1/B2"};

/// Returns the times and the ratios to MSA; ideal, layer and published ratio only for the times that count in a model.
std::string times_table(const MsaTable& table, const Section& section, Caches caches) {
  const bool counts = section.rows.front()->caches() == caches;
  std::vector<std::string> titles = kTitles;
  if (counts) titles.insert(titles.end(), {"ideal", "of ideal", "layer B1/MSA", "published"});
  reports::Table times(titles, 1);
  for (const TableRow* row : section.rows) {
    std::vector<std::string> cells{context_of(*row)};
    for (const char* column : kTimes) cells.push_back(time_cell(*row, column, caches));
    for (const char* column : {"sdpa", "mask", "dense"})
      cells.push_back(ratio(ratio_of(*row, {{column}}, {{"msa"}}, caches)));
    cells.push_back(ratio(ratio_of(*row, {{"sdpa"}}, {{"dense"}}, caches)));
    if (counts) {
      const DType type = table.options.type;
      cells.insert(cells.end(), {ratio(ideal_ratio(*row, table.peaks, type)),
                                 percent(share_of_ideal(*row, table.peaks, type)), ratio(layer_ratio(*row, table)),
                                 row->is_shard() ? ratio(published_ratio(row->phase, row->shape.slots)) : "-"});
    }
    times.add(std::move(cells));
  }
  return rendered(times);
}

/// The columns whose marked shares a note explains, by note.
using Notes = std::map<std::string, std::vector<std::string>>;

std::string share_cell(const TableRow& row, const MsaTable& table, const std::string& column, Notes& notes) {
  const auto share = share_of_column(row, table, column);
  if (!share) return "-";
  if (share->beyond()) notes[share->note()].push_back(fmt::format("{} {}", context_of(row), column));
  return share->text();
}

std::string shares_table(const MsaTable& table, const Section& section) {
  reports::Table shares({"context", "SDPA", "own dense", "index", "sparse", "sparse, sticky", "sparse, random",
                         "of ideal by parts, model/sticky/random", "overlap model/sticky/random", "torch::topk",
                         "topk / own", "mask building", "of B0", "concatenation"},
                        1);
  Notes notes;
  for (const TableRow* each : section.rows) {
    const TableRow& row = *each;
    const auto overlap = [&](const char* name) {
      const bool chosen = row.selects() && row.phase == Phase::prefill && row.overlaps.contains(name);
      return chosen ? fmt::format("{:.2f}", row.overlaps.at(name)) : "-";
    };
    const auto other = [&](const char* name) {
      const bool main = table.options.selection == parse_selection(name);
      return time_cell(row, main ? std::string("sparse") : std::string("sparse ") + name, row.caches());
    };
    const auto warm = [&](const char* over, const char* under) {
      return ratio_of(row, {{over}}, {{under}}, Caches::warm);
    };
    const auto by_parts = [&](Selection selection) { return percent(share_of_ideal_with(selection, row, table)); };
    const auto share = [&](const char* column) { return share_cell(row, table, column, notes); };
    shares.add(
        {context_of(row), share("sdpa"), share("dense"), share("index"), share("sparse"), other("sticky"),
         other("random"),
         fmt::format("{}/{}/{}", by_parts(Selection::model), by_parts(Selection::sticky), by_parts(Selection::random)),
         fmt::format("{}/{}/{}", overlap("model"), overlap("sticky"), overlap("random")),
         time_cell(row, "topk", Caches::warm), ratio(warm("topk", "select")),
         time_cell(row, "mask building", Caches::warm), percent(warm("mask building", "mask")),
         time_cell(row, "concatenation", Caches::warm)});
  }
  std::string text = rendered(shares);
  for (const auto& [note, of] : notes) text += fmt::format("! {}: {}.\n\n", fmt::join(of, ", "), note);
  return text;
}

std::string setting_of(const char* name) {
  const char* value = std::getenv(name);
  return fmt::format("{} {}", name, value == nullptr ? "not set" : value);
}

std::string counted(int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string rates_of(const LayerRates& rates) {
  if (!rates.wrong.empty()) return "wrong: " + rates.wrong;
  if (rates.product_flops <= 0.0) return "no kernels";
  return fmt::format("projections {:.0f} GFLOP/s and {:.1f} GB/s, experts {:.0f} GFLOP/s and {:.1f} GB/s",
                     rates.product_flops * 1e-9, rates.product_bytes * 1e-9, rates.expert_flops * 1e-9,
                     rates.expert_bytes * 1e-9);
}

std::string head(const MsaTable& table) {
  const TableOptions& options = table.options;
  const Peaks& peaks = table.peaks;
  const Environment environment = capture_environment();
  std::string text = "# SDPA against MiniMax Sparse Attention\n\n";
  for (const std::string& line : headlines(table)) text += fmt::format("**{}**\n\n", line);
  text += fmt::format("Written by `{}`.\n\n", command_of(options));
  text += fmt::format("- Machine: {}, {} threads; parity {} ({}).\n", environment.cpu, environment.threads,
                      environment.version, environment.build_type);
  const bool on_host = own_of(options).place(0).is_host_memory();
  text += fmt::format("- Kernels: {}, own ones at {}", to_string(options.type), own_of(options).version());
  text += on_host ? fmt::format("; {}; {}, {}.\n", torch_backend::description(), setting_of("ONEDNN_MAX_CPU_ISA"),
                                setting_of("MKL_ENABLE_INSTRUCTIONS"))
                  : ".\n";
  if (peaks.read > 0)
    text += fmt::format(
        "- Peaks of this run, GFLOP/s: f32 loop {:.0f}, bf16 product loop {:.0f}, LibTorch's products f32 {:.0f}, bf16 "
        "{:.0f}; GB/s: read {:.1f}, copy {:.1f}.\n",
        peaks.f32_loop * 1e-9, peaks.bf16_loop * 1e-9, peaks.f32_product * 1e-9, peaks.bf16_product * 1e-9,
        peaks.read * 1e-9, peaks.copy * 1e-9);
  if (on_host)
    text += fmt::format("- The rest of a layer, measured rates, scaled: own {}; LibTorch {}.\n", rates_of(table.own),
                        rates_of(table.torch));
  return text + fmt::format(
                    "- Seed {}; medians of {} rounds taken in turns (A-B-B-A), ± half the quartiles' distance; ratios "
                    "are medians of the rounds' "
                    "ratios. MSA is index, top-k and sparse attention timed as one call, with the `{}` selection.\n\n",
                    options.seed, options.rounds, to_string(options.selection));
}

}  // namespace

std::vector<Section> sections_of(const MsaTable& table) {
  std::vector<Section> sections;
  for (const Phase phase : {Phase::decode, Phase::prefill}) {
    for (const int64_t batch : table.options.batches) {
      Section section{fmt::format("{}, batch {}", to_string(phase), batch), {}};
      for (const TableRow& row : table.rows) {
        if (row.phase == phase && row.shape.batch == batch) section.rows.push_back(&row);
      }
      if (!section.rows.empty()) sections.push_back(std::move(section));
    }
  }
  return sections;
}

std::string table_markdown(const MsaTable& table) {
  std::string text = head(table);
  for (const Section& section : sections_of(table)) {
    const AttentionShape& shape = section.rows.front()->shape;
    const bool cold = section.rows.front()->caches() == Caches::cold;
    std::string title = section.title;
    title[0] = static_cast<char>(std::toupper(title[0]));
    text += fmt::format("## {} ({}, {}, {}, width {})\n\n", title, counted(shape.heads, "query head"),
                        counted(shape.key_heads, "key head"), counted(shape.index_heads, "index head"), shape.width);
    if (cold)
      text +=
          "Cold: every operand is flushed from the caches before each call, as other layers would evict it.\n"
          "\n";
    text += times_table(table, section, cold ? Caches::cold : Caches::warm);
    if (cold)
      text += "Warm: operands are in the caches where the previous call left them.\n\n" +
              times_table(table, section, Caches::warm);
    text +=
        "Shares of the limiting peak (products or bytes), other selections, LibTorch's top-k alone, and what a "
        "framework does around attention:\n"
        "\n" +
        shares_table(table, section);
  }
  for (const std::string& row : table.left_out) text += fmt::format("Left out: {}\n", row);
  if (text.find(std::string("%") + kDoubt) != std::string::npos)
    text += fmt::format("\n`~`: a spread above {:.0f}%; not reliable.\n", 100.0 * kDoubtful);
  return text +
         "\nB1/B2 is own dense attention against LibTorch's. B1/MSA is what a user of LibTorch gains; B2/MSA is the "
         "part "
         "of it that the algorithm gives, and `ideal` is the largest possible B2/MSA. By parts it is dense attention "
         "over "
         "index, top-k and that selection's sparse part, each timed apart. `layer` adds the layer's products, without "
         "router and norms: the work of either side over the rates that it reached in this run. `published` is the "
         "published ratio of the whole model on other hardware, its framework included. `torch::topk` is the bare "
         "unsorted "
         "call; own top-k forces the query's own block in and orders by score, too. `no time left`: judging by the row "
         "before, the column would have exceeded --seconds.\n";
}

}  // namespace parity::benches
