// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The fields of report.json, in lists used by both writer and reader. Functions of an archive: field(name, value);
// optional(name, value), left out when empty; derived(name, value), written but not read; group(name, body), an object
// without a struct.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "compare/judging/record.hpp"
#include "reports/json/picture_fields.hpp"

namespace parity::reports {

template <class Archive>
void fields(Archive& a, Ref<Archive, std::pair<std::string, std::string>> library) {
  a.field("name", library.first);
  a.field("version", library.second);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, Environment> x) {
  a.field("version", x.version);
  a.field("build_type", x.build_type);
  a.field("compiler", x.compiler);
  a.field("flags", x.flags);
  a.field("os", x.os);
  a.field("cpu", x.cpu);
  a.field("threads", x.threads);
  a.field("memory_bytes", x.memory_bytes);
  a.field("libraries", x.libraries);
  a.field("when", x.when);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::Worst> x) {
  a.field("index", x.index);
  a.field("exact", x.exact);
  a.field("rounded", x.rounded);
  a.field("got", x.got);
  a.field("ulp", x.ulp);
  a.optional("at", x.at);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::Terms> x) {
  a.field("rounding", x.rounding);
  a.field("noise", x.noise);
  a.field("oracle", x.oracle);
  a.field("last", x.last);
  a.field("drift", x.drift);
  a.field("tolerance", x.tolerance);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::Slice> x) {
  a.field("axis", x.axis);
  a.field("position", x.position);
  a.field("positions", x.positions);
  a.field("failed", x.failed);
  a.field("budget_used", x.budget_used);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::Bias> x) {
  a.field("scale", x.scale);
  a.field("offset", x.offset);
  a.field("z", x.z);
  a.field("where", x.where);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::Noise> x) {
  a.field("ratio", x.ratio);
  a.field("worst_row", x.worst_row);
  a.field("row", x.row);
  a.field("elements", x.elements);
  a.field("median_row", x.median_row);
  a.field("rows", x.rows);
  a.field("error", x.error);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::Deviation> x) {
  a.field("kind", x.kind);
  a.field("text", x.text);
  a.field("cost", x.cost);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::Undecided> x) {
  a.field("elements", x.elements);
  a.field("deviating", x.deviating);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::BitEqual> x) {
  a.derived("share", x.share());
  a.field("equal", x.equal);
  a.field("total", x.total);
  a.field("near_ties", x.near_ties);
  a.field("max_ulp", x.max_ulp);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::Logits> x) {
  a.field("tokens", x.tokens);
  a.field("top1_agree", x.top1_agree);
  a.field("kl_mean", x.kl_mean);
  a.field("kl_max", x.kl_max);
  a.field("flip_margin", x.flip_margin);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::Flip> x) {
  a.field("sequence", x.sequence);
  a.field("token", x.token);
  a.field("chosen", x.chosen);
  a.field("left_out", x.left_out);
  a.field("gap", x.gap);
  a.field("reach", x.reach);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::Discrete> x) {
  a.field("must", x.must);
  a.field("may", x.may);
  a.field("must_not", x.must_not);
  a.field("rows", x.rows);
  a.field("violations", x.violations);
  a.field("flips", x.flips);
  a.field("expected", x.expected);
  a.field("delta", x.delta);
  a.optional("flipped", x.flipped);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::Record> x) {
  a.field("tap", x.tap);
  a.field("component", x.component);
  a.optional("span", x.span);
  a.field("backend", x.backend);
  a.field("variant", x.variant);
  a.field("mode", x.mode);
  a.field("status", x.status);
  a.optional("reason", x.reason);
  a.field("dtype", x.dtype);
  a.field("axes", x.axes);
  a.field("shape", x.shape);
  a.field("layer", x.layer);
  a.field("elements", x.elements);
  a.field("failed", x.failed);
  a.field("uncomputed", x.uncomputed);
  a.field("budget_used", x.budget_used);
  a.field("relative_error", x.relative_error);
  a.field("added", x.added);
  a.field("inherited", x.inherited);
  a.field("worst", x.worst);
  a.field("bound", x.terms);
  a.field("slices", x.slices);
  a.field("bias", x.bias);
  a.field("bit_equal", x.bit_equal);
  a.field("noise", x.noise);
  a.field("undecided", x.undecided);
  a.field("logits", x.logits);
  a.field("discrete", x.discrete);
  a.field("deviation", x.deviation);
  a.optional("unnoticed", x.unnoticed);
  a.optional("accepted", x.accepted);
  a.optional("where", x.where);
  a.optional("picture", x.picture);
  a.field("repro", x.repro);
  a.optional("seconds", x.seconds);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::TapCounts> x) {
  a.field("judged", x.judged);
  a.field("input", x.input);
  a.field("alias", x.alias);
  a.field("parameter", x.parameter);
  a.field("yardstick", x.yardstick);
  a.field("spanned", x.spanned);
  a.field("not_recorded", x.not_recorded);
  a.field("unknown", x.unknown);
  a.field("unselected", x.unselected);
  a.field("unjudged", x.unjudged);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::ValueMatch> x) {
  a.field("kind", x.kind);
  a.field("axis", x.axis);
  a.field("detail", x.detail);
  a.field("explains", x.explains);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::Divergence> x) {
  a.field("tap", x.tap);
  a.field("component", x.component);
  a.field("layer", x.layer);
  a.optional("explanation", x.explanation);
  a.optional("values", x.values);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::RankFinding> x) {
  a.field("tap", x.tap);
  a.field("wrong", x.wrong);
  a.field("right", x.right);
  a.field("sender", x.sender);
  a.field("text", x.text);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::WeightDifference> x) {
  a.field("name", x.name);
  a.field("relative_rms", x.relative_rms);
  a.field("largest", x.largest);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::CaptureSummary> x) {
  a.field("declared", x.declared);
  a.field("inputs", x.inputs);
  a.optional("not_computed", x.not_computed);
  a.optional("stated", x.stated);
  a.field("goldens_bits", x.goldens_bits);
  a.optional("weights", x.weights);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::Coverage> x) {
  a.field("component", x.component);
  a.field("judged", x.judged);
  a.field("of", x.of);
}

/// Writes {"tap", "parameter": "rms_norm.eps=1e-05", "text", "explains"}. The key of the value is Cause::what.
template <class Archive>
void fields(Archive& a, Ref<Archive, compare::Cause> x) {
  a.field("tap", x.tap);
  a.choice({"fault", "parameter", "function", "profile"}, x.what, x.value);
  a.field("text", x.text);
  a.field("explains", x.explains);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::LinkTraffic> x) {
  a.field("rank", x.rank);
  a.field("layer", x.layer);
  a.field("component", x.component);
  a.field("messages", x.messages);
  a.field("bytes", x.bytes);
  a.field("expected", x.expected);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::Shard> x) {
  a.field("index", x.index);
  a.field("of", x.of);
  a.field("total", x.total);
  a.field("command", x.command);
  a.field("goldens", x.goldens);
  a.field("options", x.options);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::GoldenReport> x) {
  a.field("path", x.path);
  a.field("name", x.name);
  a.field("sha256", x.sha256);
  a.field("oracle", x.oracle);
  a.optional("system", x.system);
  a.field("profile", x.profile);
  a.field("candidate", x.candidate);
  a.optional("layout", x.layout);
  a.field("policy", x.policy);
  a.field("class", x.answer);
  a.field("verdict", x.verdict);
  a.optional("reason", x.reason);
  a.field("first_divergence", x.first_divergence);
  a.optional("ranks", x.ranks);
  a.optional("causes", x.causes);
  a.field("taps", x.taps);
  a.optional("unknown_taps", x.unknown_taps);
  a.field("capture", x.capture);
  a.optional("not_shown", x.not_shown);
  a.optional("coverage", x.coverage);
  a.optional("links", x.links);
  a.field("notes", x.notes);
  a.field("seconds", x.seconds);
  a.group("largest_span", [&](auto& span) {
    span.field("bytes", x.largest_span_bytes);
    span.field("nodes", x.largest_span);
  });
  a.field("records", x.records);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::RunReport> x) {
  a.field("class", x.answer);
  a.field("verdict", x.verdict);
  a.field("exit_code", x.exit_code);
  a.field("command", x.command);
  a.field("environment", x.environment);
  a.optional("shard", x.shard);
  a.field("first_divergence", x.first_divergence);
  if constexpr (Archive::kWrites) {
    a.field("causes", x.causes);
  } else {
    a.optional("causes", x.causes);  // older reports lack it
  }
  a.field("counts", x.counts);
  a.field("goldens", x.goldens);
  a.derived("benches", std::vector<int64_t>{});  // filled by `parity bench`
  a.field("seconds", x.seconds);
  a.field("peak_rss_bytes", x.peak_rss_bytes);
}

}  // namespace parity::reports
