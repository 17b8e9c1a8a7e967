// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The table as a drawing: one panel for each phase and batch.
#include <algorithm>
#include <cmath>
#include <limits>

#include "benches/msa/msa_table.hpp"

namespace parity::benches {
namespace {

struct Curve {
  const char* name;
  const char* colour;
  const char* dashes;
  std::function<double(const TableRow&)> value;
  std::function<bool(const TableRow&)> doubtful;
};

std::vector<Curve> curves_of(const MsaTable& table) {
  const auto over_msa = [](const char* column) {
    return [column](const TableRow& row) {
      const Ratio ratio = ratio_of(row, {{column}}, {{"msa"}});
      return ratio.busy() ? std::numeric_limits<double>::quiet_NaN() : ratio.value();
    };
  };
  const auto doubtful = [](const char* column) {
    return [column](const TableRow& row) { return ratio_of(row, {{column}}, {{"msa"}}).doubtful(); };
  };
  return {{"LibTorch SDPA / MSA", "#c33", "none", over_msa("sdpa"), doubtful("sdpa")},
          {"own dense / MSA", "#36c", "none", over_msa("dense"), doubtful("dense")},
          {"own dense / MSA, ideal", "#36c", "6 4",
           [&table](const TableRow& row) { return ideal_ratio(row, table.peaks, table.options.type); },
           [](const TableRow&) { return false; }}};
}

bool drawn(double value) { return std::isfinite(value) && value > 0.0; }

/// A panel with two logarithmic axes: contexts that double, and ratios by powers of two.
class Panel {
 public:
  Panel(double left, double top, const Section& section, const std::vector<Curve>& curves)
      : left_(left), top_(top), section_(section), curves_(curves) {
    for (const TableRow* row : section.rows) {
      for (const Curve& curve : curves) {
        const double value = curve.value(*row);
        if (!drawn(value)) continue;
        most_ = std::max(most_, std::exp2(std::ceil(std::log2(value))));
        least_ = std::min(least_, std::exp2(std::floor(std::log2(value))));
      }
    }
  }

  [[nodiscard]] std::string svg() const {
    std::string text = frame();
    for (const Curve& curve : curves_) text += line(curve);
    return text + legend();
  }

  static constexpr double kLeft = 64.0, kTop = 48.0, kWidth = 340.0, kHeight = 240.0;
  static constexpr double kAcross = kLeft + kWidth + 26.0, kDown = kTop + kHeight + 56.0;  // panel, titles, names

 private:
  [[nodiscard]] std::string frame() const {
    const bool cold = section_.rows.front()->caches() == Caches::cold;
    std::string text = fmt::format(
        "<rect x='{:.0f}' y='{:.0f}' width='{:.0f}' height='{:.0f}' fill='none' stroke='#999'/>"
        "<text x='{:.0f}' y='{:.0f}' font-weight='bold'>{}, {} query / {} key heads, {} caches</text>\n",
        left_, top_, kWidth, kHeight, left_, top_ - 10.0, section_.title, section_.rows.front()->shape.heads,
        section_.rows.front()->shape.key_heads, cold ? "cold" : "warm");
    for (size_t i = 0; i < section_.rows.size(); ++i)
      text += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{}</text>\n", x(i), top_ + kHeight + 16.0,
                          context_label(section_.rows[i]->shape.slots));
    text += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>context length, tokens</text>\n",
                        left_ + kWidth / 2.0, top_ + kHeight + 34.0);
    text += fmt::format(
        "<text transform='translate({:.1f} {:.1f}) rotate(-90)' text-anchor='middle'>time relative to MSA</text>\n",
        left_ - 44.0, top_ + kHeight / 2.0);
    for (double tick = least_; tick <= most_; tick *= 2.0)
      text += fmt::format(
          "<line x1='{:.1f}' x2='{:.1f}' y1='{:.1f}' y2='{:.1f}' stroke='#ddd'/><text x='{:.1f}' y='{:.1f}' "
          "text-anchor='end'>{:g}x</text>\n",
          left_, left_ + kWidth, y(tick), y(tick), left_ - 4.0, y(tick) + 4.0, tick);
    return text;
  }

  /// Draws a curve. A single point is visible, a doubtful point is hollow, and a missing value breaks the line.
  [[nodiscard]] std::string line(const Curve& curve) const {
    std::string text, points;
    const auto end = [&] {
      if (!points.empty())
        text += fmt::format("<polyline points='{}' fill='none' stroke='{}' stroke-width='2' stroke-dasharray='{}'/>\n",
                            points, curve.colour, curve.dashes);
      points.clear();
    };
    for (size_t i = 0; i < section_.rows.size(); ++i) {
      const double value = curve.value(*section_.rows[i]);
      if (!drawn(value)) {
        end();
        continue;
      }
      points += fmt::format("{:.1f},{:.1f} ", x(i), y(value));
      const bool hollow = curve.doubtful(*section_.rows[i]);
      text += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='3' fill='{}' stroke='{}'/>\n", x(i), y(value),
                          hollow ? "white" : curve.colour, curve.colour);
    }
    end();
    return text;
  }

  [[nodiscard]] std::string legend() const {
    std::string text;
    double at = top_ + 16.0;
    for (const Curve& curve : curves_) {
      text += fmt::format(
          "<line x1='{:.0f}' x2='{:.0f}' y1='{:.0f}' y2='{:.0f}' stroke='{}' stroke-width='2' stroke-dasharray='{}'/>"
          "<text x='{:.0f}' y='{:.0f}'>{}</text>\n",
          left_ + 10.0, left_ + 38.0, at - 4.0, at - 4.0, curve.colour, curve.dashes, left_ + 44.0, at, curve.name);
      at += 16.0;
    }
    return text;
  }

  [[nodiscard]] double x(size_t i) const {
    return left_ + kWidth * (static_cast<double>(i) + 0.5) / static_cast<double>(section_.rows.size());
  }
  [[nodiscard]] double y(double value) const {
    return top_ + kHeight * (1.0 - std::log2(value / least_) / std::log2(most_ / least_));
  }

  double left_, top_;
  const Section& section_;
  const std::vector<Curve>& curves_;
  double least_ = 0.5, most_ = 4.0;
};

}  // namespace

std::string table_svg(const MsaTable& table) {
  const std::vector<Section> sections = sections_of(table);
  const std::vector<Curve> curves = curves_of(table);
  const auto columns = static_cast<double>(std::min<size_t>(sections.size(), 2));
  const auto lines = static_cast<double>((sections.size() + 1) / 2);
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{:.0f}' height='{:.0f}' font-family='sans-serif' "
      "font-size='12'>\n"
      "<rect width='100%' height='100%' fill='white'/>\n",
      columns * Panel::kAcross, lines * Panel::kDown);
  for (size_t i = 0; i < sections.size(); ++i) {
    const double left = static_cast<double>(i % 2) * Panel::kAcross, top = static_cast<double>(i / 2) * Panel::kDown;
    svg += Panel(left + Panel::kLeft, top + Panel::kTop, sections[i], curves).svg();
  }
  return svg + "</svg>\n";
}

}  // namespace parity::benches
