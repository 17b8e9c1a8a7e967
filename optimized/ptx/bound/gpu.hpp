// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The highest rates of a GPU, as optimized/gpus/*.json states them with sources. `as others quote it` means that
// quotations of the source were read, not the source itself; `not verified` means that nothing was read.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parity::ptx {

/// What an SM holds at a time.
struct Residency {
  uint32_t registers = 0, threads = 0, blocks = 0, shared_bytes = 0;
};

struct Gpu {
  std::string id, name;                  // "h200", "H200 SXM"
  double sms = 0, clock = 0;             // clocks in a second
  std::map<std::string, double> tensor;  // products and sums in a second, by type of the factors
  double dram = 0;                       // bytes in a second
  std::optional<double> l2;              // bytes in a second, if anybody says
  std::optional<double> link;            // bytes in a second that it sends to other GPUs while it receives as many
  double shared_per_clock = 0, per_clock = 0;  // of an SM: bytes, instructions of warps
  int capability = 0;                          // compute capability times 10
  Residency residency;
  std::map<std::string, std::string> sources;  // of each figure, by its key
};

/// Returns all known GPUs, by id.
[[nodiscard]] const std::map<std::string, Gpu>& gpus();
/// Throws Error{not_found}, which lists the known ids.
[[nodiscard]] const Gpu& gpu(std::string_view id);
/// Parses the text of a file. Throws Error{schema}, which names the file and the key.
[[nodiscard]] Gpu parse_gpu(const std::string& id, std::string_view text);

}  // namespace parity::ptx
