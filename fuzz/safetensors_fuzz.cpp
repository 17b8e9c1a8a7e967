// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "fuzz/fuzz.hpp"
#include "golden/files/safetensors_header.hpp"

namespace parity::fuzz {

void try_input(std::string_view input) {
  for (const auto& [name, tensor] : golden::parse_safetensors_header(std::as_bytes(std::span(input)))) {
    PARITY_CHECK(
        tensor.offset >= 0 && tensor.bytes >= 0 && tensor.offset + tensor.bytes <= static_cast<int64_t>(input.size()),
        internal, "{} lies outside of the file", name);
  }
}

}  // namespace parity::fuzz
