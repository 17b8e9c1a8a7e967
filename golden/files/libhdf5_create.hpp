// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a writer creates in addition to elements: storage layouts, shapes, attributes.
#pragma once

#include "core/tensor.hpp"
#include "golden/files/activation_writer.hpp"
#include "golden/files/libhdf5.hpp"

namespace parity::golden::libhdf5 {

/// Contiguous storage up to 4 KiB; above, chunks of whole rows of at most 1 MiB, shuffled and deflated at level 1.
[[nodiscard]] Handle storage_properties(const Shape& shape, DType dtype);
[[nodiscard]] Handle space_of(const Shape& shape);

/// Writes an attribute. Text has variable length, as h5py writes it, so that Python readers get str, not bytes.
void write_value(hid_t object, const std::string& name, const AttributeValue& value);
/// Writes a text attribute of fixed length, whose bytes are in the object's header.
void write_fixed_text(hid_t object, const std::string& name, std::string text);

}  // namespace parity::golden::libhdf5
