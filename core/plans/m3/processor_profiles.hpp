// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Profiles of image and video processors and of prompt expansion; their ranges of releases differ from the models'.
#pragma once

#include "core/plans/profile.hpp"

namespace parity {

/// Profiles of the processors, from a file-by-file comparison of releases 5.12.0 to 5.23.0 (processors of the model,
/// their backends, default sampling). Settings are parameters of components. Config "size_is_area": the image
/// processor's limits are in `size`; "segment": vision_segment_max_frames if the configuration lacks it.
[[nodiscard]] const std::vector<Profile>& processor_profiles();
/// The processor profile called `name`. Throws Error{unsupported}, which lists the profiles.
[[nodiscard]] const Profile& find_processor_profile(const std::string& name);

}  // namespace parity
