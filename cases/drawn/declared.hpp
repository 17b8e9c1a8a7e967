// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Draws, before the declared operands of a component, its dependent extents, ids with a meaning, and parameters.
// Operands and outputs that are drawn here are not drawn again.
#pragma once

#include <map>
#include <string>

#include "cases/drawn/maker.hpp"

namespace parity::cases {

/// Draws sequences of at least one token.
inline void draw_sequences(CaseMaker& m) {
  m.range('B', 1, 2);
  m.extent('S', 17);
}

inline void draw_rows(CaseMaker& m) {
  draw_sequences(m);
  m.size('N', m.size('B') * m.size('S'));
}

/// Draws how many ranks hold parts: also more than an unrolled loop over them adds at a time.
inline int64_t draw_ranks(CaseMaker& m) { return m.one_of<int64_t>({1, 2, 3, 4, 5, 8, 9, 17}); }

[[nodiscard]] const std::map<std::string, Recipe>& declared_extents();

/// Adds the components of images and videos.
void add_media_extents(std::map<std::string, Recipe>& extents);
/// Adds collectives of which ranks send each other single rows.
void add_rank_extents(std::map<std::string, Recipe>& extents);
/// Adds the losses and the load of experts.
void add_loss_extents(std::map<std::string, Recipe>& extents);

}  // namespace parity::cases
