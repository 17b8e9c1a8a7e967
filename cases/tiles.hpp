// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The tile constants of shipped kernels (cases/tiles.json), and the golden or drawn case that crosses each: a bug at a
// kernel's tile shows only where an extent exceeds the tile and is no multiple of it, or is the one width it is made for.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cases/drawn/case_spec.hpp"
#include "core/plan.hpp"

namespace parity::cases {

struct Tile {
  std::string component;
  char axis = 0;                  // of the component's definition; N: rows; b: block_size
  int64_t extent = 0;             // of the tile, or of the width that has a separate kernel
  bool exactly = false;           // a width: some call must have it
  AxisSizes with{};               // other extents that the call must have
  AxisSizes beside{};             // extents of the drawn case only: they keep it small
  std::vector<std::string> of{};  // keys of tile_sources()

  /// "S > 256, Q = 256, D = 64".
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] const std::vector<Tile>& tiles();
/// Whose constants they are, by key.
[[nodiscard]] const std::map<std::string, std::string>& tile_sources();
/// Components that no shipped kernel computes in tiles, and why.
[[nodiscard]] const std::map<std::string, std::string>& without_tiles();

/// Extents of a node by the letters of its component's definition; with N, its rows, and b, its block size.
[[nodiscard]] AxisSizes extents_of(const Plan& plan, const Node& node);
[[nodiscard]] bool crosses(const Tile& tile, const AxisSizes& extents);

/// A case of the battery that crosses the tile. Error{internal} when none can be drawn: the table asks for what the
/// component's recipe does not make.
[[nodiscard]] CaseSpec case_across(const Tile& tile, DType working);

/// Goldens of which a recorded node crosses the tile, for each of tiles().
[[nodiscard]] std::vector<std::vector<std::string>> goldens_across(const std::vector<std::filesystem::path>& folders);
/// docs/tiles.md's table: every tile with the goldens and the case that cross it.
[[nodiscard]] std::string tile_table(const std::vector<std::filesystem::path>& folders);

}  // namespace parity::cases
