// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The slices of a tap along one axis: which expected slice a wrong one holds, found by fingerprints.
#pragma once

#include <string>
#include <vector>

#include "compare/value_view.hpp"

namespace parity::compare {

/// The tap as a product of axes, row-major; leading axes may be folded into one ("token" of sequences and tokens).
struct Layout {
  std::vector<std::string> letters, words;
  Shape extents;
  bool own_axes = true;  // nothing is folded
};

/// The judge's groupings, and with the first two, three … axes in one: rows, and slices of rows, wherever they are.
[[nodiscard]] std::vector<Layout> layouts_of(const ValueView& view);

/// Slices along `axis` at those positions of the other axes at which something is wrong.
class Slices {
 public:
  Slices(const ValueView& view, const Layout& layout, size_t axis);

  [[nodiscard]] int64_t extent() const { return extent_; }
  [[nodiscard]] const std::string& letter() const { return letter_; }
  [[nodiscard]] const std::string& word() const { return word_; }
  [[nodiscard]] const ValueView& view() const { return view_; }
  [[nodiscard]] bool own_axes() const { return own_axes_; }
  /// Wrong elements at position p; those positions, ascending.
  [[nodiscard]] int64_t wrong_at(int64_t p) const { return wrong_at_[static_cast<size_t>(p)]; }
  [[nodiscard]] const std::vector<int64_t>& wrong() const { return wrong_; }
  /// Whether (nearly) all of slice p holds what is expected of slice q; `negligible` slices of few elements must agree wholly.
  [[nodiscard]] bool holds(int64_t p, int64_t q) const;
  /// Whether every wrong element of slice p is 0.
  [[nodiscard]] bool is_zero(int64_t p) const;
  /// Positions whose expected slice p holds; a few when there are many.
  [[nodiscard]] std::vector<int64_t> sources(int64_t p) const;
  /// Elements of slice q that explain wrong ones of slice p.
  void add_sources(int64_t p, int64_t q, std::vector<int64_t>& elements) const;

 private:
  struct Probe {
    int64_t offset = 0;                              // of an element within the slice
    double reach = 0.0;                              // largest slack there
    std::vector<std::pair<double, int64_t>> sorted;  // finite expected values and their slices
  };

  void place_probes();
  [[nodiscard]] int64_t element(int64_t p, int64_t offset) const { return p * stride_ + offset; }

  const ValueView& view_;
  std::string letter_, word_;
  int64_t extent_ = 1, stride_ = 1;
  bool own_axes_ = true;
  std::vector<int64_t> offsets_;  // of a slice's elements, from its first one's place
  std::vector<int64_t> wrong_at_, wrong_;
  std::vector<Probe> probes_;
};

}  // namespace parity::compare
