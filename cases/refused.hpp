// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The error of a kernel that says of a call: it is not made for it. The battery leaves such cases out and counts them.
#pragma once

#include <string>

#include "core/error.hpp"

namespace parity::cases {

class Refused : public Error {
 public:
  explicit Refused(const std::string& why) : Error(ErrorCode::unsupported, why) {}
};

}  // namespace parity::cases
