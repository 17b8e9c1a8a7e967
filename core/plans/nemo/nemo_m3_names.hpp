// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Names that the files of the plan builder of NeMo Automodel's MiniMax-M3 share.
#pragma once

namespace parity::nemo {

inline constexpr const char* kSystem = "minimax_m3_vl";
inline constexpr const char* kModel = "language_model.model.";
inline constexpr const char* kSlots = "text/slots";
inline constexpr const char* kPairs = "text/visible_pairs";
inline constexpr double kEps = 1e-20;  // in the sums of router scores

}  // namespace parity::nemo
