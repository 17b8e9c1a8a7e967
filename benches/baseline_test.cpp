// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/baseline.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "benches/chain.hpp"
#include "benches/testing/samples.hpp"
#include "reports/document.hpp"
#include "reports/files/schema_check.hpp"

namespace parity::benches {
namespace {

using tests::around;

/// Returns the parsed file that `parity bench --save` would write.
nlohmann::json file_of(const Baseline& baseline) {
  return nlohmann::json::parse(reports::framed_text({"bench", "pass", "parity bench"}, to_json(baseline)));
}

Baseline of(double first, double again, int64_t instructions = 0) {
  return {{"cpu", "avx2", "Release", "g++", 2, 12, false},
          {{"case", "cpu", "", around(first), around(again), instructions}}};
}

TEST(Baseline, ComesBackFromItsFile) {
  Baseline written = of(1.0, 1.1, 7);
  written.environment.cold = true;
  written.environment.torch = "LibTorch 2.11.0";

  const Baseline read = baseline_from_json(file_of(written).dump(), "file");

  EXPECT_EQ(read.environment.difference(written.environment), "");
  EXPECT_TRUE(read.environment.cold);
  EXPECT_EQ(read.environment.samples, 12);
  EXPECT_EQ(read.environment.torch, "LibTorch 2.11.0");
  ASSERT_EQ(read.rows.size(), 1U);
  EXPECT_EQ(read.rows[0].samples, written.rows[0].samples);
  EXPECT_EQ(read.rows[0].again, written.rows[0].again);
  EXPECT_EQ(read.rows[0].instructions, 7);
  EXPECT_THROW(static_cast<void>(baseline_from_json("{}", "file")), Error);
  EXPECT_TRUE(reports::schema_violations(file_of(written), reports::study_schema()).empty());
}

TEST(Baseline, OfAnotherEnvironmentIsRefused) {
  Baseline other = of(1.0, 1.0);
  other.environment.level = "avx512";

  EXPECT_EQ(of(1.0, 1.0).environment.difference(other.environment), "level: 'avx2' and 'avx512'");
  EXPECT_THROW(static_cast<void>(compare(of(1.0, 1.0), other)), Error);
}

TEST(Baseline, MeasuredInAnotherWayIsRefused) {
  Baseline cold = of(1.0, 1.0), few = of(1.0, 1.0);
  cold.environment.cold = true;
  few.environment.samples = 5;

  EXPECT_EQ(of(1.0, 1.0).environment.difference(cold.environment), "caches: 'warm' and 'cold'");
  EXPECT_EQ(of(1.0, 1.0).environment.difference(few.environment), "samples: '12' and '5'");
  EXPECT_THROW(static_cast<void>(compare(of(1.0, 1.0), cold)), Error);
  EXPECT_THROW(static_cast<void>(compare(of(1.0, 1.0), few)), Error);
}

TEST(Baseline, OfAnotherLibTorchIsRefusedWhereBothTimedIt) {
  Baseline without = of(1.0, 1.0), wide = without, narrow = without;
  wide.environment.torch = "LibTorch 2.11.0, ONEDNN_MAX_CPU_ISA not set";
  narrow.environment.torch = "LibTorch 2.11.0, ONEDNN_MAX_CPU_ISA AVX2";

  EXPECT_THROW(static_cast<void>(compare(wide, narrow)), Error);
  EXPECT_NO_THROW(static_cast<void>(compare(wide, without)));
  EXPECT_NO_THROW(static_cast<void>(compare(without, wide)));
}

TEST(Baseline, OfAnOlderParityIsRefusedByName) {
  for (const std::string field : {"samples", "cold", "torch"}) {
    nlohmann::json document = file_of(of(1.0, 1.0));
    document["measured"].erase(field);
    try {
      static_cast<void>(baseline_from_json(document.dump(), "old.json"));
      ADD_FAILURE() << field;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::schema);
      EXPECT_NE(std::string(error.what()).find("old.json: the field environment." + field + " is missing"),
                std::string::npos)
          << error.what();
    }
  }
}

const BenchCase& one_token() {
  return *std::find_if(bench_cases().begin(), bench_cases().end(),
                       [](const BenchCase& each) { return each.component == "rms_norm" && each.id == "tokens-1"; });
}

/// Returns a kernel that is correct once, and with used scratch memory wrong in one element, or silent (no output).
ErasedKernel spoiled_by_its_own_scratch(const ErasedKernel& right, bool silent) {
  return [right, silent](const Arguments& in, const ParamMap& params, const Arguments& out, Context& context) {
    constexpr uint64_t kMark = 0x6b657074206f6e65;
    uint64_t* mark = context.workspace->take_elements<uint64_t>(1);
    const bool again = *mark == kMark;
    *mark = kMark;
    if (again && silent) return;
    right(in, params, out, context);
    const TensorView& view = out.front().tensors.front();
    if (again) reinterpret_cast<float*>(view.data)[view.count() - 1] *= 1.0F + 0x1p-22F;  // far within any tolerance
  };
}

TEST(Timed, AKernelThatIsRightOnlyOnceHasNoTime) {
  const Call call = one_token().make(DType::f32, 3);
  const ErasedKernel& right = bench_registry().kernel("rms_norm", "cpu", "f32").run;
  MeasureOptions options;
  options.samples = 1;
  options.seed = 3;
  const auto timed = [&](const ErasedKernel& kernel, bool cold) {
    options.cold = cold;
    std::vector<Measurement> rows(1);
    time_kernels(call, {kernel}, options, rows);
    return rows.front();
  };

  for (const bool cold : {false, true}) {
    const Measurement row = timed(right, cold);
    EXPECT_EQ(row.why, "");
    EXPECT_EQ(row.samples.size(), 1U);
  }
  for (const bool silent : {false, true}) {
    const Measurement row = timed(spoiled_by_its_own_scratch(right, silent), false);
    EXPECT_TRUE(row.samples.empty());
    EXPECT_TRUE(row.why.starts_with("out differs from the judged run when the call is repeated")) << row.why;
  }
}

/// Returns a kernel that appends `name` to `calls`; with `other_bits` it changes the last bit of its result.
ErasedKernel noting(std::string& calls, char name, bool other_bits) {
  const ErasedKernel& right = bench_registry().kernel("rms_norm", "cpu", "f32").run;
  return [&calls, &right, name, other_bits](const Arguments& in, const ParamMap& params, const Arguments& out,
                                            Context& context) {
    if (calls.empty() || calls.back() != name) calls += name;
    right(in, params, out, context);
    const TensorView& view = out.front().tensors.front();
    if (other_bits) reinterpret_cast<float*>(view.data)[view.count() - 1] *= 1.0F + 0x1p-22F;
  };
}

TEST(Timed, KernelsOfACallAreTimedInTurnsAndHeldToTheirOwnBits) {
  const Call call = one_token().make(DType::f32, 3);
  std::string calls;
  MeasureOptions options;
  options.samples = 2;
  options.seed = 3;
  std::vector<Measurement> rows(2);

  time_kernels(call, {noting(calls, 'A', false), noting(calls, 'B', true)}, options, rows);

  // Order of calls: judged AB; three untimed turns AB BA AB; two samples A..B.. B..A..; repeated AA BB.
  EXPECT_EQ(calls, "ABABABABAB");
  for (const Measurement& row : rows) {
    EXPECT_EQ(row.why, "");
    EXPECT_EQ(row.samples.size(), 2U);
  }
}

TEST(Timed, InterleavedGoesThereAndBackAndEmptiesCachesInFrontOfEachCall) {
  std::string calls;
  const auto note = [&](char name) { return [&calls, name] { calls += name; }; };

  const auto samples = interleaved({{note('A')}, {note('B'), note('-'), 2}}, 3);

  EXPECT_EQ(calls, "A-B-B-B-BAA-B-B");
  EXPECT_EQ(samples[0].size(), 3U);
  EXPECT_EQ(samples[1].size(), 3U);
}

TEST(Timed, ColdCallsFindNothingInTheCaches) {
  const Call call = one_token().make(DType::f32, 3);
  const ErasedKernel& kernel = bench_registry().kernel("rms_norm", "cpu", "f32").run;
  const Prepared prepared(call, kernel);
  prepared.run();
  const auto pieces = prepared.memory();
  const auto holds = [&](const Tensor& tensor) {
    return std::any_of(pieces.begin(), pieces.end(), [&](std::span<std::byte> piece) {
      return piece.data() == tensor.view().data && std::ssize(piece) == tensor.bytes();
    });
  };
  int64_t lines = 0;
  for (const std::span<std::byte> piece : pieces) lines += static_cast<int64_t>(piece.size()) / 64;
  for (const auto* list : {&call.inputs, &call.outputs}) {
    for (const CallOperand& operand : *list) EXPECT_TRUE(holds(operand.tensor)) << operand.field;
  }
  EXPECT_GE(prepared.flush(), lines);

  MeasureOptions options;
  options.samples = 1;
  for (const bool cold : {false, true}) {
    options.cold = cold;
    std::vector<Measurement> rows(1);
    time_kernels(call, {kernel}, options, rows);
    EXPECT_EQ(rows[0].flushed >= lines, cold);
  }
}

TEST(Baseline, RowsStandBesideLibTorchOfTheSameCase) {
  std::vector<Measurement> rows{{"a/f32/cpu", "cpu", "", {1, 2, 4}, {1, 2, 4}},
                                {"a/f32/torch", "torch", "", {3, 6, 12}, {3, 6, 12}},
                                {"b/f32/cpu", "cpu", "", {1, 1, 9}, {1, 1, 1}}};

  relate_to_torch(rows);

  EXPECT_DOUBLE_EQ(rows[0].over_torch.ratio, 3.0);
  EXPECT_DOUBLE_EQ(rows[0].over_torch.spread, 0.0);  // spread of the ratios, not of the times
  EXPECT_DOUBLE_EQ(rows[1].over_torch.ratio, 1.0);
  EXPECT_DOUBLE_EQ(rows[2].over_torch.ratio, 0.0);
  EXPECT_TRUE(rows[2].unsteady());
  EXPECT_FALSE((Measurement{"a", "cpu", "", {1, 1.1, 1.2}, {1, 1, 1}}).unsteady());
}

TEST(Baseline, WhatIsAskedForAndGoneStaysGone) {
  MeasureOptions options;
  EXPECT_EQ(asked_of(of(1.0, 1.0), options).rows.size(), 1U);
  options.select = "cas?";
  EXPECT_EQ(asked_of(of(1.0, 1.0), options).rows.size(), 1U);
  options.select = "other";
  EXPECT_TRUE(asked_of(of(1.0, 1.0), options).rows.empty());
  options = {};
  options.backend = "torch";
  EXPECT_TRUE(asked_of(of(1.0, 1.0), options).rows.empty());
}

TEST(Baseline, OfDamagedRowsIsRefused) {
  const auto refused = [](const std::function<void(nlohmann::json&)>& damage) {
    nlohmann::json document = file_of(of(1.0, 1.0));
    damage(document);
    EXPECT_THROW(static_cast<void>(baseline_from_json(document.dump(), "file")), Error) << document.dump();
  };
  refused([](auto& d) { d["schema_version"] = "1.1"; });
  refused([](auto& d) { d["rows"][0]["samples"][3] = 0.0; });
  refused([](auto& d) { d["rows"][0]["again"][3] = -1.0; });
  refused([](auto& d) { d["rows"][0]["again"].erase(0); });
  refused([](auto& d) { d["rows"][0]["instructions"] = -1; });
  refused([](auto& d) { d["rows"].push_back(d["rows"][0]); });
}

TEST(Baseline, SlowerNeedsBothPasses) {
  EXPECT_EQ(compare(of(1.0, 1.0), of(1.0, 1.0))[0].times, Verdict::same);
  EXPECT_EQ(compare(of(1.0, 1.0), of(1.2, 1.2))[0].times, Verdict::slower);
  EXPECT_EQ(compare(of(1.0, 1.0), of(1.2, 1.0))[0].times, Verdict::inconclusive);
}

TEST(Baseline, InstructionsAloneMakeACaseSlower) {
  const Compared compared = compare(of(1.0, 1.0, 1000), of(1.0, 1.0, 1100))[0];

  EXPECT_EQ(compared.times, Verdict::same);
  EXPECT_TRUE(compared.slower());
}

TEST(Baseline, CasesThatAreGoneOrWrongAreNamed) {
  const Baseline old = of(1.0, 1.0);
  Baseline now = old;
  now.rows.clear();
  ASSERT_EQ(compare(old, now).size(), 1U);
  EXPECT_TRUE(compare(old, now).front().gone);

  now = old;
  now.rows.front().samples.clear();
  now.rows.front().why = "out is wrong";
  EXPECT_TRUE(compare(old, now).front().wrong);
}

TEST(Baseline, CasesThatItLacksAreNamed) {
  Baseline now = of(1.0, 1.0);
  now.rows[0].name = "new";
  EXPECT_EQ(compare(of(1.0, 1.0), now)[0].why, "not in the baseline");
  now = of(1.0, 1.0);
  now.rows[0].samples.clear();
  now.rows[0].why = "out is wrong";
  EXPECT_EQ(compare(of(1.0, 1.0), now)[0].why, "out is wrong");
}

TEST(Study, KeepsItsPromiseUpToTheFloors) {
  EXPECT_TRUE((Study{200, 2, 50, 200, 180}).keeps(kFoundByClock));
  EXPECT_FALSE((Study{200, 3, 50, 200, 200}).keeps(kFoundByClock));
  EXPECT_FALSE((Study{200, 0, 50, 200, 179}).keeps(kFoundByClock));
  EXPECT_FALSE((Study{200, 0, 50, 200, 197}).keeps(kFoundByCount));
  EXPECT_TRUE((Study{200, 0, 50, 200, 198}).keeps(kFoundByCount));
  EXPECT_FALSE(Study{}.keeps(0.0));  // a study without pairs shows nothing
}

/// Tests the gate's promise on drawn times of fixed seeds, so that the result is always the same.
TEST(Study, EqualKernelsAreNotAccusedAndSlowOnesAreFound) {
  const Study quiet = simulated_study(200, 0.1, 0.01);

  EXPECT_LE(quiet.alarms, 2);
  EXPECT_GE(quiet.found, 180);
  EXPECT_EQ(simulated_study(200, 0.1, 0.05).alarms, 0);  // noise may leave verdicts undecided, but not wrong
}

}  // namespace
}  // namespace parity::benches
