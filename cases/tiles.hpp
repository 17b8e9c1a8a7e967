// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Tile constants of shipped kernels (cases/tiles.json), and the golden or drawn case that crosses each. A bug at a tile
// shows only if an extent exceeds the tile and is no multiple of it, or is the width the kernel is for.
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
  char axis = 0;                  // letter of the component's definition; N: rows; b: block_size
  int64_t extent = 0;             // extent of the tile, or the width that has a separate kernel
  bool exactly = false;           // true for a width: some call must have exactly it
  AxisSizes with{};               // other extents that the call must have
  AxisSizes beside{};             // extents of only the drawn case, to keep it small
  std::vector<std::string> of{};  // keys of tile_sources()

  /// Returns the tile in words: "S > 256, Q = 256, D = 64".
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] const std::vector<Tile>& tiles();
/// Returns the sources of the constants by key.
[[nodiscard]] const std::map<std::string, std::string>& tile_sources();
/// Returns the components that no shipped kernel computes in tiles, with the reason.
[[nodiscard]] const std::map<std::string, std::string>& without_tiles();

/// Returns a node's extents by letters of its component's definition, with N for its rows and b for its block size.
[[nodiscard]] AxisSizes extents_of(const Plan& plan, const Node& node);
[[nodiscard]] bool crosses(const Tile& tile, const AxisSizes& extents);

/// Returns a case of the battery that crosses the tile. Throws Error{internal} if the component's recipe cannot make
/// one.
[[nodiscard]] CaseSpec case_across(const Tile& tile, DType working);

/// Returns for each of tiles() the goldens with a recorded node that crosses it.
[[nodiscard]] std::vector<std::vector<std::string>> goldens_across(const std::vector<std::filesystem::path>& folders);
/// Returns a table of every tile with the goldens and the case that cross it, and one of their sources.
[[nodiscard]] std::string tile_table(const std::vector<std::filesystem::path>& folders);

}  // namespace parity::cases
