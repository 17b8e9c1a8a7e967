// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/msa/msa_table.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "benches/msa/top_k.hpp"
#include "optimized/registry.hpp"
#include "optimized/torch/torch.hpp"

namespace parity::benches {
namespace {

TableRow row_of(Phase phase, int64_t context, int64_t batch = 1) {
  return phase == Phase::prefill ? TableRow(phase, {batch, context, context, 16, 1, 1, 128}, DType::bf16)
                                 : TableRow(phase, {batch, 1, context, 64, 4, 4, 128}, DType::bf16);
}

/// Returns a row in which every column took `seconds`.
TableRow timed_row_of(Phase phase, int64_t context, double seconds, int64_t batch = 1) {
  TableRow row = row_of(phase, context, batch);
  for (const char* column : {"index", "select", "sparse", "msa", "dense", "sdpa", "mask", "naive"}) {
    row.cells[column].samples = {seconds};
    row.cells[column].cold = {2.0 * seconds};
    row.cells[column].cost = seconds;
  }
  return row;
}

/// The published ideal ratios: of prefill, limited by products, and of decode, limited by bytes.
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

TEST(Row, CountsDecodeColdAndPrefillWarm) {
  const TableRow decode = timed_row_of(Phase::decode, 4096, 1.0), prefill = timed_row_of(Phase::prefill, 4096, 1.0);

  EXPECT_DOUBLE_EQ(decode.seconds("msa"), 2.0);
  EXPECT_DOUBLE_EQ(decode.seconds("msa", Caches::warm), 1.0);
  EXPECT_DOUBLE_EQ(prefill.seconds("msa"), 1.0);
  EXPECT_TRUE(std::isnan(prefill.seconds("topk")));
}

TEST(Row, MsaIsWhatTheThreeTookAsOneCall) {
  TableRow row = timed_row_of(Phase::prefill, 16384, 1.0);
  row.cells["msa"].samples = {2.5, 2.0, 9.0};
  row.cells["dense"].samples = {1.0, 1.0, 1.0};
  const Peaks peaks{1.0, 1.0, 1e9, 1e9};

  EXPECT_DOUBLE_EQ(share_of_ideal(row, peaks, DType::bf16).value() * ideal_ratio(row, peaks, DType::bf16), 1.0 / 2.5);
}

TEST(Plan, GivesEverythingWhereTimeAbounds) {
  const TableRow before = timed_row_of(Phase::prefill, 4096, 1.0), next = row_of(Phase::prefill, 8192);

  const auto columns = planned_columns(before, next, 1e6, 3);

  for (const char* column : {"index", "select", "sparse", "msa", "dense", "sdpa", "mask", "naive", "topk"})
    EXPECT_TRUE(columns.contains(column)) << column;
}

/// The expected seconds in the next row: MSA at most 2.3 x 4; dense attention, SDPA and the mask 4 each.
TEST(Plan, PutsMsaFirstThenDenseThenSdpaThenTheRest) {
  const TableRow before = timed_row_of(Phase::prefill, 4096, 1.0), next = row_of(Phase::prefill, 8192);
  const auto with = [&](double left) { return planned_columns(before, next, left, 0); };

  EXPECT_TRUE(with(1.0).empty() || !with(1.0).contains("msa"));
  EXPECT_TRUE(with(13.0).contains("msa"));
  EXPECT_FALSE(with(13.0).contains("dense"));
  EXPECT_TRUE(with(17.0).contains("dense"));
  EXPECT_FALSE(with(17.0).contains("sdpa"));
  EXPECT_TRUE(with(21.0).contains("sdpa"));
  EXPECT_FALSE(with(21.0).contains("mask"));
  EXPECT_TRUE(with(30.0).contains("mask"));
}

TEST(Plan, ASlowBaselineDoesNotStarveMsa) {
  TableRow before = timed_row_of(Phase::prefill, 4096, 1.0);
  before.cells["sdpa"].cost = 1000.0;

  const auto columns = planned_columns(before, row_of(Phase::prefill, 8192), 100.0, 0);

  EXPECT_FALSE(columns.contains("sdpa"));
  EXPECT_TRUE(columns.contains("msa") && columns.contains("dense"));
}

TEST(Plan, KeepsTimeForTheRowsToCome) {
  const TableRow before = timed_row_of(Phase::prefill, 4096, 1.0), next = row_of(Phase::prefill, 8192);

  EXPECT_TRUE(planned_columns(before, next, 60.0, 0).contains("mask"));
  EXPECT_FALSE(planned_columns(before, next, 105.0, 1).contains("mask"));  // 16K takes four times this row
  EXPECT_TRUE(planned_columns(before, next, 60.0, 1).contains("mask"));    // 16K cannot be reached anyway
}

TEST(Plan, HopesForNothingThatHadNoTime) {
  TableRow before = timed_row_of(Phase::decode, 4096, 1e-3);
  before.cells["naive"] = {};
  before.cells["naive"].why = kNoTime;

  EXPECT_FALSE(planned_columns(before, row_of(Phase::decode, 8192), 1e6, 0).contains("naive"));
}

TEST(Plan, RepeatsShortCallsFor20Milliseconds) {
  EXPECT_EQ(calls_per_sample(0.5), 1);
  EXPECT_EQ(calls_per_sample(0.004), 5);
  EXPECT_EQ(calls_per_sample(1e-6), 20);
}

/// One token is limited by the experts' bytes, many tokens by products; each side has its own rates.
TEST(Layer, ScalesMeasuredRatesByWork) {
  const LayerRates rates{1e12, 1e10, 1e12, 1e10, {}};
  LayerRates twice = rates;
  twice.expert_bytes *= 2.0;
  const TableRow decode = row_of(Phase::decode, 4096), prefill = row_of(Phase::prefill, 32768);
  const double projections = 6144.0 * 128.0 * 141.0, expert = 3.0 * 6144.0 * 3072.0;

  EXPECT_NEAR(rest_of_layer(decode, rates, DType::bf16), 2.0 * (projections + 5.0 * expert) / 1e10, 1e-9);
  EXPECT_NEAR(rest_of_layer(decode, twice, DType::bf16), 2.0 * (projections + 2.5 * expert) / 1e10, 1e-9);
  EXPECT_NEAR(rest_of_layer(prefill, rates, DType::bf16), 0.25 * 2.0 * 32768.0 * (projections + 5.0 * expert) / 1e12,
              1e-9);
  EXPECT_TRUE(std::isnan(rest_of_layer(decode, LayerRates{}, DType::bf16)));
}

TEST(Layer, HoldsEachSideToItsOwnRates) {
  MsaTable table;
  table.rows = {timed_row_of(Phase::decode, 4096, 0.0)};
  table.own = {1e12, 1e10, 1e12, 1e10, {}};
  table.torch = {1e12, 0.5e10, 1e12, 0.5e10, {}};

  EXPECT_NEAR(layer_ratio(table.rows[0], table).value(), 2.0, 1e-12);
}

TEST(Text, NamesShapesBatchesAndTheCommand) {
  MsaTable table;
  table.options.batches = {1, 2};
  table.options.seed = 77;
  for (const int64_t batch : {1, 2}) {
    table.rows.push_back(timed_row_of(Phase::decode, 4096, 1e-3, batch));
    table.rows.push_back(timed_row_of(Phase::prefill, 4096, 1e-3, batch));
  }
  table.rows.back().shape.heads = 12;
  table.left_out = {"prefill 8K: no time"};

  const std::string text = table_markdown(table);

  for (const char* part :
       {"## Decode, batch 1 (64 query heads, 4 key heads", "## Decode, batch 2", "## Prefill, batch 1 (16",
        "## Prefill, batch 2 (12 query heads, 1 key head,", "--batch 1,2 --dtype bf16", "--seed 77",
        "Left out: prefill 8K: no time", "ONEDNN_MAX_CPU_ISA", "Cold: ", "Warm: "})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

size_t count_of(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Drawing, HasAPanelForEachPhaseAndBatchWithLegendAndAxes) {
  MsaTable table;
  table.options.batches = {1, 2};
  for (const int64_t batch : {1, 2}) {
    for (const int64_t context : {4096, 8192, 16384}) {
      table.rows.push_back(timed_row_of(Phase::decode, context, 1e-3, batch));
      table.rows.push_back(timed_row_of(Phase::prefill, context, 1e-3, batch));
    }
  }
  table.peaks = {1e9, 1e9, 1e9, 1e9};
  table.rows[2].cells["sdpa"].cold.clear();  // decode 8K, batch 1: the line is broken here

  const std::string svg = table_svg(table);

  for (const char* part : {"decode, batch 1", "decode, batch 2", "prefill, batch 1", "prefill, batch 2"})
    EXPECT_EQ(count_of(svg, part), 1U) << part;
  for (const char* part : {">context length, tokens<", ">time relative to MSA<", ">own dense / MSA, ideal<"})
    EXPECT_EQ(count_of(svg, part), 4U) << part;
  EXPECT_EQ(count_of(svg, "<circle"), 4U * 3U * 3U - 1U);
  EXPECT_EQ(count_of(svg, "<polyline"), 4U * 3U + 1U);
}

TEST(TopK, KnowsTheLargest) {
  const std::vector<float> row{0.5F, 3.0F, 1.0F, 2.0F, 3.0F};

  EXPECT_TRUE(are_largest(row, {2.0F, 3.0F, 3.0F}, {3, 4, 1}));
  EXPECT_FALSE(are_largest(row, {2.0F, 3.0F, 1.0F}, {3, 4, 2}));  // the largest is missing
  EXPECT_FALSE(are_largest(row, {2.0F, 3.0F, 3.0F}, {3, 4, 4}));  // an id is repeated
  EXPECT_FALSE(are_largest(row, {2.0F, 3.0F, 3.0F}, {4, 3, 1}));  // ids of other elements
  EXPECT_FALSE(are_largest(row, {2.0F, 3.0F, 3.0F}, {3, 5, 1}));
}

TEST(TopK, TimesOrSaysWhyNot) {
  for (const TopKRow& row : run_top_k(3, 1)) {
    EXPECT_FALSE(row.wrong) << row.why;
    EXPECT_EQ(row.own.size(), row.why.empty() ? 1U : 0U) << row.why;
    EXPECT_EQ(row.why.empty(), torch_backend::built()) << row.why;
  }
}

/// With the kernels of this build, whatever they are, rows are made, and each missing time has a reason.
TEST(Table, RunsAtSmallSizesAndRendersEverything) {
  TableOptions options;
  options.most = 4096;
  options.least = 4096;
  options.rounds = 2;
  options.seconds = 1e6;  // a busy machine must not leave rows out
  options.batches = {2};
  options.phases = {Phase::decode};

  const MsaTable table = run_table(options);

  EXPECT_FALSE(has_wrong(table));
  if (table.own.product_bytes > 0.0) {  // two one-token kernels, cold
    EXPECT_EQ(table.own.flushes, 2 * 5 * 2);
  }
  ASSERT_EQ(table.rows.size(), 1U);
  for (const auto& [column, cell] : table.rows[0].cells) {
    EXPECT_TRUE(cell.timed() || !cell.why.empty()) << column;
    EXPECT_EQ(cell.samples.size(), cell.timed() ? 2U : 0U) << column;
  }
  for (const char* column : {"index", "select", "sparse", "msa", "dense"})
    EXPECT_EQ(table.rows[0].cells.at(column).cold.size(), table.rows[0].cells.at(column).timed() ? 2U : 0U) << column;
  const int64_t calls = int64_t{options.rounds} * std::min(table.rows[0].calls, 3);
  const auto flushes = [&](const char* column) { return table.rows[0].cells.at(column).flushes; };
  if (table.rows[0].cells.at("dense").timed()) {
    EXPECT_EQ(flushes("dense"), calls);
  }
  if (table.rows[0].cells.at("msa").timed()) {  // each of its parts is also flushed alone
    for (const char* column : {"index", "select", "sparse"}) EXPECT_EQ(flushes(column), 2 * calls) << column;
  }
  const auto document = table_json(table);
  EXPECT_EQ(document.at("rows").size(), 1U);
  EXPECT_NE(table_markdown(table).find("| 4K"), std::string::npos);
  EXPECT_EQ(table_svg(table).rfind("<svg", 0), 0U);
}

/// A kernel that is correct in its first call and wrong in later ones gets no time.
TEST(Table, JudgesWhatWasTimedAgain) {
  if (optimized::registry_with_libraries().find("attention_dense", "cpu", "bf16") == nullptr) return;
  Registry failing = optimized::registry_with_libraries();
  int64_t calls = 0;
  const ErasedKernel right = failing.kernel("attention_dense", "cpu", "bf16").run;
  failing.replace("attention_dense", "cpu", "bf16",
                  [&](const auto& in, const auto& params, const auto& out, auto& context) {
                    right(in, params, out, context);
                    if (++calls > 1) *out.front().tensors.front().data ^= std::byte{1};
                  });
  TableOptions options;
  options.rounds = 1;
  options.kernels = &failing;

  const TableRow row = timed_row(options, Phase::decode, {1, 1, 2048, 16, 1, 1, 128}, nullptr);

  EXPECT_TRUE(row.cells.at("dense").wrong);
  EXPECT_FALSE(row.cells.at("dense").timed());
  EXPECT_FALSE(row.cells.at("sparse").wrong);
}

/// Ratios are taken sample by sample; the medians of both sides would give 2.
TEST(Ratios, AreTakenRoundByRoundAndMarkedWhereTheySpread) {
  TableRow row = row_of(Phase::prefill, 4096);
  row.cells["sdpa"].samples = {3.0, 6.0, 2.0};
  row.cells["dense"].samples = {1.0, 3.0, 2.0};

  const Ratio ratio = ratio_of(row, {{"sdpa"}}, {{"dense"}});

  EXPECT_EQ(ratio.rounds, (std::vector<double>{3.0, 2.0, 1.0}));
  EXPECT_FALSE(ratio.doubtful());  // the spread is exactly 25 %
  EXPECT_TRUE(is_doubtful(row.cells["sdpa"].samples));
  MsaTable table;
  table.rows = {row};
  const std::string text = table_markdown(table);
  EXPECT_NE(text.find("`~`:"), std::string::npos);
  EXPECT_NE(text.find("2.00x ±25%"), std::string::npos);
  const auto json = table_json(table).at("rows").at(0);
  EXPECT_EQ(json.at("sdpa_over_dense"), 2.0);
  EXPECT_EQ(json.at("columns").at("sdpa").at("doubtful"), true);
}

/// Returns a table in which SDPA took these times and MSA took a second in each sample.
MsaTable told(Phase phase, const std::vector<int64_t>& contexts, const std::vector<double>& sdpa) {
  MsaTable table;
  table.options.phases = {phase};
  for (const int64_t context : contexts) {
    TableRow row = row_of(phase, context);
    row.cells["sdpa"].samples = row.cells["sdpa"].cold = sdpa;
    row.cells["msa"].samples = row.cells["msa"].cold = std::vector<double>(sdpa.size(), 1.0);
    table.rows.push_back(row);
  }
  return table;
}

TEST(Answer, IsASentenceAt4KAndWhatItRestsOn) {
  const MsaTable table = told(Phase::decode, {2048, 4096, 8192}, {2.2, 2.3, 2.4});

  EXPECT_EQ(headlines(table), std::vector<std::string>{"decode at 4K: MSA is 2.3x SDPA ± 0.0"});
  EXPECT_TRUE(has_measured(table));
  EXPECT_EQ(table_answer(table, 80),
            "decode at 4K: MSA is 2.3x SDPA ± 0.0\n\n"
            "  decode, batch 1        SDPA       MSA      SDPA/MSA\n"
            "  2K               2.3e+03 ms  1e+03 ms  2.30x ± 0.05\n"
            "  4K               2.3e+03 ms  1e+03 ms  2.30x ± 0.05\n"
            "  8K               2.3e+03 ms  1e+03 ms  2.30x ± 0.05\n");
}

TEST(Answer, WithoutLibTorchIsAboutTheOwnKernel) {
  MsaTable table = told(Phase::prefill, {2048}, {2.0, 2.0});
  std::swap(table.rows[0].cells["sdpa"], table.rows[0].cells["dense"]);

  EXPECT_EQ(headlines(table), std::vector<std::string>{"prefill at 2K: MSA is 2.0x own dense attention ± 0.0"});
}

/// Times of a busy machine are not presented as times of the kernels.
TEST(Answer, OfABusyMachineIsThatNothingWasMeasured) {
  const MsaTable table = told(Phase::decode, {4096}, {1.0, 2.0, 90.0});

  EXPECT_FALSE(has_measured(table));
  EXPECT_EQ(headlines(table), std::vector<std::string>{"decode: machine busy, not measured"});
  EXPECT_EQ(table_markdown(table).find("±2"), std::string::npos);
  EXPECT_NE(table_answer(table, 80).find("machine busy"), std::string::npos);
  EXPECT_EQ(table_svg(table).find("fill='#c33'"), std::string::npos) << "no point is drawn";
  EXPECT_FALSE(has_measured({}));
}

TEST(Drawing, DoubtfulPointsAreHollow) {
  EXPECT_NE(table_svg(told(Phase::decode, {4096}, {1.0, 2.0, 4.0})).find("fill='white' stroke='#c33'"),
            std::string::npos);
  EXPECT_EQ(table_svg(told(Phase::decode, {4096}, {2.0, 2.0, 2.0})).find("fill='white' stroke='#c33'"),
            std::string::npos);
}

TEST(Heads, AreThoseThatKernelsTake) {
  check_heads({12, 2, 2});
  EXPECT_THROW(check_heads({12, 5, 5}), Error);
  EXPECT_THROW(check_heads({12, 2, 3}), Error);
  EXPECT_FALSE(TableRow(Phase::prefill, {1, 4096, 4096, 12, 2, 2, 128}, DType::bf16).is_shard());
  EXPECT_EQ(context_label(128), "128");
  EXPECT_EQ(context_label(4096), "4K");
}

}  // namespace
}  // namespace parity::benches
