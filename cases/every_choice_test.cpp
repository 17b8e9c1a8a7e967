// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A battery judges only what it draws. So drawn cases of a component take every choice that its declaration offers:
// both values of a flag, more than one value of any other parameter, optional operands and outputs given and left out.
#include <set>

#include <gtest/gtest.h>

#include "cases/drawn/exact.hpp"
#include "cases/drawn/maker.hpp"
#include "core/text.hpp"
#include "reference/reference.hpp"

namespace parity::cases {
namespace {

struct Undrawn {
  const char* component;
  const char* choice;
  const char* why;
};

/// Choices that no drawn case takes, and why. Globs.
const std::vector<Undrawn>& undrawn() {
  constexpr const char* kProcessor =
      "no kernel; recordings of processors, golden/processors, have the releases' settings";
  constexpr const char* kWhole = "a port without this output has nothing that could be judged";
  static const std::vector<Undrawn> all{
      {"media_grid", "*", kProcessor},
      {"patchify", "*", kProcessor},
      {"prompt_expansion", "*", kProcessor},
      {"frame_sampling", "indices left out", kWhole},
      {"rotary_tables", "uncast given", "no kernel writes it; it is what a recording has before the cast to T"},
      {"splice", "image_token=*", "ids of drawn tokens are 0, 1 and 2; only equality matters"},
      {"splice", "video_token=*", "ids of drawn tokens are 0, 1 and 2; only equality matters"},
      {"splice", "image left out", "videos are left out instead; both are treated alike"},
      {"vision_rotary_tables", "merge=*", "every release merges 2 x 2 patches"}};
  return all;
}

std::string text_of(const ParamValue& value) {
  return std::visit([](auto x) { return fmt::format("{}", x); }, value);
}

/// What drawn cases take: values of parameters, and operands that are "given" or "left out".
struct Taken {
  std::map<std::string, std::set<std::string>> of;

  void add(const std::vector<FieldInfo>& fields, const auto& given) {
    for (const FieldInfo& field : fields) of[field.name].insert(given.contains(field.name) ? "given" : "left out");
  }
};

Taken taken_by(const Definition& definition, int64_t cases) {
  Taken taken;
  for (int64_t i = 0; i < cases; ++i) {
    const DType working = i % 2 == 0 ? DType::bf16 : DType::f32;
    Lane lane = kLanes[static_cast<size_t>(i / 2 % 4)];  // without the lane large
    if (lane == Lane::exact && !no_exact_cases(definition.name, working).empty()) lane = Lane::anywhere;
    const DrawnCase drawn = draw_case({definition.name, working, lane, case_seed(SeedUse::gate, 1, i), {}});
    const Node& node = drawn.plan.nodes.front();
    for (const auto& [name, usual] : definition.defaults) {
      const auto set = node.params.find(name);
      taken.of[name].insert(text_of(set == node.params.end() ? usual : set->second));
    }
    taken.add(definition.inputs, node.inputs);
    taken.add(definition.outputs, node.outputs);
  }
  return taken;
}

/// The choices that were not taken, as undrawn() names them.
std::set<std::string> missing_in(Taken taken, const Definition& definition) {
  std::set<std::string> missing;
  for (const auto& [name, usual] : definition.defaults) {
    const auto& values = taken.of[name];
    if (values.size() < 2) missing.insert(fmt::format("{}={} alone", name, *values.begin()));
  }
  for (const auto* fields : {&definition.inputs, &definition.outputs}) {
    for (const FieldInfo& field : *fields) {
      for (const char* how : {"given", "left out"}) {
        if (field.optional && !taken.of[field.name].contains(how)) missing.insert(field.name + " " + how);
      }
    }
  }
  return missing;
}

class EveryChoice : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryChoice, IsDrawn) {
  const Definition& definition = reference::registry().component(GetParam());
  auto missing = missing_in(taken_by(definition, 400), definition);
  for (const Undrawn& known : undrawn()) {
    if (GetParam() != known.component) continue;
    const size_t found =
        std::erase_if(missing, [&](const std::string& choice) { return glob_match(known.choice, choice); });
    EXPECT_GT(found, 0U) << known.choice << " is drawn now; remove it from undrawn()";
  }
  for (const std::string& choice : missing)
    ADD_FAILURE() << GetParam() << ": no drawn case takes '" << choice
                  << "'; draw it in the component's recipe (cases/drawn/), or say in undrawn() why not";
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryChoice, ::testing::ValuesIn(drawn_components()),
                         [](const auto& test) { return test.param; });

TEST(EveryChoiceTest, NamesWhatOneCaseLeavesOut) {
  const Definition& definition = reference::registry().component("attention_block_sparse");
  const auto missing = missing_in(taken_by(definition, 1), definition);

  EXPECT_EQ(missing.size(), definition.defaults.size() + 3U);  // one value each; mask, pairs and positions in one way
}

}  // namespace
}  // namespace parity::cases
