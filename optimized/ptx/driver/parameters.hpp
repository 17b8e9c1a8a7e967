// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Parameters of a kernel from JSON to the bytes of its .param space.
#pragma once

#include <functional>

#include <nlohmann/json.hpp>

#include "optimized/ptx/text/module.hpp"

namespace parity::ptx {

/// The address of a buffer or of a .global variable, by the key ("buffer" or "symbol") and the name.
using AddressOf = std::function<uint64_t(const std::string& key, const std::string& name)>;

/// Returns the parameters in the layout that `function` declares. Throws Error{schema} if their number or sizes differ
/// from the declared ones.
[[nodiscard]] std::vector<uint8_t> parameter_bytes(const nlohmann::json& given, const Function& function,
                                                   const AddressOf& address_of);

}  // namespace parity::ptx
