// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/tiles.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cases/battery.hpp"
#include "cases/drawn/case.hpp"
#include "reference/reference.hpp"

namespace parity::cases {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

std::vector<fs::path> embedded() {
  std::vector<fs::path> folders;
  for (const char* root : {"golden/cut", "golden/data", "golden/processors"}) {
    for (const auto& entry : fs::directory_iterator(root)) {
      if (fs::exists(entry.path() / "activations.h5")) folders.push_back(entry.path());
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

size_t index_of(const std::string& component, const std::string& text) {
  const auto found = std::find_if(tiles().begin(), tiles().end(),
                                  [&](const Tile& tile) { return tile.component == component && tile.text() == text; });
  return static_cast<size_t>(found - tiles().begin());
}

/// Draws the case of a tile again from the text that a failing line prints, and returns its extents.
AxisSizes extents_again(const CaseSpec& spec) {
  const DrawnCase drawn = draw_case(parse_case(spec.text(), drawn_cases()));
  return extents_of(drawn.plan, drawn.node());
}

TEST(Tiles, AreListedOfEveryComponentOrAReasonIs) {
  std::set<std::string> listed;
  for (const Tile& tile : tiles()) listed.insert(tile.component);
  for (const std::string& component : reference::registry().components()) {
    EXPECT_FALSE(listed.contains(component) && without_tiles().contains(component)) << component << " has both";
    const bool elementwise = reference::registry().component(component).traits.elementwise;  // cuts are alike
    EXPECT_TRUE(listed.contains(component) || without_tiles().contains(component) || elementwise)
        << component << ": a row in cases/tiles.json, or a reason why it has none";
    listed.erase(component);
  }
  for (const std::string& fusion : drawn_fusions()) listed.erase(fusion);
  EXPECT_THAT(listed, IsEmpty()) << "no such component";
}

TEST(Tiles, SayWhoseTheyAre) {
  std::set<std::string> named;
  for (const Tile& tile : tiles()) {
    EXPECT_FALSE(tile.of.empty()) << tile.component << " " << tile.text();
    for (const std::string& key : tile.of) {
      EXPECT_TRUE(tile_sources().contains(key)) << key;
      named.insert(key);
    }
  }
  for (const auto& [key, source] : tile_sources()) EXPECT_TRUE(named.contains(key)) << key << " is nobody's";
}

TEST(Tiles, AreCrossedByMoreThanATileAndNoMultiple) {
  const Tile tile{"linear", 'N', 64, false, {{'H', 3}}, {}, {}};

  EXPECT_TRUE(crosses(tile, {{'N', 65}, {'H', 3}}));
  EXPECT_FALSE(crosses(tile, {{'N', 64}, {'H', 3}})) << "one whole tile";
  EXPECT_FALSE(crosses(tile, {{'N', 128}, {'H', 3}})) << "whole tiles";
  EXPECT_FALSE(crosses(tile, {{'N', 63}, {'H', 3}})) << "less than one";
  EXPECT_FALSE(crosses(tile, {{'N', 65}, {'H', 4}})) << "beside another extent";
  EXPECT_FALSE(crosses(tile, {{'H', 3}})) << "no such axis";
}

TEST(Tiles, OfAWidthAreMetExactly) {
  const Tile width{"attention_dense", 'D', 64, true, {}, {}, {}};

  EXPECT_TRUE(crosses(width, {{'D', 64}}));
  EXPECT_FALSE(crosses(width, {{'D', 128}}));
}

/// Checks the checks: every tile has a case of the battery in every type, and its printed text repeats it.
TEST(Tiles, AreCrossedByACaseInEveryType) {
  for (const Tile& tile : tiles()) {
    for (const DType working : {DType::f32, DType::bf16, DType::f16}) {
      const CaseSpec spec = case_across(tile, working);
      EXPECT_TRUE(crosses(tile, extents_again(spec))) << spec.text() << " does not cross " << tile.text();
    }
  }
}

TEST(Tiles, ThatNoRecipeCanCrossAreAnError) {
  const Tile tile{"lightning_attention", 'S', 32, false, {{'Z', 7}}, {}, {}};

  EXPECT_THROW(static_cast<void>(case_across(tile, DType::f32)), Error);
}

/// One recording crosses both the block of Text-01 and the width of pieces of its heads.
TEST(Tiles, OfTextOnesBlockAreCrossedByAGolden) {
  const auto goldens = goldens_across(embedded());

  EXPECT_THAT(goldens.at(index_of("lightning_attention", "S > 256, D = 64, Q = 256")), Contains("text01-tiles-bf16"));
  EXPECT_THAT(goldens_across({"golden/data/text01-bf16"}).at(index_of("lightning_attention", "S > 32")), IsEmpty());
}

TEST(Tiles, ArePrintedWithTheirGoldensCaseAndSource) {
  const std::string table = tile_table({"golden/data/text01-tiles-bf16"});

  EXPECT_THAT(table, HasSubstr("| `lightning_attention` | S > 256, D = 64, Q = 256 | vllm-lightning, published | 1 | "
                               "`lightning_attention:bf16:boundary:40:A1,B1,D64,Q256,S511` |\n"));
  EXPECT_THAT(table, HasSubstr("| liger | https://github.com/linkedin/Liger-Kernel/"));
}

/// Returns the oracle-rounded outputs with zeros in the last, partial tile along the axis.
CaseKernel without_the_last_tile(int64_t tile, size_t axis) {
  return {[=](const DrawnCase& drawn, const replay::Evaluator& evaluator) {
    auto outputs = rounded_outputs(drawn, evaluator);
    Tensor wide = widen(outputs.at("out"));
    const Shape& shape = wide.shape();
    int64_t inner = 1;
    for (size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
    for (int64_t i = 0; i < wide.view().count(); ++i) {
      if (i / inner % shape[axis] >= shape[axis] / tile * tile) wide.f64()[i] = 0.0;
    }
    outputs["out"] = convert(wide.view(), outputs.at("out").dtype());
    return outputs;
  }};
}

TEST(TileCases, FindAKernelThatForgetsItsLastTile) {
  const Tile& tile = tiles().at(index_of("rms_norm", "H > 1024"));
  const CaseSpec spec = case_across(tile, DType::bf16);

  EXPECT_FALSE(is_wrong(worst_record(spec, oracle())));
  EXPECT_TRUE(is_wrong(worst_record(spec, without_the_last_tile(tile.extent, 2))));
}

TEST(TileCases, RunInTheBatteryWhereTheyAreAskedFor) {
  BatteryOptions options;
  options.cases = 1;
  options.large = 0;
  options.tiles = true;
  options.lanes = {Lane::boundary};
  const auto rows = std::count_if(tiles().begin(), tiles().end(), [](const Tile& t) { return t.component == "gelu"; });

  const BatteryResult battery = run_battery("gelu", oracle(), options);
  options.tiles = false;
  const BatteryResult without = run_battery("gelu", oracle(), options);

  EXPECT_EQ(battery.tiles, 3 * rows);
  EXPECT_EQ(battery.cases, without.cases + battery.tiles);
  EXPECT_EQ(battery.failed, 0);
}

}  // namespace
}  // namespace parity::cases
