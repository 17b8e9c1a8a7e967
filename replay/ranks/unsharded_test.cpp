// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/ranks/unsharded.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/sharding/layout.hpp"
#include "golden/files/activation_writer.hpp"
#include "golden/files/temporary_folder.hpp"

namespace parity::replay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Two ranks: each has one column of "x", and both have all of "y".
Plan two_ranks() {
  Plan plan;
  for (int64_t rank = 0; rank < 2; ++rank) {
    TapInfo x{"S,H", {2, 1}, TapType::working, 0};
    x.part = Part{"x", "S,H", {2, 2}, {{2, 2}, {{{0, 2}}, {{rank, 1}}}}};
    TapInfo y{"S", {2}, TapType::working, 0};
    y.part = Part{"y", "S", {2}, {{2}, {{{0, 2}}}}};
    plan.taps[rank_prefix(rank) + "x"] = x;
    plan.taps[rank_prefix(rank) + "y"] = y;
  }
  return plan;
}

Tensor numbers(const std::vector<double>& values, const Shape& shape, const std::string& axes) {
  Tensor tensor(DType::f64, shape, axes);
  std::copy(values.begin(), values.end(), tensor.f64());
  return tensor;
}

/// Puts together what two ranks hold; rank 1 has `y` as its copy.
std::vector<std::string> put_together(const std::vector<double>& y, std::vector<double>& x) {
  const golden::TemporaryFolder folder;
  auto out = golden::ActivationWriter::create(folder / "ranks.h5", {{"layout", "tp 2"}});
  out.write("ranks/00/x", numbers({1, 3}, {2, 1}, "S,H").view(), {"S,H", "output", "linear"});
  out.write("ranks/01/x", numbers({2, 4}, {2, 1}, "S,H").view(), {"S,H", "output", "linear"});
  out.write("ranks/00/y", numbers({5, 6}, {2}, "S").view(), {"S", "output", "linear"});
  out.write("ranks/01/y", numbers(y, {2}, "S").view(), {"S", "output", "linear"});
  out.commit();
  const auto ranks = golden::ActivationFile::open(folder / "ranks.h5");
  const auto contradicting = write_unsharded(ranks, two_ranks(), folder / "whole.h5");
  const Tensor whole = golden::ActivationFile::open(folder / "whole.h5").read("x");
  x.assign(whole.f64(), whole.f64() + whole.view().count());
  return contradicting;
}

TEST(Unsharded, PartsOfRanksAreOneTap) {
  std::vector<double> x;
  EXPECT_THAT(put_together({5, 6}, x), IsEmpty());
  EXPECT_THAT(x, ElementsAre(1, 2, 3, 4));
}

TEST(Unsharded, CopiesThatDifferAreNamed) {
  std::vector<double> x;
  EXPECT_THAT(put_together({5, 7}, x), ElementsAre("y"));
}

}  // namespace
}  // namespace parity::replay
