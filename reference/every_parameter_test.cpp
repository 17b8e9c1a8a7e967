// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Parameters may come from a plan's file or from an edit that a search tries. A kernel computes with any value or
// refuses it, and never accesses memory outside of its operands (which a build with sanitizers detects).
#include <gtest/gtest.h>

#include "reference/random_call.hpp"
#include "reference/reference.hpp"

namespace parity::reference {
namespace {

constexpr uint64_t kSeedsOfAValue = 3;

std::vector<ParamValue> odd_values(const ParamValue& usual) {
  std::vector<ParamValue> values;
  if (std::holds_alternative<int64_t>(usual)) {
    for (const int64_t value : {-3, -1, 0, 1, 2, 3, 5, 7, 8, 64, 1000}) values.emplace_back(value);
  } else if (std::holds_alternative<double>(usual)) {
    for (const double value : {-1.0, 0.0, 1e-30, 1e30}) values.emplace_back(value);
  } else {
    values = {ParamValue(true), ParamValue(false)};
  }
  return values;
}

class EveryParameter : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryParameter, IsComputedWithOrRefused) {
  for (uint64_t seed = 0; seed < kSeedsOfAValue; ++seed) {
    const RandomCall random = random_call(GetParam(), seed, DType::bf16);
    for (const auto& [name, usual] : random.call.definition().defaults) {
      for (const ParamValue& value : odd_values(usual)) {
        TestCall call = random.call;
        call.param(name, value);
        try {
          const TestOutputs rounded = call.run("rounded", Rounding::oracle(DType::bf16, random.table));
          const TestOutputs bounded = call.run("bounded", Rounding::exact(DType::bf16, random.table));
          EXPECT_EQ(rounded.tensors.size(), bounded.tensors.size());
        } catch (const Error& error) {
          EXPECT_FALSE(std::string(error.what()).empty()) << name;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryParameter, ::testing::ValuesIn(registry().components()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace parity::reference
