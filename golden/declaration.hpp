// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a capture says of itself (docs/captures.md): that it is one, what it did not compute, how it writes values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "golden/activation_file.hpp"
#include "golden/statements.hpp"

namespace parity::golden {

/// How block lists are meant: in descending score, or in any order.
enum class IdsOrder : uint8_t { unstated, list, set };

/// Marker of a capture, and its only value: `parity capture init` writes it, nothing copies it.
inline constexpr const char* kMarker = "capture";
inline constexpr const char* kMarked = "declared";
/// Attribute of a dataset: "no" until somebody wrote its values, "lent" where they are another's: read, and not judged.
inline constexpr const char* kComputed = "computed";
inline constexpr const char* kLent = "lent";

struct Declaration {
  bool marked = false;             // the root has the marker
  std::vector<std::string> taps;   // globs over taps that were not computed
  std::vector<std::string> only;   // globs: nothing else was computed; empty: everything that is not declared absent
  std::vector<std::string> calls;  // "003": not computed
  std::vector<int64_t> rows;       // sequences that were not computed
  bool padding = false;            // nothing was computed at padding
  IdsOrder ids_order = IdsOrder::unstated;
  std::optional<double> nothing;  // scores at or below it stand for -inf
  Statements stated;              // how it computes
  bool own_weights = false;       // its weights/ are what the engine computed with

  /// The tap as a whole is said to be absent, under its own or a further name.
  [[nodiscard]] bool leaves_out(const std::string& tap, const std::string& alias) const;
  /// What it says that it did not compute, a line each.
  [[nodiscard]] std::vector<std::string> text() const;
};

/// Error{schema} for a value that is none of those documented, and for an attribute not_computed_… that does not exist: a
/// slip of the pen would be judged, or hidden.
[[nodiscard]] Declaration declaration_of(const ActivationFile& file);
/// Whether the values of a dataset were written, by whomever; true where nothing is said.
[[nodiscard]] bool is_computed(const DatasetInfo& dataset);
[[nodiscard]] bool is_lent(const DatasetInfo& dataset);
/// The value that stands for -inf in a dataset: its own attribute `nothing`, else `file`'s.
[[nodiscard]] std::optional<double> nothing_of(const DatasetInfo& dataset, const Declaration& file);
/// "002" of "steps/002/text/embed/out"; empty elsewhere.
[[nodiscard]] std::string call_of(const std::string& path);

}  // namespace parity::golden
