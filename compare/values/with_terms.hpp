// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A recording of one process, with what only ranks have and exchange, as the candidate computed it. So a rank's wrong
// term is found at that rank, and not in the sums of all.
#pragma once

#include <set>
#include <string>

#include "replay/captures/tap_source.hpp"

namespace parity::compare {

class WithTerms final : public replay::TapSource {
 public:
  /// `own` has the taps that are taken from `computed`, unless they are recorded. All must outlive the object.
  WithTerms(const replay::TapSource& recorded, const replay::TapSource& computed, const std::set<std::string>& own)
      : TapSource(recorded.plan()), recorded_(recorded), computed_(computed), own_(own) {}

  [[nodiscard]] bool has(const std::string& tap) const override { return recorded_.has(tap) || has_term(tap); }
  [[nodiscard]] std::vector<bool> uncomputed(const std::string& tap) const override {
    return recorded_.has(tap) ? recorded_.uncomputed(tap) : std::vector<bool>();
  }

 private:
  [[nodiscard]] bool has_term(const std::string& tap) const { return own_.contains(tap) && computed_.has(tap); }
  [[nodiscard]] Tensor held(const std::string& tap) const override {
    return recorded_.has(tap) ? recorded_.read(tap) : computed_.read(tap);
  }

  const replay::TapSource& recorded_;
  const replay::TapSource& computed_;
  const std::set<std::string>& own_;
};

}  // namespace parity::compare
