// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/machine/access.hpp"

namespace parity::ptx {

/// Takes ".global", ".shared::cta" and so on; generic if there is none.
[[nodiscard]] Space take_space(Decoder& d);
/// Takes ".relaxed.gpu", ".volatile" and so on into strength and scope.
void take_order(Decoder& d, Step& step);

}  // namespace parity::ptx
