// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The table as Markdown, JSON and a drawing.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <nlohmann/json.hpp>

#include "benches/msa_table.hpp"
#include "benches/statistics.hpp"
#include "core/environment.hpp"
#include "optimized/cpu/level.hpp"
#include "reports/format.hpp"
#include "reports/table.hpp"

namespace parity::benches {
namespace {

using Json = nlohmann::ordered_json;

std::string time_cell(const TableRow& row, const std::string& column) {
  const auto found = row.cells.find(column);
  if (found == row.cells.end()) return "-";
  const Cell& cell = found->second;
  if (!cell.timed()) return cell.why;
  const std::string note = cell.why.empty() ? "" : ", " + cell.why;
  return fmt::format("{:.3g} ms ±{:.0f}%{}", 1e3 * cell.seconds(), 100.0 * spread(cell.samples), note);
}

std::string ratio(double x) { return std::isfinite(x) ? fmt::format("{:.2f}x", x) : "-"; }
std::string percent(double x) { return std::isfinite(x) ? fmt::format("{:.0f}%", 100.0 * x) : "-"; }

double share_of_ideal(const TableRow& row, const MsaTable& table) {
  return row.seconds("dense") / row.msa() / ideal_ratio(row, table.peaks, table.options.type);
}

double layer_ratio(const TableRow& row, const MsaTable& table, const std::string& column) {
  const double rest = rest_of_layer(row, table.peaks, table.options.type);
  return (rest + row.seconds(column)) / (rest + row.msa());
}

/// Of the peak that binds: products or bytes.
double share_of_peak(const TableRow& row, const MsaTable& table, const std::string& column, const Work& work) {
  const bool cached = is_cached(table.peaks, work, false);
  return ideal_seconds(table.peaks, table.options.type, work, cached) / row.seconds(column);
}

std::string context_of(const TableRow& row) {
  return fmt::format("{}K{}", row.shape.slots / 1024, row.shape.batch > 1 ? fmt::format(" x{}", row.shape.batch) : "");
}

void add_table(std::string& text, const reports::Table& table) {
  for (const std::string& line : table.markdown()) text += line;
  text += "\n";
}

void add_phase(std::string& text, const MsaTable& table, Phase phase) {
  reports::Table times(
      {"context", "SDPA (B1)", "mask SDPA (B0)", "own dense (B2)", "naive MSA (B3)", "MSA", "index", "top-k", "sparse",
       "B1/MSA", "B0/MSA", "B2/MSA", "ideal", "of ideal", "layer B1/MSA", "published"},
      1);
  reports::Table shares({"context", "SDPA", "own dense", "index", "sparse", "sparse, sticky", "sparse, random",
                         "overlap model/sticky/random", "mask building", "of B0", "concatenation"},
                        1);
  for (const TableRow& row : table.rows) {
    if (row.phase != phase) continue;
    const double msa = row.msa();
    times.add({context_of(row), time_cell(row, "sdpa"), time_cell(row, "mask"), time_cell(row, "dense"),
               time_cell(row, "naive"), std::isfinite(msa) ? fmt::format("{:.3g} ms", 1e3 * msa) : "-",
               time_cell(row, "index"), time_cell(row, "select"), time_cell(row, "sparse"),
               ratio(row.seconds("sdpa") / msa), ratio(row.seconds("mask") / msa), ratio(row.seconds("dense") / msa),
               ratio(ideal_ratio(row, table.peaks, table.options.type)), percent(share_of_ideal(row, table)),
               ratio(layer_ratio(row, table, "sdpa")), ratio(published_ratio(phase, row.shape.slots))});
    const auto overlap = [&](const char* name) {
      return row.overlaps.contains(name) && phase == Phase::prefill ? fmt::format("{:.2f}", row.overlaps.at(name))
                                                                    : "-";
    };
    const auto share = [&](const char* column, const Work& work) {
      return percent(share_of_peak(row, table, column, work));
    };
    // The level in use may lack the machine's best products: beside the share of those stands that of its own loop.
    const auto own = [&](const char* column, const Work& work) {
      const bool bf16 = table.options.type == DType::bf16;
      const double loop = bf16 ? std::max(table.peaks.bf16_loop, table.peaks.f32_loop) : table.peaks.f32_loop;
      const double rate = work.flops / row.seconds(column);
      return share(column, work) +
             (std::isfinite(rate) ? fmt::format(" ({:.0f}% of the loop)", 100.0 * rate / loop) : "");
    };
    shares.add({context_of(row), share("sdpa", row.dense), own("dense", row.dense), own("index", row.index),
                own("sparse", row.sparse), time_cell(row, "sparse sticky"), time_cell(row, "sparse random"),
                fmt::format("{}/{}/{}", overlap("model"), overlap("sticky"), overlap("random")),
                time_cell(row, "mask building"), percent(row.seconds("mask building") / row.seconds("mask")),
                time_cell(row, "concatenation")});
  }
  if (times.empty()) return;
  text += phase == Phase::prefill ? "## Prefill (16 query heads, 1 key head, 1 index head, width 128)\n\n"
                                  : "## Decode (64 query heads, 4 key heads, 4 index heads, width 128)\n\n";
  add_table(text, times);
  text +=
      "Shares of the peak that binds (products or bytes), other selections, and what a framework does around "
      "attention:\n\n";
  add_table(text, shares);
}

}  // namespace

std::string table_markdown(const MsaTable& table) {
  const TableOptions& options = table.options;
  const Environment environment = capture_environment();
  const char* allowed = std::getenv("ONEDNN_MAX_CPU_ISA");
  std::string text = "# SDPA against MiniMax Sparse Attention\n\n";
  text += fmt::format(
      "{}, {} threads, {}, CPU kernels at {}. Peaks of this run, GFLOP/s: f32 loop {:.0f}, bf16 product loop {:.0f}, "
      "LibTorch's products f32 {:.0f}, bf16 {:.0f} (ONEDNN_MAX_CPU_ISA {}); GB/s: read {:.1f}, copy {:.1f}. Medians "
      "of {} "
      "rounds taken in turns (A-B-B-A), ± half the quartiles' distance. MSA is timed with the `{}` selection.\n\n",
      environment.cpu, environment.threads, to_string(options.type), cpu::to_string(cpu::level()),
      table.peaks.f32_loop * 1e-9, table.peaks.bf16_loop * 1e-9, table.peaks.f32_product * 1e-9,
      table.peaks.bf16_product * 1e-9, allowed == nullptr ? "not set" : allowed, table.peaks.read * 1e-9,
      table.peaks.copy * 1e-9, options.rounds, to_string(options.selection));
  for (const Phase phase : {Phase::decode, Phase::prefill}) add_phase(text, table, phase);
  for (const std::string& row : table.left_out) text += fmt::format("Left out: {}\n", row);
  text +=
      "\nB1/MSA is what a user of LibTorch gains; B2/MSA is the algorithm's part of it, and `ideal` what B2/MSA can be "
      "at "
      "most. `layer` adds the rest of the layer at this run's peaks (modelled, not timed). `published` is the "
      "published "
      "whole "
      "model on other hardware, its framework included.\n";
  return text;
}

std::string table_json(const MsaTable& table) {
  const auto& options = table.options;
  Json document{{"schema_version", "1.0"},
                {"table", "sdpa-msa"},
                {"cpu", capture_environment().cpu},
                {"type", to_string(options.type)},
                {"selection", to_string(options.selection)},
                {"seed", options.seed},
                {"peaks",
                 {{"f32", table.peaks.f32},
                  {"bf16", table.peaks.bf16},
                  {"read", table.peaks.read},
                  {"copy", table.peaks.copy},
                  {"f32_loop", table.peaks.f32_loop},
                  {"bf16_loop", table.peaks.bf16_loop},
                  {"f32_product", table.peaks.f32_product},
                  {"bf16_product", table.peaks.bf16_product}}},
                {"rows", Json::array()},
                {"left_out", table.left_out}};
  for (const TableRow& row : table.rows) {
    Json json{{"phase", to_string(row.phase)},
              {"context", row.shape.slots},
              {"batch", row.shape.batch},
              {"heads", row.shape.heads},
              {"key_heads", row.shape.key_heads},
              {"index_heads", row.shape.index_heads},
              {"dense_flops", row.dense.flops},
              {"sparse_flops", row.sparse.flops},
              {"index_flops", row.index.flops},
              {"dense_bytes", row.dense.bytes()},
              {"sparse_bytes", row.sparse.bytes()},
              {"index_bytes", row.index.bytes()},
              {"msa", reports::json_number(row.msa())}};
    json["ideal"] = ideal_ratio(row, table.peaks, options.type);
    json["sdpa_over_msa"] = reports::json_number(row.seconds("sdpa") / row.msa());
    json["dense_over_msa"] = reports::json_number(row.seconds("dense") / row.msa());
    json["share_of_ideal"] = reports::json_number(share_of_ideal(row, table));
    json["layer_ratio"] = reports::json_number(layer_ratio(row, table, "sdpa"));
    json["published"] = reports::json_number(published_ratio(row.phase, row.shape.slots));
    json["overlaps"] = row.overlaps;
    for (const auto& [column, cell] : row.cells)
      json["columns"][column] = {{"seconds", cell.samples}, {"why", cell.why}};
    document["rows"].push_back(std::move(json));
  }
  return document.dump(2) + "\n";
}

namespace {

/// One panel: both axes logarithmic, contexts doubling.
class Panel {
 public:
  Panel(double left, double top, std::vector<const TableRow*> rows, double most)
      : left_(left), top_(top), rows_(std::move(rows)), most_(std::max(most, 2.0)) {}

  [[nodiscard]] std::string frame(const std::string& title) const {
    std::string svg = fmt::format(
        "<rect x='{:.0f}' y='{:.0f}' width='{:.0f}' height='{:.0f}' fill='none' stroke='#999'/>"
        "<text x='{:.0f}' y='{:.0f}' font-weight='bold'>{}</text>\n",
        left_, top_, kWidth, kHeight, left_, top_ - 8.0, title);
    for (size_t i = 0; i < rows_.size(); ++i)
      svg += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{}K</text>\n", x(i), top_ + kHeight + 16.0,
                         rows_[i]->shape.slots / 1024);
    for (double tick = 1.0; tick <= most_; tick *= 2.0)
      svg += fmt::format(
          "<text x='{:.1f}' y='{:.1f}' text-anchor='end'>{:g}x</text><line x1='{:.1f}' x2='{:.1f}' "
          "y1='{:.1f}' y2='{:.1f}' stroke='#ddd'/>\n",
          left_ - 4.0, y(tick) + 4.0, tick, left_, left_ + kWidth, y(tick), y(tick));
    return svg;
  }

  [[nodiscard]] std::string curve(const std::function<double(const TableRow&)>& value, const char* colour,
                                  const char* dashes) const {
    std::string points;
    for (size_t i = 0; i < rows_.size(); ++i) {
      const double v = value(*rows_[i]);
      if (std::isfinite(v) && v > 0.0) points += fmt::format("{:.1f},{:.1f} ", x(i), y(v));
    }
    if (points.empty()) return {};
    return fmt::format("<polyline points='{}' fill='none' stroke='{}' stroke-width='2' stroke-dasharray='{}'/>\n",
                       points, colour, dashes);
  }

  static constexpr double kWidth = 340.0, kHeight = 240.0;

 private:
  [[nodiscard]] double x(size_t i) const {
    return left_ + kWidth * (static_cast<double>(i) + 0.5) / static_cast<double>(rows_.size());
  }
  [[nodiscard]] double y(double v) const {
    const double span = std::log2(most_) + 1.0;  // from 0.5
    return top_ + kHeight * (1.0 - (std::clamp(std::log2(v), -1.0, std::log2(most_)) + 1.0) / span);
  }

  double left_, top_;
  std::vector<const TableRow*> rows_;
  double most_;
};

}  // namespace

std::string table_svg(const MsaTable& table) {
  const auto against = [](const char* column) {
    return [column](const TableRow& row) { return row.seconds(column) / row.msa(); };
  };
  const auto ideal = [&](const TableRow& row) { return ideal_ratio(row, table.peaks, table.options.type); };
  std::string svg =
      "<svg xmlns='http://www.w3.org/2000/svg' width='860' height='360' font-family='sans-serif' font-size='12'>\n"
      "<rect width='100%' height='100%' fill='white'/>\n";
  double left = 50.0;
  for (const Phase phase : {Phase::decode, Phase::prefill}) {
    std::vector<const TableRow*> rows;
    double most = 2.0;
    for (const TableRow& row : table.rows) {
      if (row.phase != phase || row.shape.batch != table.options.batches.front()) continue;
      rows.push_back(&row);
      for (const double v : {row.seconds("sdpa") / row.msa(), row.seconds("dense") / row.msa(), ideal(row)}) {
        if (std::isfinite(v)) most = std::max(most, std::exp2(std::ceil(std::log2(v))));
      }
    }
    if (rows.empty()) continue;
    const Panel panel(left, 40.0, rows, most);
    svg += panel.frame(fmt::format("{}, time over that of MSA", to_string(phase))) + panel.curve(ideal, "#888", "6 4") +
           panel.curve(against("sdpa"), "#c33", "none") + panel.curve(against("dense"), "#36c", "none");
    left += 420.0;
  }
  svg +=
      "<text x='50' y='330' fill='#c33'>LibTorch SDPA</text><text x='170' y='330' fill='#36c'>own dense</text>"
      "<text x='270' y='330' fill='#888'>ideal, against own dense (dashed)</text>\n</svg>\n";
  return svg;
}

}  // namespace parity::benches
