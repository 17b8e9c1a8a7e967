// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Releases whose image and video processors and prompt expansion agree: other borders than those of the models.
#pragma once

#include "core/plans/profile.hpp"

namespace parity {

/// Compared file by file from 5.12.0 to 5.23.0 (the processors of the model, their backends, the default sampling).
/// Settings are parameters of components; config "size_is_area": the image processor's limits are in `size`; "segment":
/// vision_segment_max_frames where the configuration does not say.
[[nodiscard]] const std::vector<Profile>& processor_profiles();
/// Error{unsupported} lists them.
[[nodiscard]] const Profile& find_processor_profile(const std::string& name);

}  // namespace parity
