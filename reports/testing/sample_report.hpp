// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// For tests: a hand-made report. One golden has every status, another could not be judged.
#pragma once

#include <cmath>
#include <string>

#include "compare/judging/record.hpp"

namespace parity::reports::tests {

inline constexpr const char* kFailingTap = "steps/000/text/layers/07/input_norm/out";

inline compare::Record passing_record() {
  compare::Record r;
  r.tap = "steps/000/text/layers/03/attention/core/out";
  r.component = "attention_dense";
  r.span = {"steps/000/text/layers/03/q_rope", "steps/000/text/layers/03/attention/core"};
  r.backend = "cuda";
  r.variant = "wgmma";
  r.dtype = DType::bf16;
  r.axes = "B,S,AD";
  r.shape = {2, 17, 4096};
  r.layer = 3;
  r.elements = 139264;
  r.budget_used = 0.4375;
  r.relative_error = 0.0012;
  r.worst = {{1, 16, 4095}, 0.5, 0.5, 0.501953125, 1.0};
  r.terms = {1e-3, 1e-7, 5e-4, 2e-3, 0.0, 4.5e-3};
  r.slices = {{"head", 63, 64, 0, 0.4375}};
  r.bias = {1.0001, -1e-5, 2.5, "row 16"};
  r.bit_equal = {139260, 139264, 3, 1.0};
  r.noise = {0.25, 1.5, 16, 135168, 0.2};
  r.undecided = {4096, 1};
  r.logits = {34, 33, 1e-5, 2e-4, 0.0625};
  r.repro = "parity repro 'm3<a&b>#steps/000/text/layers/03/attention/core/out' --candidate cuda:wgmma";
  return r;
}

inline compare::Record failing_record() {
  compare::Record r = passing_record();
  r.tap = kFailingTap;
  r.component = "rms_norm";
  r.span.clear();
  r.variant = "warp";
  r.status = compare::Status::fail;
  r.axes = "S,H";
  r.shape = {17, 6144};
  r.layer = 7;
  r.elements = 104448;
  r.failed = 3;
  r.budget_used = 2.0;
  r.worst = {{11, 4097}, 0.248711, 0.24902344, 0.25195312, 2.0};
  r.bit_equal = {104445, 104448, 0, 2.0};
  r.picture = compare::ErrorPicture{{"S", "H", 17, 6144, 1, 2, {0.5, 2.0}},
                                    {{-2.0, -1.0, 3}, {0.0, 0.0, 104445}},
                                    1,
                                    {{0.125, 0.25, 104448, 3e-3, 1e-4, 1.5e-3}},
                                    {{{11, 4097}, 0.248711, 0.24902344, 0.25195312, 3.0, 2.0}}};
  r.where = "all 3 in s=11, h=4096..4127: one warp's 32 columns";
  r.repro = "parity repro 'm3<a&b>#steps/000/text/layers/07/input_norm/out' --candidate cuda:warp";
  return r;
}

inline compare::Record plain_record(compare::Status status, const std::string& tap, const std::string& reason) {
  compare::Record r;
  r.tap = tap;
  r.component = "experts_hf";
  r.backend = "cuda";
  r.status = status;
  r.reason = reason;
  r.repro = "parity repro 'm3<a&b>#" + tap + "'";
  return r;
}

inline compare::Record choosing_record() {
  compare::Record r = failing_record();
  r.tap = "steps/000/text/layers/03/moe/router/indices";
  r.component = "router";
  r.dtype = DType::i64;
  r.axes = "N,K";
  r.shape = {34, 4};
  r.where = "row 5";
  r.reason = "id 7 is beyond twice the score error";
  r.discrete = compare::Discrete{34, 130, 6, 900, 2, 1, 0.25, 1e-3};
  r.discrete->flipped = {{1, 16, 7, 3, 1e-3, 2e-3}};
  r.picture.reset();
  return r;
}

inline compare::Record chained_record() {
  compare::Record r = failing_record();
  r.mode = compare::Mode::chained;
  r.budget_used = std::nan("");
  r.relative_error = HUGE_VAL;
  r.added = 0.0012;
  r.inherited = 0.03;
  r.worst.got = -HUGE_VAL;
  return r;
}

inline compare::GoldenReport golden_report() {
  compare::GoldenReport g;
  g.path = "goldens/m3";
  g.name = "m3<a&b>";
  g.sha256 = std::string(64, 'a');
  g.oracle = "transformers 5.12.0";
  g.system = "minimax_m3_vl";
  g.profile = "hf-5.12.0";
  g.candidate = "cuda";
  g.verdict = compare::Status::fail;
  g.first_divergence = {kFailingTap, "rms_norm", 7, "partial_rotary_factor = 1.0",
                        compare::ValueMatch{compare::ValueKind::exchanged, "A", "heads 3 and 5 exchanged", 1.0}};
  g.taps = {5, 2, 1, 1, 1, 1, 1, 1};
  g.unknown_taps = {"steps/000/text/odd|one"};
  g.notes = {"no clamp is reached"};
  g.records = {passing_record(),
               failing_record(),
               choosing_record(),
               plain_record(compare::Status::mistrusted, "steps/000/a", "would accept 0 for 40% of the elements"),
               plain_record(compare::Status::error, "steps/000/b", "kernel threw"),
               plain_record(compare::Status::skipped, "steps/000/c", "needs a GPU"),
               plain_record(compare::Status::unimplemented, "steps/000/d", "no cuda kernel"),
               plain_record(compare::Status::not_recorded, "steps/000/e", ""),
               chained_record()};
  g.links = {{1, 7, "all_reduce", 3, 4096, 4096}};
  g.seconds = 1.25;
  g.largest_span_bytes = int64_t{3} << 33;
  g.largest_span = "text/layers/03";
  return g;
}

inline compare::RunReport sample_report() {
  compare::RunReport report;
  report.command = "parity run goldens/* --candidate cuda";
  report.environment = {
      "0.1.0", "Release", "g++ 12", "-O2", "Debian", "a cpu", 2, int64_t{1} << 40, {{"z", "1"}, {"a", "2"}}, "now"};
  report.verdict = compare::Status::fail;
  report.exit_code = 1;
  report.goldens = {golden_report(), {}};
  report.first_divergence = report.goldens[0].first_divergence;
  report.goldens[1].path = "goldens/absent";
  report.goldens[1].verdict = compare::Status::error;
  report.goldens[1].reason = "activations.h5 is missing; run golden/fetch.sh";
  report.counts = {{"pass", 1}, {"fail", 3}, {"error", 1}};
  report.seconds = 2.5;
  report.peak_rss_bytes = int64_t{1} << 30;
  report.shard = {2, 3, 5, "parity run", {1, 4}, {{"--candidate", "cuda"}}};
  return report;
}

inline compare::RunReport green_report() {
  compare::RunReport report;
  report.goldens.resize(1);
  report.goldens[0].name = "m3";
  report.goldens[0].records = {passing_record()};
  report.goldens[0].taps.judged = 1;
  report.counts = {{"pass", 1}};
  return report;
}

}  // namespace parity::reports::tests
