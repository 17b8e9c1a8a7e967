// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/goldens/goldens_bits.hpp"

#include <algorithm>
#include <cstring>

namespace parity::compare {
namespace {

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::memcmp(a.view().data, b.view().data, static_cast<size_t>(a.bytes())) == 0;
}

/// Returns the span that judges `tap`, or nullptr.
const replay::Span* span_of(const std::vector<replay::Span>& spans, const std::string& tap) {
  const auto found = std::find_if(spans.begin(), spans.end(), [&](const replay::Span& span) {
    return std::find(span.judged.begin(), span.judged.end(), tap) != span.judged.end();
  });
  return found == spans.end() ? nullptr : &*found;
}

constexpr const char* kGoldens =
    "every tap has the golden's bits and none is declared as computed: the file is a copy of the golden, which proves "
    "nothing; to declare taps, fill a file of `parity capture init`";

/// Whether the file states that taps equal to the golden's were computed.
bool is_vouched_for(const Origin& origin, GoldensBits& bits) {
  if (origin.marked || (origin.attention && origin.experts)) return true;
  return (origin.attention && bits.differ_in("/attention/")) || (origin.experts && bits.differ_in("/moe/"));
}

}  // namespace

Origin origin_of(const golden::Declaration& declared, const Implementation& goldens, const Implementation& captures) {
  return {declared.marked, captures.attention != goldens.attention, captures.experts != goldens.experts};
}

bool GoldensBits::same(const std::string& tap) {
  const auto [known, fresh] = same_.try_emplace(tap, false);
  if (fresh && golden_.available(tap) && capture_.available(tap))
    known->second = same_bytes(golden_.read(tap), capture_.read(tap));
  return known->second;
}

std::pair<int64_t, int64_t> GoldensBits::count() {
  std::pair<int64_t, int64_t> result;
  for (const auto& [tap, info] : capture_.plan().taps) {
    if (info.producer >= 0 && capture_.has(tap)) ++(same(tap) ? result.first : result.second);
  }
  result.second += static_cast<int64_t>(capture_.mismatches().size());
  return result;
}

bool GoldensBits::differ_in(std::string_view part) {
  const auto& taps = capture_.plan().taps;
  return std::any_of(taps.begin(), taps.end(), [&](const auto& tap) {
    const bool held = tap.second.producer >= 0 && capture_.has(tap.first);
    return held && tap.first.find(part) != std::string::npos && !same(tap.first);
  });
}

void skip(Record& record, const std::string& reason) {
  record.status = Status::skipped;
  record.reason = reason;
  record.where.clear();
  record.deviation.reset();
}

bool refuse_copy(const Origin& origin, GoldensBits& bits, GoldenReport& report) {
  const auto [same, other] = bits.count();
  if (same <= other || is_vouched_for(origin, bits)) return false;
  if (other == 0) {
    for (Record& record : report.records) skip(record, "has the golden's bits, like the whole file");
    report.reason = kGoldens;
    return true;
  }
  report.not_shown.push_back(
      fmt::format("{} of {} taps have the golden's bits, and none is declared as computed: the file is a changed copy "
                  "of the golden; to declare taps, fill a file of `parity capture init`",
                  same, same + other));
  return false;
}

int64_t skip_copied(const replay::Recording& golden, const replay::Recording& capture,
                    const std::vector<replay::Span>& spans, GoldensBits& bits, GoldenReport& report) {
  int64_t skipped = 0;
  for (Record& record : report.records) {
    const bool right = record.status == Status::pass && !record.deviation;
    const replay::Span* span = right || record.mode != Mode::isolated ? nullptr : span_of(spans, record.tap);
    if (span == nullptr || capture.lent().contains(record.tap) || !bits.same(record.tap)) continue;
    const auto other = std::find_if(span->inputs.begin(), span->inputs.end(), [&](const std::string& input) {
      return golden.available(input) && !bits.same(input);
    });
    if (other == span->inputs.end()) continue;
    skip(record,
         fmt::format("has the golden's bits although its input {} differs, so it was copied, not computed", *other));
    ++skipped;
  }
  return skipped;
}

}  // namespace parity::compare
