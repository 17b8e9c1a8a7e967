// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Slices of a tap along one axis. Finds by fingerprints which expected slice a wrong slice contains.
#pragma once

#include <string>
#include <vector>

#include "compare/values/value_view.hpp"

namespace parity::compare {

/// The tap as a product of axes, row-major. Leading axes may be folded into one ("token" for sequences and tokens).
struct Layout {
  std::vector<std::string> letters, words;
  Shape extents;
  bool own_axes = true;  // no axes are folded
};

/// Returns the judge's groupings, and each with its first two, three … axes folded, for rows and slices of rows.
[[nodiscard]] std::vector<Layout> layouts_of(const ValueView& view);

/// Slices along `axis`, compared at those positions of the other axes that have a wrong element.
class Slices {
 public:
  Slices(const ValueView& view, const Layout& layout, size_t axis);

  [[nodiscard]] int64_t extent() const { return extent_; }
  [[nodiscard]] const std::string& letter() const { return letter_; }
  [[nodiscard]] const std::string& word() const { return word_; }
  [[nodiscard]] const ValueView& view() const { return view_; }
  [[nodiscard]] bool own_axes() const { return own_axes_; }
  /// Returns the number of wrong elements at position p. `wrong()` lists the positions that have any, ascending.
  [[nodiscard]] int64_t wrong_at(int64_t p) const { return wrong_at_[static_cast<size_t>(p)]; }
  [[nodiscard]] const std::vector<int64_t>& wrong() const { return wrong_; }
  /// Whether (nearly) all of slice p equals what is expected of slice q. If the slice has few elements, all must agree.
  [[nodiscard]] bool holds(int64_t p, int64_t q) const;
  /// Whether every wrong element of slice p is 0.
  [[nodiscard]] bool is_zero(int64_t p) const;
  /// Returns the positions whose expected values slice p has; only some if there are many.
  [[nodiscard]] std::vector<int64_t> sources(int64_t p) const;
  /// Appends the elements of slice q that explain wrong elements of slice p.
  void add_sources(int64_t p, int64_t q, std::vector<int64_t>& elements) const;

 private:
  struct Probe {
    int64_t offset = 0;                              // offset of an element within the slice
    double reach = 0.0;                              // largest slack at this offset
    std::vector<std::pair<double, int64_t>> sorted;  // finite expected values with their slices
  };

  void place_probes();
  [[nodiscard]] int64_t element(int64_t p, int64_t offset) const { return p * stride_ + offset; }

  const ValueView& view_;
  std::string letter_, word_;
  int64_t extent_ = 1, stride_ = 1;
  bool own_axes_ = true;
  std::vector<int64_t> offsets_;  // offsets of a slice's elements from its first element
  std::vector<int64_t> wrong_at_, wrong_;
  std::vector<Probe> probes_;
};

}  // namespace parity::compare
