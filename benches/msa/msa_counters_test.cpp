// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/msa/msa_counters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "optimized/cuda/modules.hpp"
#include "optimized/cuda_host/machine_place.hpp"
#include "optimized/registry.hpp"

namespace parity::benches {
namespace {

using optimized::cuda::MachinePlace;
using testing::ElementsAre;
using testing::HasSubstr;

CountedTableOptions some_options() {
  CountedTableOptions options;
  options.gpu = &ptx::gpu("h200");
  return options;
}

class CountedTableKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!optimized::cuda::has_modules()) GTEST_SKIP() << "this build has no nvcc";
  }
  /// With as many heads that no launch is split: one writes what it reads.
  const AttentionShape shape_{1, 300, 300, 64, 4, 4, 128};
};

ptx::Counters counted(const Call& call, const ptx::Sample& sample = {}) {
  const optimized::cuda::LaunchCounters counters(sample);
  const std::string variant = call.component == "attention_block_sparse" ? "bf16-union" : "bf16";  // as the table
  Prepared(call, optimized::registry_with_libraries().kernel(call.component, kCountedBackend, variant).run).run();
  return counters.launches().front().counters;
}

/// Lists of at most two blocks; nobody selects key block 3, and the last one, 4, is incomplete.
Tensor few_blocks(const AttentionShape& shape) {
  const Tensor blocks(DType::i64, {1, 1, shape.queries, 2}, "B,X,S,T");
  for (int64_t s = 0; s < shape.queries; ++s) {
    blocks.i64()[2 * s] = s / kBlock;
    blocks.i64()[2 * s + 1] = s / kBlock == 2 ? 4 : -1;
  }
  return blocks;
}

TEST_F(CountedTableKernels, BytesInClosedFormAreThoseOfAFullLaunch) {
  MachinePlace place(false, MachinePlace::kCapability, ptx::Fresh::zeros);
  const Values zeros(place);
  const Tensor blocks = drawn_blocks(shape_, Selection::sticky, 1);
  const Tensor scores = Tensor::unwritten(DType::f32, {1, 4, 300, 3}, "B,X,S,J", place);
  const auto same = [](const char* kernel, const ptx::Counters& all, const ptx::UniqueBytes& stated) {
    EXPECT_TRUE(all.run.empty()) << kernel << ": all blocks ran";
    EXPECT_EQ(all.unique->read, stated.read) << kernel;
    EXPECT_EQ(all.unique->written, stated.written) << kernel;
  };

  same("dense", counted(dense_call(shape_, DType::bf16, zeros)), unique_of_dense(shape_, DType::bf16));
  same("index", counted(index_call(shape_, DType::bf16, zeros)), unique_of_index(shape_, DType::bf16));
  same("select", counted(select_call(shape_, DType::bf16, scores)), unique_of_select(shape_));
  same("sparse", counted(sparse_call(shape_, DType::bf16, zeros, blocks)),
       unique_of_sparse(shape_, DType::bf16, blocks));
}

TEST_F(CountedTableKernels, ASampleScalesToWhatTheWholeLaunchCosts) {
  MachinePlace place(false, MachinePlace::kCapability, ptx::Fresh::zeros);
  const Call call = dense_call(shape_, DType::bf16, Values(place));
  const ptx::Counters part = counted(call, {.blocks = 16, .seed = 1});
  const auto products = [](const ptx::Counters& counters) {
    return static_cast<double>(counters.total().multiply_adds.at("bf16 m16n8k16"));
  };

  EXPECT_EQ(part.run.size(), 16U);
  EXPECT_NEAR(products(part) / products(counted(call)), 1.0, 0.05);
}

TEST_F(CountedTableKernels, KeysThatNobodySelectsAreNotCounted) {
  const AttentionShape shape{1, 300, 600, 2, 1, 1, 128};  // queries begin in the third key block
  const Tensor blocks = few_blocks(shape);
  MachinePlace place(false, MachinePlace::kCapability, ptx::Fresh::zeros);
  const ptx::Counters all = counted(sparse_call(shape, DType::bf16, Values(place), blocks));

  EXPECT_EQ(all.unique->read, unique_of_sparse(shape, DType::bf16, blocks).read);
}

TEST_F(CountedTableKernels, CostTheSameWhateverTheOperandsHold) {
  const AttentionShape shape{1, 200, 200, 4, 2, 2, 128};
  const Tensor blocks = drawn_blocks(shape, Selection::sticky, 1);
  MachinePlace place(false), zeros(false, MachinePlace::kCapability, ptx::Fresh::zeros);

  EXPECT_EQ(counted(sparse_call(shape, DType::bf16, 7, blocks).at(place)).total(),
            counted(sparse_call(shape, DType::bf16, Values(zeros), blocks)).total());
  EXPECT_EQ(counted(index_call(shape, DType::bf16, 7).at(place)).total(),
            counted(index_call(shape, DType::bf16, Values(zeros))).total());
}

TEST(Union, IsOfTheTilesWhoseQueriesAllSelectTheWidth) {
  const Tensor blocks(DType::i64, {1, 1, 6, 2}, "B,X,S,T");
  const std::vector<int64_t> ids{0, -1, 1, 0, /**/ 2, 0, 2, 1, /**/ 3, 1, 3, 1};
  std::copy(ids.begin(), ids.end(), blocks.i64());

  EXPECT_DOUBLE_EQ(union_of(blocks, 1), 2.0);
  EXPECT_DOUBLE_EQ(union_of(blocks, 2), 2.5) << "of {2, 0, 1} and {3, 1}";
  EXPECT_DOUBLE_EQ(union_of(blocks, 7), 0.0);
}

/// A kernel that does what is ideal, and nothing else.
CountedCase ideal_kernel(const std::string& name, const Work& work) {
  CountedCase made{name, "", work};
  ptx::Counters& counters = made.launches.emplace_back().counters;
  counters.blocks = 1;
  counters.lines.resize(1);
  counters.lines[0].cost.multiply_adds["bf16 m16n8k16"] = static_cast<uint64_t>(work.flops / 2);
  counters.unique = ptx::UniqueBytes{{}, static_cast<uint64_t>(work.read), static_cast<uint64_t>(work.written)};
  return made;
}

CountedRow ideal_row(int64_t context) {
  const AttentionShape shape{1, context, context, 64, 4, 4, 128};
  CountedRow row{shape, {}};
  row.kernels = {ideal_kernel("dense", dense_work(shape, DType::bf16)),
                 ideal_kernel("index", index_work(shape, DType::bf16)), ideal_kernel("select", {}),
                 ideal_kernel("sparse", sparse_work(shape, DType::bf16)),
                 ideal_kernel(kOneQuery, sparse_work(shape, DType::bf16))};
  return row;
}

TEST(BoundRatio, OfIdealKernelsIsThePublishedOne) {
  const ptx::Gpu& gpu = ptx::gpu("h200");
  for (const auto& [context, published] : {std::pair{4096, 1.31}, {8192, 2.19}, {16384, 3.86}, {131072, 16.3}}) {
    const CountedRow row = ideal_row(context);

    EXPECT_NEAR(ideal_bound_ratio(row, gpu, DType::bf16), published, 0.02 * published) << context;
    EXPECT_NEAR(bound_ratio(row, gpu), ideal_bound_ratio(row, gpu, DType::bf16), 1e-6) << context;
  }
}

TEST(CountedTableText, SaysWhatRanAndWhatWasLeftOut) {
  CountedTable table{
      some_options(), {ideal_row(8192)}, {"contexts of 16K and longer, because 9 s more would exceed --seconds 60"}};
  table.rows[0].kernels[0].launches[0].counters.blocks = 8;
  table.rows[0].kernels[0].launches[0].counters.run = {3, 4};
  const std::string text = counted_table_text(table);

  EXPECT_THAT(text, HasSubstr("2 of 8"));
  EXPECT_THAT(text, HasSubstr("left out: contexts of 16K and longer"));
  EXPECT_EQ(counted_table_json(table)["cases"][0]["name"], "sdpa-msa/8192/dense/bf16/cuda-host");
  EXPECT_EQ(counted_table_json(table)["rows"][0]["context"], 8192);
}

TEST(CountedTable, RefusesBlocksThatAModelWouldSelect) {
  CountedTableOptions options = some_options();
  options.selection = Selection::model;

  EXPECT_THROW(static_cast<void>(count_table(options)), Error);
}

}  // namespace
}  // namespace parity::benches
