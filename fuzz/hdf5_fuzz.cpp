// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The HDF5 reader: all structures and elements of a file from an untrusted source. A random change breaks checksums of
// metadata, so each checksum that the reader refuses is corrected and the file is read again.
#include <cstdio>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "golden/files/activation_index.hpp"
#include "golden/hdf5/dataset.hpp"

namespace parity::fuzz {
namespace {

using namespace golden;

constexpr int64_t kMostBytes = int64_t{4} << 20;  // largest number of bytes of elements read from one input

void read_elements(const hdf5::Image& image, const ActivationIndex& index) {
  int64_t left = kMostBytes;
  for (size_t i = 0; i < index.datasets.size() && left > 0; ++i) {
    hdf5::Dataset dataset(image, hdf5::ObjectHeader(image, index.addresses[i]));
    const Shape& shape = dataset.shape();
    Shape block(shape.size(), 1), start(shape.size(), 0);
    if (!shape.empty()) block.back() = std::min<int64_t>(shape.back(), left / dataset.type().size);
    const int64_t bytes = element_count(block) * dataset.type().size;
    if (bytes <= 0 || element_count(shape) == 0 || bytes > left) continue;
    std::vector<std::byte> target(static_cast<size_t>(bytes));
    dataset.read(start, block, target.data());
    left -= bytes;
    if (dataset.type().is_text() && element_count(shape) * dataset.type().size < left) (void)dataset.texts();
  }
}

/// Corrects the checksum that `message` complains about. Returns whether there was one.
bool repaired(std::vector<std::byte>& bytes, const std::string& message) {
  constexpr std::string_view kWords = "the checksum of the ";
  const size_t at = message.find(kWords);
  unsigned long length = 0, address = 0;
  if (at == std::string::npos) return false;
  if (std::sscanf(message.c_str() + at + kWords.size(), "%lu bytes at %lu", &length, &address) != 2) return false;
  const uint32_t right = hdf5::checksum(hdf5::ByteSpan(bytes).subspan(address, length - 4));
  std::memcpy(bytes.data() + address + length - 4, &right, sizeof right);
  return true;
}

}  // namespace

void try_input(std::string_view input) {
  constexpr int kRepairs = 64;
  const auto* first = reinterpret_cast<const std::byte*>(input.data());
  std::vector<std::byte> bytes(first, first + input.size());
  for (int i = 0; i < kRepairs; ++i) {
    try {
      const hdf5::Image image(bytes);
      read_elements(image, index_of(image));
      return;
    } catch (const Error& error) {
      if (!repaired(bytes, error.what())) throw;
    }
  }
}

}  // namespace parity::fuzz
