// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Finds taps of a capture with the golden's bits. The capture's stated origin tells if they were computed or copied.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/captures/capture_facts.hpp"
#include "compare/judging/record.hpp"
#include "golden/sources/declaration.hpp"
#include "replay/runs/recording.hpp"
#include "replay/spans/span.hpp"

namespace parity::compare {

/// Statements of a capture that an implementation other than the golden's made its values.
struct Origin {
  bool marked = false;                      // the marker is set: every value in the file was computed
  bool attention = false, experts = false;  // the file names another implementation of these than the golden
};
[[nodiscard]] Origin origin_of(const golden::Declaration& declared, const Implementation& goldens,
                               const Implementation& captures);

/// Finds the taps with the golden's bits. Reads each tap only once. Both recordings must outlive the object.
class GoldensBits {
 public:
  GoldensBits(const replay::Recording& golden, const replay::Recording& capture) : golden_(golden), capture_(capture) {}

  /// Whether the tap has equal bits in both recordings. False if either lacks the tap.
  [[nodiscard]] bool same(const std::string& tap);
  /// Returns the number of recorded outputs with the golden's bits and the number with other bits.
  [[nodiscard]] std::pair<int64_t, int64_t> count();
  /// Whether a recorded output whose name contains `part` has bits other than the golden's.
  [[nodiscard]] bool differ_in(std::string_view part);

 private:
  const replay::Recording& golden_;
  const replay::Recording& capture_;
  std::map<std::string, bool> same_;
};

/// Refuses a capture in which most taps have the golden's bits, unless its marker or both implementation names state
/// its origin. One name counts only if that kernel's taps differ. Adds a reason to `not_shown`. Returns true if all
/// bits are the golden's: then all records are skipped.
bool refuse_copy(const Origin& origin, GoldensBits& bits, GoldenReport& report);

/// Skips each tap with the golden's bits whose inputs have other bits: it was copied, not computed. Returns the count.
int64_t skip_copied(const replay::Recording& golden, const replay::Recording& capture,
                    const std::vector<replay::Span>& spans, GoldensBits& bits, GoldenReport& report);

/// Marks the record as skipped for `reason`.
void skip(Record& record, const std::string& reason);

}  // namespace parity::compare
