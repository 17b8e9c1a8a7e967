// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Every kernel, fused ones too, gives the same bits on one, two and three threads, at every level that the machine has: on calls
// large enough to be shared out, of few tokens behind many slots, and with a list of blocks per index head.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include <gtest/gtest.h>
#include <omp.h>

#include "core/call.hpp"
#include "core/plan.hpp"
#include "core/random.hpp"
#include "optimized/cpu/level.hpp"
#include "optimized/registry.hpp"

namespace parity::optimized {
namespace {

using Named = std::pair<std::string, std::string>;  // component and field

/// Operands that are binary32 in every type, and what axes mean where a definition's letter means something else.
const std::set<Named> kSingle{{"index_block_scores", "scores"},
                              {"index_block_scores", "block_scores"},
                              {"index_select", "block_scores"},
                              {"index_select", "forced_scores"},
                              {"router", "logits"},
                              {"router", "bias"},
                              {"router", "scores"},
                              {"router", "choice"},
                              {"router", "weights"},
                              {"moe_experts", "weights"},
                              {"moe_experts", "slot_weighted"},
                              {"dequantise", "scales"}};
const std::map<Named, std::string> kAxes{
    {{"cache_append", "past"}, "B,G,Z,D"}, {{"norm_rope_append", "past"}, "B,G,Z,D"},
    {{"dequantise", "codes"}, "N,C"},      {{"dequantise", "scales"}, "N,O"},
    {{"dequantise", "out"}, "N,C"},        {{"mxfp8_linear", "x"}, "N,C"},
    {{"mxfp8_linear", "codes"}, "F,C"},    {{"mxfp8_linear", "scales"}, "F,O"},
    {{"paged_view", "pages"}, "Y,G,Q,D"},  {{"paged_view", "table"}, "B,W"}};

/// Which path a call takes: kernels have others for few tokens, and cut more than 4096 slots into pieces.
struct Extents {
  const char* name;
  int64_t sequences, tokens, history;
  bool lists;  // of blocks, one per index head
};
constexpr std::array kCalls{Extents{"ManyTokens", 2, 300, 340, false},
                            Extents{"ListsPerHead", 2, 300, 340, true},
                            Extents{"OneToken", 3, 1, 4300, false},
                            Extents{"TwoTokens", 2, 2, 5000, false},
                            Extents{"TwoTokensListsPerHead", 2, 2, 5000, true},
                            Extents{"FiveTokens", 1, 5, 4100, false},
                            Extents{"ManyTokensBehindManySlots", 1, 70, 4200, false}};

/// A kernel with random operands.
class RandomOperands {
 public:
  RandomOperands(const KernelEntry& entry, const Definition& definition, const Extents& extents)
      : entry_(entry),
        working_(*parse_dtype(entry.variant)),
        random_(1, entry.component),
        lists_(extents.lists),
        call_(definition) {
    call_.params = definition.defaults;
    sizes_ = {{'B', extents.sequences},
              {'S', extents.tokens},
              {'Z', extents.history},
              {'H', 129},
              {'F', 129},
              {'A', 8},
              {'G', 2},
              {'X', 2},
              {'D', 64},
              {'R', 32},
              {'I', 64},
              {'E', 9},
              {'M', 2},
              {'P', 400},
              {'Q', 16},
              {'Y', 12},
              {'C', 160},
              {'O', 5}};
    sizes_['K'] = sizes_['S'] + sizes_['Z'];
    sizes_['W'] = (sizes_['K'] + sizes_['Q'] - 1) / sizes_['Q'];
    if (entry.component == "index_block_scores") call_.params["per_group"] = lists_;
    sizes_['N'] = sizes_['B'] * sizes_['S'];
    sizes_['J'] = (sizes_['K'] + 127) / 128;
    sizes_['T'] = 4;
    if (entry.component == "lightning_attention") sizes_['J'] = (sizes_['S'] + sizes_['Q'] - 1) / sizes_['Q'] + 1;
    for (const FieldInfo& field : definition.inputs) add_input(field);
    for (const FieldInfo& field : definition.outputs)
      call_.output(field.name, {is_integer(field.judge) ? DType::i64 : type(field), shape(field)});
  }

  /// The bytes of every output.
  [[nodiscard]] std::vector<std::byte> on(int threads) const {
    const PlacedCall placed(call_, entry_.place(0));
    placed.poison(Poison::nan);
    const int before = omp_get_max_threads();
    omp_set_num_threads(threads);
    placed.run(entry_.run);
    omp_set_num_threads(before);
    std::vector<std::byte> bytes;
    for (const auto& [field, output] : placed.outputs()) {
      const Tensor here = output.on_host();
      bytes.insert(bytes.end(), here.view().data, here.view().data + here.bytes());
    }
    return bytes;
  }

 private:
  [[nodiscard]] DType type(const FieldInfo& field) const {
    const bool exponents = entry_.component == "mxfp8_linear" && field.name == "scales";
    if (field.name == "codes") return DType::e4m3fn;
    return exponents ? DType::u8 : kSingle.contains({entry_.component, field.name}) ? DType::f32 : working_;
  }

  [[nodiscard]] Shape shape(const FieldInfo& field) const {
    const auto own = kAxes.find({entry_.component, field.name});
    std::string axes = own == kAxes.end() ? field.axes : own->second;
    if (axes.starts_with("*")) axes.replace(0, 1, !axes.starts_with("*,S") ? "B,S" : lists_ ? "B,X" : "B");
    return shape_of(axes, sizes_);
  }

  Tensor numbers(const FieldInfo& field) {
    const Tensor tensor(type(field), shape(field));
    for (int64_t i = 0; i < tensor.view().count(); ++i)
      store_element(tensor.dtype(), tensor.view().data + i * size_of(tensor.dtype()),
                    tensor.dtype() == DType::u8 ? static_cast<double>(120 + i % 9) : random_.normal(next_++));
    return tensor;
  }

  /// Positions of the last slots, blocks down from a query's own, distinct experts, media of 10 by 20 patches.
  [[nodiscard]] std::function<int64_t(int64_t)> ids(const std::string& name) const {
    const int64_t tokens = sizes_.at('S'), lists = sizes_.at('T');
    if (name == "table") return [=, this](int64_t i) { return 7 * i % sizes_.at('Y'); };
    if (name == "positions") return [=, this](int64_t i) { return sizes_.at('Z') + i % tokens; };
    if (name == "blocks") {
      return [=, this](int64_t i) { return (sizes_.at('Z') + i / lists % tokens) / 128 - i % lists; };
    }
    if (name == "indices") return [=, this](int64_t i) { return (i / lists + i % lists) % sizes_.at('E'); };
    if (name == "grid") return [](int64_t i) { return std::array<int64_t, 3>{1, 10, 20}[static_cast<size_t>(i % 3)]; };
    return {};
  }

  void add_input(const FieldInfo& field) {
    const bool bank = entry_.component.starts_with("moe_experts") && (field.name == "gate_up" || field.name == "down");
    if (bank) {
      std::vector<Tensor> members;
      for (int64_t e = 0; e < sizes_.at('E'); ++e) members.push_back(numbers(field));
      call_.bank(field.name, std::move(members));
      return;
    }
    const bool past =
        field.name == "past" && entry_.component != "lightning_attention";  // which takes blocks without one
    if (field.optional && !past && field.name != "scales") return;
    const auto id = ids(field.name);
    const Tensor tensor = id ? Tensor(DType::i64, shape(field)) : numbers(field);
    for (int64_t i = 0; id && i < tensor.view().count(); ++i) tensor.i64()[i] = id(i);
    call_.input(field.name, tensor);
  }

  const KernelEntry& entry_;
  DType working_;
  Random random_;
  uint64_t next_ = 0;
  bool lists_;
  AxisSizes sizes_;
  KernelCall call_;
};

/// Component (or fusion) and variant of every kernel, in every call that is another one for it.
using Case = std::tuple<std::string, std::string, Extents>;
std::vector<Case> cases() {
  const std::set<std::string> in_lists{"attention_block_sparse", "index_block_scores", "index_select"};
  std::vector<Case> all;
  for (const Registry* list : {&registry(), &fusions().kernels()}) {
    for (const KernelEntry& entry : list->kernels()) {
      for (const Extents& extents : kCalls) {
        const bool same = entry.component == "vision_attention" || entry.component == "dequantise";  // read no tokens
        if ((extents.lists && !in_lists.contains(entry.component)) ||
            (same && extents.history != kCalls.front().history))
          continue;
        all.emplace_back(entry.component, entry.variant, extents);
      }
    }
  }
  return all;
}

class ThreadsOf : public testing::TestWithParam<Case> {};

TEST_P(ThreadsOf, ChangeNoBit) {
  const auto& [component, variant, extents] = GetParam();
  const bool one = registry().find(component, "cpu", variant) != nullptr;
  const Registry& list = one ? registry() : fusions().kernels();
  const RandomOperands call(list.kernel(component, "cpu", variant), list.component(component), extents);
  const cpu::Level before = cpu::level();
  for (const cpu::Level level : cpu::kLevels) {
    if (level > cpu::highest_level()) continue;
    cpu::use_level(level);
    const auto alone = call.on(1);
    EXPECT_FALSE(alone.empty());
    EXPECT_TRUE(call.on(2) == alone) << to_string(level);
    EXPECT_TRUE(call.on(3) == alone) << to_string(level);
  }
  cpu::use_level(before);
}

std::string name_of(const testing::TestParamInfo<Case>& test) {
  const auto& [component, variant, extents] = test.param;
  return component + "_" + variant + "_" + extents.name;
}

INSTANTIATE_TEST_SUITE_P(Registry, ThreadsOf, testing::ValuesIn(cases()), name_of);

}  // namespace
}  // namespace parity::optimized
