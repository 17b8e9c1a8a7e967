// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Results do not depend on the number of threads, for sizes at which threads are used.
#include <cstring>

#include <gtest/gtest.h>
#include <omp.h>

#include "core/random.hpp"
#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

std::vector<double> drawn(const std::string& stream, int64_t count) {
  const Random random(0, stream);
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(random.normal(static_cast<uint64_t>(i)));
  return values;
}

TestOutputs on_threads(int threads, const TestCall& call, const std::string& variant) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(threads);
  TestOutputs out =
      call.run(variant, variant == "bounded" ? Rounding::exact(DType::bf16) : Rounding::oracle(DType::bf16));
  omp_set_num_threads(before);
  return out;
}

void expect_same(const std::map<std::string, Tensor>& a, const std::map<std::string, Tensor>& b) {
  for (const auto& [field, tensor] : a) {
    const Tensor& other = b.at(field);
    ASSERT_EQ(tensor.bytes(), other.bytes()) << field;
    EXPECT_EQ(std::memcmp(tensor.view().data, other.view().data, static_cast<size_t>(tensor.bytes())), 0) << field;
  }
}

void expect_same_on_three(const TestCall& call) {
  for (const char* variant : {"rounded", "bounded"}) {
    SCOPED_TRACE(variant);
    const TestOutputs one = on_threads(1, call, variant);
    const TestOutputs three = on_threads(3, call, variant);
    EXPECT_FALSE(one.tensors.empty());
    expect_same(one.tensors, three.tensors);
    expect_same(one.rounding, three.rounding);
    expect_same(one.noise, three.noise);
  }
}

TEST(Threads, DoNotChangeProducts) {
  TestCall call("linear");
  call.in("x", {130, 8}, drawn("x", 130 * 8)).in("weight", {1030, 8}, drawn("w", 1030 * 8)).out("out", {130, 1030});

  expect_same_on_three(call);
}

TEST(Threads, DoNotChangeNorms) {
  TestCall call("rms_norm");
  call.in("x", {1100, 64}, drawn("x", 1100 * 64)).in("weight", {64}, drawn("w", 64)).out("out", {1100, 64});

  expect_same_on_three(call);
}

TEST(Threads, DoNotChangeAttention) {
  TestCall call("attention_dense");
  call.in("q", {1, 4, 6, 8}, drawn("q", 4 * 6 * 8))
      .in("k", {1, 2, 300, 8}, drawn("k", 2 * 300 * 8))
      .in("v", {1, 2, 300, 8}, drawn("v", 2 * 300 * 8))
      .out("out", {1, 6, 4, 8});

  expect_same_on_three(call);
}

/// Every token has two experts, whose outputs are summed in the same elements.
TEST(Threads, DoNotChangeSumsOfExperts) {
  constexpr int64_t kTokens = 140, kWidth = 600, kInner = 4;
  TestCall call("moe_experts");
  std::vector<int64_t> ids;
  for (int64_t n = 0; n < kTokens; ++n) ids.insert(ids.end(), {n % 2, 1 - n % 2});
  call.in("x", {kTokens, kWidth}, drawn("x", kTokens * kWidth))
      .ids("indices", {kTokens, 2}, ids)
      .in("weights", {kTokens, 2}, drawn("weights", kTokens * 2))
      .bank("gate_up", {2 * kInner, kWidth},
            {drawn("gate_up 0", 2 * kInner * kWidth), drawn("gate_up 1", 2 * kInner * kWidth)})
      .bank("down", {kWidth, kInner}, {drawn("down 0", kInner * kWidth), drawn("down 1", kInner * kWidth)})
      .out("out", {kTokens, kWidth});

  expect_same_on_three(call);
}

}  // namespace
}  // namespace parity::reference
