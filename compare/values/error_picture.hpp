// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// How the errors of one tap are spread: over its positions, by size, and against the magnitude of the exact values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/tensor.hpp"

namespace parity::compare {

/// The tap as at most 64 x 64 cells. Columns are the last axis, rows all others joined. A cell holds the largest used
/// budget of its elements: cell (r, c) is `budget[r * columns + c]`.
struct ErrorMap {
  std::string row_axes, column_axis;          // letters: "B,S" and "H"; empty: there is none
  int64_t row_extent = 1, column_extent = 1;  // positions that the cells divide
  int64_t rows = 1, columns = 1;              // cells, at most 64
  std::vector<double> budget;
};

/// Elements whose signed error (got - rounded), in units in the last place, lies in (from, to]; below zero in
/// [from, to). `from` equals `to` for the elements without an error.
struct UlpBin {
  double from = 0.0, to = 0.0;
  int64_t elements = 0;
};

/// Elements with from <= |exact| < to: one octave. Errors are |got - exact|.
struct MagnitudeBin {
  double from = 0.0, to = 0.0;
  int64_t elements = 0;
  double largest = 0.0;  // error
  double rms = 0.0;      // error
  double allowed = 0.0;  // largest tolerance
};

struct WorstElement {
  std::vector<int64_t> index;
  double exact = 0.0, rounded = 0.0, got = 0.0;
  double ulp = 0.0;  // signed: (got - rounded) in units of the tap's type
  double budget_used = 0.0;
};

struct ErrorPicture {
  ErrorMap map;
  std::vector<UlpBin> ulp;              // from the most negative to the most positive error
  int64_t no_numbers = 0;               // elements that `ulp` leaves out, because got or rounded is not finite
  std::vector<MagnitudeBin> magnitude;  // at most 40: the largest octaves
  std::vector<WorstElement> worst;      // at most 16, worst first
};

struct Values;

/// Draws the picture of a tap of numbers with that shape and these axes ("B,S,H").
[[nodiscard]] ErrorPicture picture_of(const Values& values, const std::string& axes, const Shape& shape);

}  // namespace parity::compare
