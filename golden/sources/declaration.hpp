// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A capture's declaration (docs/captures.md): that it is a capture, what was not computed, how it writes values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "golden/files/activation_file.hpp"
#include "golden/sources/statements.hpp"

namespace parity::golden {

/// Meaning of a block list's order: descending score (list), or none (set).
enum class IdsOrder : uint8_t { unstated, list, set };

/// Root attribute that marks a capture, and its only value. `parity capture init` writes it; no other code copies it.
inline constexpr const char* kMarker = "capture";
inline constexpr const char* kMarked = "declared";
/// Attribute of a dataset: "no" until its values are written; "lent" if they are not the engine's and are not judged.
inline constexpr const char* kComputed = "computed";
inline constexpr const char* kLent = "lent";

struct Declaration {
  bool marked = false;             // the root has the marker
  std::vector<std::string> taps;   // globs of taps that were not computed
  std::vector<std::string> only;   // globs of the taps that were computed; empty: all that are not declared absent
  std::vector<std::string> calls;  // ids of calls that were not computed: "003"
  std::vector<int64_t> rows;       // indices of sequences that were not computed
  bool padding = false;            // nothing was computed at padding
  IdsOrder ids_order = IdsOrder::unstated;
  std::optional<double> nothing;  // scores at or below this number stand for -inf
  Statements stated;              // statements about how the capture was computed
  bool own_weights = false;       // the engine computed with the file's weights/

  /// Whether the whole tap is declared absent, under its main name or an alias.
  [[nodiscard]] bool leaves_out(const std::string& tap, const std::string& alias) const;
  /// The declared gaps, one line each.
  [[nodiscard]] std::vector<std::string> text() const;
};

/// Reads the declaration. Throws Error{schema} for an undocumented value and for an unknown attribute not_computed_…,
/// because a typing error could make the judge skip a tap or accuse it.
[[nodiscard]] Declaration declaration_of(const ActivationFile& file);
/// Whether the values of a dataset were written, by the engine or by others; true without the attribute.
[[nodiscard]] bool is_computed(const DatasetInfo& dataset);
[[nodiscard]] bool is_lent(const DatasetInfo& dataset);
/// The number that stands for -inf in a dataset: its attribute `nothing`, else that of `file`.
[[nodiscard]] std::optional<double> nothing_of(const DatasetInfo& dataset, const Declaration& file);
/// The call of a tap: "002" for "steps/002/text/embed/out"; empty for other paths.
[[nodiscard]] std::string call_of(const std::string& path);
/// Returns a tap with its call and layer replaced by "*": "steps/*/text/layers/*/out".
[[nodiscard]] std::string tap_of_every_place(const std::string& tap);

}  // namespace parity::golden
