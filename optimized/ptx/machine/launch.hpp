// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Running a kernel: what is launched, how, and what came of it.
#pragma once

#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "optimized/ptx/counting/counters.hpp"
#include "optimized/ptx/counting/sample.hpp"
#include "optimized/ptx/machine/device.hpp"
#include "optimized/ptx/machine/program.hpp"
#include "optimized/ptx/matrix/product.hpp"

namespace parity::ptx {

struct Dim {
  uint32_t x = 1, y = 1, z = 1;
  [[nodiscard]] uint64_t count() const { return uint64_t{x} * y * z; }
  bool operator==(const Dim&) const = default;
};

/// Parameters as the kernel's .param space has them.
class Parameters {
 public:
  template <class T>
  Parameters& add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    while (bytes_.size() % alignof(T) != 0) bytes_.push_back(0);
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
    return *this;
  }
  [[nodiscard]] const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
};

struct Launch {
  std::string kernel;
  Dim grid, block, cluster;  // cluster {1, 1, 1}: that of .reqnctapercluster, if any
  uint32_t dynamic_shared = 0;
  Parameters parameters;
};

struct Options {
  bool checks = false;              // reads of what was never written, races
  bool counters = false;            // what the launch costs
  Sample sample{};                  // blocks that run in place of all
  uint64_t seed = 0;                // of the schedule; 0: lanes stay together as long as they can
  uint32_t workers = 1;             // threads of this machine
  Summation summation;              // how matrix instructions add products
  uint64_t approximation_seed = 0;  // of errors of approximations, within their documented bounds; 0: none
  uint32_t resident = 256;          // blocks that wait for each other at most
  uint32_t most_findings = 64;
  uint64_t most_instructions = uint64_t{1} << 40U;  // of warps; above it the launch counts as endless
};

struct Thread {
  Dim block{0, 0, 0}, thread{0, 0, 0};
};

/// Something that is wrong with a kernel. `other` is set where two accesses or threads take part.
struct Finding {
  enum class Kind : uint8_t {
    out_of_bounds,
    misaligned,
    use_after_free,
    read_only,
    barrier_divergence,
    early_exit,
    warp_divergence,
    deadlock,
    trap,
    assertion,
    unwritten,
    race,
    in_flight,
    bad_barrier,
    missing_fence
  };
  Kind kind = Kind::trap;
  std::string kernel, message;
  Thread thread, other_thread;
  Position position, other_position;  // ptx_line 0: there is none
  uint64_t times = 1;
};
[[nodiscard]] const char* to_string(Finding::Kind kind);
/// One line: kind, kernel, thread, message, lines.
[[nodiscard]] std::string describe(const Finding& finding);
/// What was found, and a line for each thread that takes part, with where it was.
[[nodiscard]] std::vector<std::string> lines_of(const Finding& finding);

struct Outcome {
  std::vector<Finding> findings;
  std::array<uint64_t, static_cast<size_t>(Kind::count)> counts{};  // of warps, by kind
  uint64_t warp_instructions = 0;
  std::optional<Counters> counters;  // if they were asked for
  std::vector<std::string> printed;  // by printf, in the order of execution
};

/// Runs all blocks. Throws Error{not_found} for an unknown kernel, Error{usage} for impossible sizes, and
/// Error{unsupported} for an instruction that the machine does not execute (with its line). Ends early at a trap, a
/// deadlock or an access after which a GPU would abort the kernel.
[[nodiscard]] Outcome run(const Program& program, Device& device, const Launch& launch, const Options& options = {});

}  // namespace parity::ptx
