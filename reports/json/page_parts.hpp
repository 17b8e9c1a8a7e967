// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The parts of the HTML page, which CMake joins from the files of page/ and compiles in.
#pragma once

#include <string_view>

namespace parity::reports {

[[nodiscard]] std::string_view page_frame();   // page/frame.html
[[nodiscard]] std::string_view page_style();   // page/*.css, by name
[[nodiscard]] std::string_view page_script();  // page/*.js, by name

}  // namespace parity::reports
