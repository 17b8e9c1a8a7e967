// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Finds the recordings and drawn cases that cross the tiles of cases/tiles.json.

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/ranges.h>

#include "cases/drawn/case.hpp"
#include "cases/tiles.hpp"
#include "core/random.hpp"
#include "optimized/registry.hpp"
#include "reference/reference.hpp"
#include "replay/captures/golden_plan.hpp"
#include "replay/runs/recording.hpp"

namespace parity::cases {
namespace {

/// Adds the extents of an operand by the letters of the definition's `axes`, from the right. A star stands for rows.
void add_extents(const std::string& axes, const Shape& shape, AxisSizes& extents) {
  const auto tokens = split_axes(axes);
  const bool rows = !tokens.empty() && tokens.front() == "*";
  if (rows ? shape.size() + 1 < tokens.size() : shape.size() != tokens.size()) return;
  for (size_t i = tokens.size(); i-- > (rows ? 1U : 0U);) {
    const int64_t extent = shape[shape.size() - (tokens.size() - i)];
    const std::string& token = tokens[i];
    if (token.size() == 1) extents.emplace(token.front(), extent);
    const bool several = token.size() == 2 && token.front() > '1' && token.front() <= '9';  // such as 2F
    if (several) extents.emplace(token.back(), extent / (token.front() - '0'));
  }
  if (!rows) return;
  int64_t count = 1;
  for (size_t i = 0; i + tokens.size() <= shape.size(); ++i) count *= shape[i];
  extents.emplace('N', count);
}

const Definition& definition_of(const std::string& name) {
  const std::vector<std::string> fusions = drawn_fusions();
  const bool fused = std::find(fusions.begin(), fusions.end(), name) != fusions.end();
  return (fused ? optimized::fusions().kernels() : reference::registry()).component(name);
}

Shape shape_of_operand(const Plan& plan, const Node& node, const Operand& operand) {
  if (operand.kind != Operand::Kind::tap) return plan.weights.at(operand.name).shape;
  if (operand.axes.empty()) return plan.tap(operand.name).shape;
  const AxisSizes sizes = plan.sizes_of(node);
  const bool known = std::all_of(operand.axes.begin(), operand.axes.end(), [&](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) == 0 || c == 'N' || sizes.contains(c);
  });
  return known ? shape_of(operand.axes, sizes) : Shape{};  // folded views repeat the extents of another operand
}

/// Names an extent as recipes do: rows are tokens of a sequence, and a rotated width consists of two halves.
void give(char axis, int64_t extent, AxisSizes& given) {
  if (axis == 'R') {
    given.emplace('W', extent / 2);
  } else if (axis == 'N') {
    given.emplace('B', 1);
    given.emplace('S', extent);
  } else {
    given.emplace(axis, extent);
  }
}

/// Returns an extent above the tile: one element more, one less than twice the tile, or half a tile more. Rotated
/// widths stay even.
int64_t extent_over(const Tile& tile, DType working) {
  if (tile.exactly) return tile.extent;
  const int64_t step = tile.axis == 'R' ? 2 : 1;
  if (working == DType::f32) return tile.extent + step;
  return working == DType::bf16 ? 2 * tile.extent - step : tile.extent + tile.extent / 2;
}

}  // namespace

AxisSizes extents_of(const Plan& plan, const Node& node) {
  const Definition& definition = definition_of(node.component);
  AxisSizes extents;
  const auto add = [&](const FieldInfo& field, const Operand& operand) {
    add_extents(field.axes, shape_of_operand(plan, node, operand), extents);
  };
  for (const FieldInfo& field : definition.inputs) {
    const auto operands = node.inputs.find(field.name);
    if (operands != node.inputs.end() && !operands->second.empty()) add(field, operands->second.front());
  }
  for (const FieldInfo& field : definition.outputs) {
    const auto output = node.outputs.find(field.name);
    if (output != node.outputs.end()) add(field, output->second);
  }
  if (extents.contains('B') && extents.contains('S')) extents.emplace('N', extents.at('B') * extents.at('S'));
  const auto block = node.params.find("block_size");
  if (block != node.params.end()) extents.emplace('b', std::get<int64_t>(block->second));
  for (const auto& [field, list] : node.inputs) {  // the members of a bank are the experts
    for (const Operand& operand : list) {
      if (operand.kind == Operand::Kind::bank) extents.emplace('E', plan.weights.at(operand.name).members);
    }
  }
  return extents;
}

CaseSpec case_across(const Tile& tile, DType working) {
  constexpr uint64_t kSeeds = 400;  // enough for a recipe's coins, and grids whose patches are counted
  // Tiles of one component begin at different seeds: from the same one all would have its profile and parameters.
  constexpr uint64_t kFirstSeeds = 64;
  const uint64_t first = Random(0, tile.component + tile.text()).below(0, kFirstSeeds);
  CaseSpec spec{tile.component, working, Lane::boundary, first, {}};
  give(tile.axis, extent_over(tile, working), spec.given);
  for (const auto& [letter, extent] : tile.with) give(letter, extent, spec.given);
  for (const auto& [letter, extent] : tile.beside) give(letter, extent, spec.given);
  for (; spec.seed < first + kSeeds; ++spec.seed) {
    const DrawnCase drawn = draw_case(spec);
    const AxisSizes extents = extents_of(drawn.plan, drawn.node());
    const bool empty = std::any_of(extents.begin(), extents.end(), [](const auto& each) { return each.second == 0; });
    if (empty || !crosses(tile, extents)) continue;
    AxisSizes honoured;  // a recipe may ignore a letter or limit it
    for (const auto& [letter, extent] : spec.given) {
      const auto had = drawn.drawn.find(letter);
      if (had != drawn.drawn.end()) honoured[letter] = had->second;
    }
    spec.given = honoured;
    return spec;
  }
  throw Error(ErrorCode::internal,
              fmt::format("no random case of {} has an extent above the tile size {}, which cases/tiles.json requires",
                          tile.component, tile.text()));
}

std::vector<std::vector<std::string>> goldens_across(const std::vector<std::filesystem::path>& folders) {
  std::vector<std::set<std::string>> found(tiles().size());
  for (const auto& folder : folders) {
    const auto golden = golden::Golden::open(folder);
    const Plan plan = replay::plan_of(golden);
    const replay::Recording recording(golden.activations(), plan);
    for (const Node& node : plan.nodes) {
      const bool recorded = std::any_of(node.outputs.begin(), node.outputs.end(),
                                        [&](const auto& output) { return recording.has(output.second.name); });
      if (!recorded) continue;
      const AxisSizes extents = extents_of(plan, node);
      for (size_t i = 0; i < tiles().size(); ++i) {
        if (tiles()[i].component == node.component && crosses(tiles()[i], extents)) found[i].insert(golden.name());
      }
    }
  }
  std::vector<std::vector<std::string>> names;
  for (const auto& goldens : found) names.emplace_back(goldens.begin(), goldens.end());
  return names;
}

std::string tile_table(const std::vector<std::filesystem::path>& folders) {
  const auto goldens = goldens_across(folders);
  const std::vector<std::string> drawn = drawn_cases();
  std::string text = "| component | tile or width | source | goldens | drawn case |\n|---|---|---|---|---|\n";
  for (size_t i = 0; i < tiles().size(); ++i) {
    const Tile& tile = tiles()[i];
    if (std::find(drawn.begin(), drawn.end(), tile.component) == drawn.end()) continue;  // a fusion of other builds
    text += fmt::format("| `{}` | {} | {} | {} | `{}` |\n", tile.component, tile.text(), fmt::join(tile.of, ", "),
                        goldens[i].empty() ? "-" : fmt::format("{}", goldens[i].size()),
                        case_across(tile, DType::bf16).text());
  }
  text += "\n| source | kernels with this tile size or width |\n|---|---|\n";
  for (const auto& [key, source] : tile_sources()) text += fmt::format("| {} | {} |\n", key, source);
  return text;
}

}  // namespace parity::cases
