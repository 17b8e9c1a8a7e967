// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/altered_golden.hpp"

#include <cstring>

#include <gtest/gtest.h>

namespace parity::faults {
namespace {

constexpr const char* kGolden = "golden/data/m3-text-only-aux";

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.bytes() == b.bytes() && std::memcmp(a.view().data, b.view().data, static_cast<size_t>(a.bytes())) == 0;
}

TEST(AlteredGolden, FaithfulCopyHoldsEverything) {
  const golden::Golden original = golden::Golden::open(kGolden);

  const AlteredGolden copy(original, {});

  const golden::Golden opened = golden::Golden::open(copy.path());
  const auto& before = original.activations();
  const auto& after = opened.activations();
  EXPECT_EQ(after.attributes(), before.attributes());
  EXPECT_EQ(after.groups(), before.groups());
  ASSERT_EQ(after.datasets().size(), before.datasets().size());
  for (const golden::DatasetInfo& info : before.datasets()) {
    EXPECT_EQ(after.at(info.path).alias_of, info.alias_of) << info.path;
    EXPECT_EQ(after.at(info.path).attributes, info.attributes) << info.path;
    if (info.text) continue;
    EXPECT_TRUE(same_bytes(after.read(info.path), before.read(info.path))) << info.path;
  }
}

TEST(AlteredGolden, AlteredDatasetShowsUnderAllOfItsNames) {
  const golden::Golden original = golden::Golden::open(kGolden);
  const std::string alias = "steps/000/text/layers/01/in";
  const std::string own = "steps/000/text/layers/00/out";
  ASSERT_EQ(original.activations().at(alias).alias_of, own);
  const Tensor zeros(DType::f32, original.activations().at(own).shape);

  const AlteredGolden altered(original, {{alias, zeros}});

  const golden::Golden opened = golden::Golden::open(altered.path());
  EXPECT_TRUE(same_bytes(opened.activations().read(own), zeros));
  EXPECT_TRUE(same_bytes(opened.activations().read(alias), zeros));
}

TEST(AlteredGolden, RefusesADatasetThatIsNotThereOrOfAnotherSize) {
  const golden::Golden original = golden::Golden::open(kGolden);

  EXPECT_THROW(AlteredGolden(original, {{"steps/000/text/nowhere/out", Tensor(DType::f32, {1})}}), Error);
  EXPECT_THROW(AlteredGolden(original, {{"steps/000/text/layers/00/out", Tensor(DType::f32, {1})}}), Error);
}

TEST(AlteredGolden, LeavesNothingBehind) {
  std::filesystem::path folder;
  {
    const AlteredGolden copy(golden::Golden::open(kGolden), {});
    folder = copy.path();
    EXPECT_TRUE(std::filesystem::exists(folder / "activations.h5"));
  }

  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_TRUE(std::filesystem::exists(std::string(kGolden) + "/checkpoint/config.json"));  // it was only linked
}

}  // namespace
}  // namespace parity::faults
