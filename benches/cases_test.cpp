// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/cases.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "benches/chain.hpp"
#include "benches/msa/naive_msa.hpp"
#include "benches/msa/selections.hpp"
#include "reference/reference.hpp"

namespace parity::benches {
namespace {

TEST(Cases, HaveNamesOfTheirOwnAndComponentsThatAreThere) {
  std::set<std::string> names;
  for (const BenchCase& bench : bench_cases()) {
    EXPECT_TRUE(names.insert(bench.name(DType::bf16)).second) << bench.name(DType::bf16);
    EXPECT_NO_THROW(static_cast<void>(bench_registry().component(bench.component)));
    for (const FusedPart& part : parts_of(bench.component))
      EXPECT_NO_THROW(static_cast<void>(reference::registry().component(part.component)));
  }
}

TEST(Cases, BalancedExpertsGetAsManyTokensEach) {
  const auto& cases = bench_cases();
  const auto found = std::find_if(cases.begin(), cases.end(), [](const BenchCase& each) {
    return each.component == "moe_experts" && each.id == "balanced-512";
  });
  ASSERT_NE(found, cases.end());
  const Tensor ids = found->make(DType::f32, 1).of("indices");
  std::vector<int64_t> tokens(16, 0);
  for (int64_t i = 0; i < ids.view().count(); ++i) ++tokens.at(static_cast<size_t>(ids.i64()[i]));

  EXPECT_EQ(tokens, std::vector<int64_t>(16, 512 * 4 / 16));
}

TEST(Chains, AreJudgedAsSpansOfTheirParts) {
  for (const BenchCase& bench : bench_cases()) {
    if (bench.id != "tokens-1" || parts_of(bench.component).empty() || bench.component == "mxfp8_linear") continue;
    const Call call = bench.make(DType::bf16, 1);
    for (const char* variant : {"bf16", "bf16-chain"}) {
      const ErasedKernel& run = bench_registry().kernel(bench.component, "cpu", variant).run;
      const ErasedKernel forgets = [&](const Arguments& in, ParamMap params, const Arguments& out, Context& context) {
        params["gain_offset"] = 0.0;  // drops the one that is added to the weight
        run(in, params, out, context);
      };
      EXPECT_EQ(why_wrong(call, run, slices_of(call, 1)), std::nullopt) << bench.component << " " << variant;
      EXPECT_TRUE(why_wrong(call, forgets, slices_of(call, 1)).has_value()) << bench.component << " " << variant;
    }
  }
}

TEST(Cases, EveryKeyHeadIsJudged) {
  for (const int64_t queries : {1, 30}) {
    const Call call = dense_call({1, queries, 40, 12, 4, 4, 16}, DType::bf16, 1);
    std::set<int64_t> judged, rows;
    const auto slices = slices_of(call, 5);
    for (const Slice& slice : slices) {
      judged.insert(slice.at('G').first);
      rows.insert(slice.at('S').first);
      EXPECT_EQ(slice.at('A'), std::pair(slice.at('G').first * 3, int64_t{3}));
    }
    EXPECT_EQ(judged.size(), 4U) << queries;
    EXPECT_TRUE(rows.contains(0) && rows.contains(queries - 1)) << queries;
    EXPECT_LE(slices.size(), queries == 1 ? 4U : 6U);  // limits the cost of judging
  }
}

/// Each query sees its own slot and all slots before it; 16 heads, 1 key head, width 128.
TEST(Work, CountsWhatIsSeen) {
  const AttentionShape two{1, 2, 2, 16, 1, 1, 128};
  EXPECT_DOUBLE_EQ(dense_work(two, DType::f32).flops, 4.0 * 128 * 16 * (1 + 2));
  EXPECT_DOUBLE_EQ(sparse_work(two, DType::f32).flops, dense_work(two, DType::f32).flops);
  EXPECT_DOUBLE_EQ(index_work(two, DType::f32).flops, 0.0);

  const AttentionShape decode{1, 1, 4096, 64, 4, 4, 128};
  EXPECT_DOUBLE_EQ(sparse_work(decode, DType::bf16).flops, 4.0 * 128 * 64 * 2048);
  EXPECT_DOUBLE_EQ(index_work(decode, DType::bf16).flops, 2.0 * 128 * 4 * 4096);
  EXPECT_DOUBLE_EQ(dense_work(decode, DType::bf16).read, 2.0 * 128 * (64 + 2 * 4096 * 4));
  EXPECT_DOUBLE_EQ(dense_work(decode, DType::bf16).written, 2.0 * 128 * 64);
}

TEST(Selections, AreDistinctVisibleAndAsSticky) {
  const AttentionShape shape{1, 4096, 4096, 16, 1, 1, 128};
  const Tensor sticky = drawn_blocks(shape, Selection::sticky, 1), random = drawn_blocks(shape, Selection::random, 1);

  for (int64_t s = 0; s < shape.queries; ++s) {
    const int64_t* row = sticky.i64() + s * kTopK;
    const std::set<int64_t> chosen(row, row + kTopK);
    EXPECT_EQ(row[0], s / kBlock);
    EXPECT_LE(*chosen.rbegin(), s / kBlock);
    const int64_t wanted = std::min(kTopK, s / kBlock + 1);
    EXPECT_EQ(chosen.size(), static_cast<size_t>(wanted < kTopK ? wanted + 1 : wanted));  // -1 ends a short list
  }
  EXPECT_NEAR(overlap_of(sticky, shape), kOverlap, 0.06);
  EXPECT_LT(overlap_of(random, shape), overlap_of(sticky, shape));
}

Call small_sparse(DType type) {
  const AttentionShape shape{1, 5, 300, 4, 2, 1, 16};
  return sparse_call(shape, type, 7, drawn_blocks(shape, Selection::random, 7));
}

TEST(Judged, TheNaiveKernelIsRight) {
  for (const DType type : {DType::f32, DType::bf16}) {
    const Call call = small_sparse(type);
    const auto& kernel = naive_registry().kernel("attention_block_sparse", "naive", to_string(type)).run;
    EXPECT_EQ(why_wrong(call, kernel, slices_of(call, 7)).value_or("right"), "right");
  }
}

/// A kernel that omits the last row, and one whose result is a tenth too large: neither gets a time.
TEST(Judged, WrongKernelsAreNamed) {
  const Call call = small_sparse(DType::f32);
  const auto& right = naive_registry().kernel("attention_block_sparse", "naive", "f32").run;
  const auto spoiled = [&](float factor) {
    return ErasedKernel(
        [&, factor](const Arguments& in, const ParamMap& params, const Arguments& out, Context& context) {
          right(in, params, out, context);
          const TensorView& view = out.front().tensors.front();
          auto* data = reinterpret_cast<float*>(view.data);
          for (int64_t i = view.count() - 64; i < view.count(); ++i) data[i] *= factor;
        });
  };

  EXPECT_FALSE(why_wrong(call, spoiled(1.0F), slices_of(call, 7)).has_value());
  const auto wrong = why_wrong(call, spoiled(1.1F), slices_of(call, 7));
  ASSERT_TRUE(wrong.has_value());
  EXPECT_NE(wrong->find(" the limit at ["), std::string::npos) << *wrong;
  EXPECT_TRUE(why_wrong(call, spoiled(std::numeric_limits<float>::quiet_NaN()), slices_of(call, 7)).has_value());
}

}  // namespace
}  // namespace parity::benches
