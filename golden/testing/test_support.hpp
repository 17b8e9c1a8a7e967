// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Support for the tests of this folder: small goldens, and files written by libhdf5 directly.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "golden/files/activation_writer.hpp"
#include "golden/files/libhdf5.hpp"
#include "golden/files/temporary_folder.hpp"

namespace parity::golden::test {

[[nodiscard]] std::string bytes_of(const std::filesystem::path& file);
void write_bytes(const std::filesystem::path& file, const std::string& bytes);

/// A tensor of random bit patterns, which include NaN and denormals; each seed gives other bits.
[[nodiscard]] Tensor random_bits(DType dtype, const Shape& shape, uint64_t seed);
[[nodiscard]] Tensor integers(const Shape& shape, int64_t first = 0);
[[nodiscard]] bool same_bits(const TensorView& a, const TensorView& b);

/// Root attributes that Golden::open accepts.
[[nodiscard]] std::map<std::string, AttributeValue> root_attributes();
extern const char* const kConfig;

/// Differences between the small goldens of the tests.
struct SmallGolden {
  std::vector<std::string> without = {};  // names of datasets that are not written
  std::function<void(ActivationWriter&)> more = {};
  std::string config = kConfig;  // text of checkpoint/config.json; /config is kConfig
  std::map<std::string, AttributeValue> root = root_attributes();
  bool checkpoint = true;
};

/// Writes a prefill of 2 x 3 tokens, a decode step and a chunk of 2; two layers, two weights. Returns the folder.
std::filesystem::path write_golden(const std::filesystem::path& folder, const SmallGolden& options = {});

/// Writes a file with libhdf5 directly, within the given bounds of format versions.
void write_with_libhdf5(const std::filesystem::path& file, H5F_libver_t low, H5F_libver_t high,
                        const std::function<void(hid_t file)>& body);

/// The message of the Error that `body` throws. If it throws none, the test fails and the message is empty.
[[nodiscard]] std::string error_of(const std::function<void()>& body);

/// Size of the largest block that operator new returned since `reset_largest_allocation`.
[[nodiscard]] size_t largest_allocation();
void reset_largest_allocation();

}  // namespace parity::golden::test
