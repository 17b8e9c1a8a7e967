// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/msa_table.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace parity::benches {
namespace {

TableRow row_of(Phase phase, int64_t context) {
  TableRow row;
  row.phase = phase;
  row.shape = phase == Phase::prefill ? AttentionShape{1, context, context, 16, 1, 1, 128}
                                      : AttentionShape{1, 1, context, 64, 4, 4, 128};
  row.dense = dense_work(row.shape, DType::bf16);
  row.sparse = sparse_work(row.shape, DType::bf16);
  row.index = index_work(row.shape, DType::bf16);
  return row;
}

/// The published flop-ideal ratios of prefill, and the byte-ideal ones of decode.
TEST(Ideal, IsThePublishedOne) {
  const Peaks computing{1.0, 1.0, 1e9, 1e9}, reading{1e9, 1e9, 1.0, 1.0};
  EXPECT_NEAR(ideal_ratio(row_of(Phase::prefill, 2048), computing, DType::bf16), 1.0, 1e-12);
  EXPECT_NEAR(ideal_ratio(row_of(Phase::prefill, 4096), computing, DType::bf16), 1.31, 0.02);
  EXPECT_NEAR(ideal_ratio(row_of(Phase::prefill, 8192), computing, DType::bf16), 2.19, 0.02);
  EXPECT_NEAR(ideal_ratio(row_of(Phase::prefill, 16384), computing, DType::bf16), 3.86, 0.03);
  EXPECT_NEAR(ideal_ratio(row_of(Phase::decode, 16384), reading, DType::bf16), 4.0, 0.05);
}

TEST(Published, IsMsaOverSdpa) {
  EXPECT_NEAR(published_ratio(Phase::decode, 16384), 2.3, 1e-9);
  EXPECT_NEAR(published_ratio(Phase::prefill, 8192), 1906.0 / 976.0, 1e-12);
  EXPECT_TRUE(std::isnan(published_ratio(Phase::decode, 32768)));
}

TEST(Row, MsaIsTheSumOfItsPartsOrNothing) {
  TableRow row = row_of(Phase::prefill, 4096);
  row.cells["index"].samples = {1.0};
  row.cells["select"].samples = {0.25};
  EXPECT_TRUE(std::isnan(row.msa()));
  row.cells["sparse"].samples = {2.0, 3.0, 9.0};
  EXPECT_DOUBLE_EQ(row.msa(), 4.25);

  TableRow everything = row_of(Phase::prefill, 2048);  // no indexer where all blocks are selected
  everything.cells["sparse"].samples = {2.0};
  EXPECT_DOUBLE_EQ(everything.msa(), 2.0);
}

/// Whatever kernels this build has: rows come out, and what has no time says why.
TEST(Table, RunsAtSmallSizesAndRendersEverything) {
  TableOptions options;
  options.most = 4096;
  options.least = 4096;
  options.rounds = 5;
  options.seconds = 60.0;
  options.phases = {Phase::decode};

  const MsaTable table = run_table(options);

  ASSERT_EQ(table.rows.size(), 1U);
  for (const auto& [column, cell] : table.rows[0].cells) {
    EXPECT_FALSE(cell.wrong) << column << ": " << cell.why;
    EXPECT_TRUE(cell.timed() || !cell.why.empty()) << column;
    EXPECT_EQ(cell.samples.size(), cell.timed() ? 5U : 0U) << column;
  }
  const auto document = nlohmann::json::parse(table_json(table));
  EXPECT_EQ(document.at("rows").size(), 1U);
  EXPECT_NE(table_markdown(table).find("| 4K"), std::string::npos);
  EXPECT_EQ(table_svg(table).rfind("<svg", 0), 0U);
}

}  // namespace
}  // namespace parity::benches
