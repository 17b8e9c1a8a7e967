// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Taps of a capture that have the golden's bits: computed, or copied? What the file says of its origin decides.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/capture_facts.hpp"
#include "compare/record.hpp"
#include "golden/declaration.hpp"
#include "replay/recording.hpp"
#include "replay/span.hpp"

namespace parity::compare {

/// Who says that something else than the golden's implementation made the file.
struct Origin {
  bool marked = false;                      // the marker: everything in it was computed
  bool attention = false, experts = false;  // it names an implementation of these that is not the golden's
};
[[nodiscard]] Origin origin_of(const golden::Declaration& declared, const Implementation& goldens,
                               const Implementation& captures);

/// Which taps have the golden's bits; every tap is read once. Both recordings must outlive it.
class GoldensBits {
 public:
  GoldensBits(const replay::Recording& golden, const replay::Recording& capture) : golden_(golden), capture_(capture) {}

  /// False where one of the two has no such tap.
  [[nodiscard]] bool same(const std::string& tap);
  /// Recorded outputs with the golden's bits, and with others.
  [[nodiscard]] std::pair<int64_t, int64_t> count();
  /// A recorded output whose name contains `part` has other bits than the golden's.
  [[nodiscard]] bool differ_in(std::string_view part);

 private:
  const replay::Recording& golden_;
  const replay::Recording& capture_;
  std::map<std::string, bool> same_;
};

/// A file in which more taps have the golden's bits than others must say who computed them: by its marker, or by naming
/// both implementations; one of the two counts where that kernel's taps have other bits than the golden's. Else it is not shown, and
/// where all bits are the golden's, its records are skipped. True when they were.
bool refuse_copy(const Origin& origin, GoldensBits& bits, GoldenReport& report);

/// Skips taps with the golden's bits whose inputs have others: they were copied, not computed from these. Returns how many.
int64_t skip_copied(const replay::Recording& golden, const replay::Recording& capture,
                    const std::vector<replay::Span>& spans, GoldensBits& bits, GoldenReport& report);

/// The record shows nothing.
void skip(Record& record, const std::string& reason);

}  // namespace parity::compare
