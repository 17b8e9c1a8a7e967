// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/drawn/large.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "cases/drawn/maker.hpp"
#include "core/error.hpp"

namespace parity::cases {
namespace {

/// Elements in a row of memory: two pieces of 2^15, for kernels that share out each head's rows separately.
constexpr int64_t kLargeStretch = int64_t{1} << 16;

/// The axis letter of the rows, for components whose rows are not tokens.
const std::map<std::string, char> kRowLetters{
    {"cache_dequantise", 'K'}, {"cache_edit", 'P'},     {"dequantise", 'P'},         {"independent_labels_loss", 'B'},
    {"load_sum", 'E'},         {"media_grid", 'M'},     {"paged_view", 'K'},         {"patch_embed", 'P'},
    {"patch_merge", 'O'},      {"resize_bicubic", 'X'}, {"router_bias_update", 'E'}, {"squared_error", 'B'},
    {"vision_rope", 'P'}};

/// The largest number of rows whose products the reference evaluates with bounds in about a second.
const std::map<std::string, int64_t> kAffordable{{"attention_block_sparse", 257},
                                                 {"attention_dense", 257},
                                                 {"index_block_scores", 513},
                                                 {"joined_linear", 4097},
                                                 {"lightning_attention", 1025},
                                                 {"linear", 4097},
                                                 {"moe_experts", 513},
                                                 {"moe_experts_preweighted", 513},
                                                 {"patch_embed", 4097},
                                                 {"resize_bicubic", 1025}};

/// Components whose rows follow from a grid, or that have no rows.
const std::set<std::string> kWithoutRows{"lightning_tables",    "media_mask",       "patchify",
                                         "pool_last_token",     "prompt_expansion", "vision_attention",
                                         "vision_rotary_tables"};

char letter_of(const std::string& component) {
  const auto own = kRowLetters.find(component);
  return own == kRowLetters.end() ? 'S' : own->second;
}

/// Returns the axes that grow with the letter: rows of all sequences, slots after a history, rows of quantised blocks.
std::string axes_with(char letter) { return letter == 'S' ? "SNK" : letter == 'P' ? "PFK" : std::string(1, letter); }

/// Number of elements of a tap, in all and from its row axis on. Both are 0 if the tap has no rows.
struct Counted {
  int64_t all = 0, from_rows = 0;
};

Counted counted(const TapInfo& tap, char letter) {
  const auto axes = split_axes(tap.axes);
  const auto rows = std::find_if(axes.begin(), axes.end(), [&](const std::string& axis) {
    return axis.size() == 1 && axes_with(letter).find(axis) != std::string::npos;
  });
  if (rows == axes.end()) return {};
  Counted count{1, 1};
  for (size_t axis = 0; axis < tap.shape.size(); ++axis) {
    count.all *= tap.shape[axis];
    if (axis >= static_cast<size_t>(rows - axes.begin())) count.from_rows *= tap.shape[axis];
  }
  return count;
}

/// Counts the largest output that has rows, or in a loss the largest such input.
Counted counted(const DrawnCase& drawn, char letter) {
  Counted outputs, inputs;
  for (const auto& [name, tap] : drawn.plan.taps) {
    Counted& largest = name.starts_with("in/") ? inputs : outputs;
    const Counted count = counted(tap, letter);
    if (count.all > largest.all) largest = count;
  }
  return outputs.all > 0 ? outputs : inputs;
}

int64_t times(int64_t rows, int64_t wanted, int64_t have) {
  return (rows * wanted + std::max<int64_t>(have, 1) - 1) / std::max<int64_t>(have, 1);
}

}  // namespace

int64_t large_elements(const DrawnCase& drawn) { return counted(drawn, letter_of(drawn.spec.component)).all; }

std::string no_large_cases(const std::string& component) {
  if (!recipes().contains(component))
    return "a case of a fused kernel combines cases of its parts, and parity cannot combine large ones";
  return kWithoutRows.contains(component) ? "the component has no rows, or their number follows from a grid of patches"
                                          : "";
}

std::string smaller_large_cases(const std::string& component) {
  const auto most = kAffordable.find(component);
  return most == kAffordable.end()
             ? ""
             : fmt::format("at most {} rows: with more rows the reference takes too long", most->second);
}

Growth growth_of(const CaseSpec& spec) {
  const std::string reason = no_large_cases(spec.component);
  PARITY_CHECK(reason.empty(), unsupported, "lane large has no cases of {}: {}", spec.component, reason);
  const auto most = kAffordable.find(spec.component);
  const int64_t limit = most == kAffordable.end() ? kLargeElements + kLargeElements / 4 : most->second;
  CaseSpec whole = spec;
  whole.given.clear();  // a reduced case must not grow in another extent
  const Random random(spec.seed, "rows of " + spec.component);
  const auto beside = static_cast<int64_t>(random.below(0, 8));  // makes the last piece incomplete
  Growth growth{letter_of(spec.component), 16};
  for (int attempt = 0; attempt < 4;
       ++attempt) {  // with a history the rows are not proportional to the extent, so it is approximated
    CaseMaker maker(whole);
    maker.grow(growth.letter, growth.rows);
    recipes().at(spec.component)(maker);
    const Counted count = counted(maker.take(), growth.letter);
    if (count.all >= kLargeElements && count.from_rows >= kLargeStretch) return growth;
    const int64_t wanted =
        std::max(times(growth.rows, kLargeElements, count.all), times(growth.rows, kLargeStretch, count.from_rows));
    if (growth.rows == limit) return growth;
    growth.rows = std::min(wanted + 1 + wanted / 64 + beside, limit);
  }
  return growth;
}

}  // namespace parity::cases
