// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Kernels read views: for every memory layout of the elements, the result has the same bits.
#include <cstring>
#include <set>

#include <gtest/gtest.h>

#include "reference/layouts.hpp"
#include "reference/random_call.hpp"
#include "reference/reference.hpp"

namespace parity::reference {
namespace {

constexpr uint64_t kSeedsOfLayouts = 40;

class EveryLayout : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryLayout, GivesTheSameBits) {
  std::set<std::string> fields;
  std::set<std::string> accepted;  // operands that were accepted in a layout that is not dense
  for (uint64_t seed = 0; seed < kSeedsOfLayouts; ++seed) {
    RandomCall random = random_call(GetParam(), seed, DType::bf16);
    const auto run = [&] { return random.call.oracle(DType::bf16, random.table).tensors; };
    const auto expected = run();
    const auto dense = random.call.views;
    for (const auto& [field, views] : dense) {
      fields.insert(field);
      for (const Layout& layout : layouts()) {
        SCOPED_TRACE(fmt::format("{} seed {} {} {}", GetParam(), seed, field, layout.name));
        Tensor keep;
        random.call.views[field].front() = layout.make(views.front(), keep);
        try {
          for (const auto& [output, tensor] : run()) {
            EXPECT_EQ(
                std::memcmp(tensor.view().data, expected.at(output).view().data, static_cast<size_t>(tensor.bytes())),
                0)
                << output;
          }
          if (!random.call.views[field].front().contiguous()) accepted.insert(field);
        } catch (const Error& error) {  // refused, never misread: what needs a copy, rows that are not dense
          EXPECT_EQ(error.code(), ErrorCode::internal) << error.what();
          EXPECT_TRUE(layout.refusable) << error.what();
        }
        random.call.views[field] = views;
      }
    }
  }

  fields.erase("aux_loss");  // a scalar has one layout
  EXPECT_EQ(accepted, fields);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryLayout, ::testing::ValuesIn(registry().components()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace parity::reference
