// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Steps that give the caches: what calls outside of the recording filled.
#include "golden/sources/given_caches.hpp"

#include <gmock/gmock.h>

#include "golden/testing/test_support.hpp"

namespace parity::golden {
namespace {

using test::SmallGolden;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The small golden with a fourth step that has the given caches.
SmallGolden with_caches(const std::vector<std::pair<std::string, Shape>>& caches) {
  SmallGolden options;
  options.more = [=](ActivationWriter& writer) {
    writer.group_attribute("steps/003", "kind", "cache");
    writer.group_attribute("steps/003", "edit", "given");
    for (const auto& [name, shape] : caches) {
      writer.write("steps/003/text/layers/" + name, test::random_bits(DType::bf16, shape, 1).view(),
                   {shape.size() == 4 ? "B,G,K,D" : "B,K,D", "input", "input"});
    }
  };
  return options;
}

struct Given {
  StepInfo step;
  std::vector<int64_t> layers;
};

Given given_by(const SmallGolden& options) {
  const TemporaryFolder folder;
  const Golden golden = Golden::open(test::write_golden(folder / "small", options));
  return {golden.steps().back(), given_layers(golden.activations(), golden.steps().back())};
}

std::string refusal(const SmallGolden& options) {
  return test::error_of([&] { static_cast<void>(given_by(options)); });
}

TEST(GivenCaches, TellTheirLayersSequencesAndSlots) {
  const auto [step, layers] = given_by(
      with_caches({{"03/cache/k", {2, 1, 40, 4}}, {"03/cache/index_k", {2, 1, 40, 6}}, {"05/cache/k", {2, 1, 40, 4}}}));

  EXPECT_THAT(layers, ElementsAre(3, 5));
  EXPECT_EQ(step.B, 2);
  EXPECT_EQ(step.K, 40);
  EXPECT_EQ(step.slots, 40);
  EXPECT_FALSE(step.has_tokens);
}

TEST(GivenCaches, ThatAreMissingOrDisagreeAreRefused) {
  EXPECT_THAT(refusal(with_caches({})), HasSubstr("there is no dataset steps/003/text/layers/NN/cache/*"));
  EXPECT_THAT(refusal(with_caches({{"03/cache/k", {2, 1, 40, 4}}, {"03/cache/v", {2, 1, 39, 4}}})),
              HasSubstr("layers/03/cache/v has 2 sequences and 39 slots, other caches have 2 and 40"));
  EXPECT_THAT(refusal(with_caches({{"03/cache/k", {2, 40, 4}}})), HasSubstr("expected [B,G,K,D]"));
}

}  // namespace
}  // namespace parity::golden
