// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Runs the kernels of textbook.cu with counters.
#pragma once

#include <fstream>
#include <iterator>
#include <numeric>

#include "optimized/ptx/machine/launch.hpp"

namespace parity::ptx {

inline const Program& textbook() {
  static const Program program([] {
    std::ifstream file("optimized/ptx/counting/testing/textbook.ptx");
    return std::string(std::istreambuf_iterator<char>(file), {});
  }());
  return program;
}

struct Exercise {
  std::string kernel;
  Dim grid{1, 1, 1}, block{32, 1, 1};
  size_t read = 1024, written = 1024;  // floats of the two buffers
  std::optional<int32_t> last{};       // parameter
  Options options{};
};

inline Counters counters_of(const Exercise& exercise) {
  Device device;
  std::vector<float> values(exercise.read);
  std::iota(values.begin(), values.end(), 0.0F);
  Launch launch;
  launch.kernel = exercise.kernel;
  launch.grid = exercise.grid;
  launch.block = exercise.block;
  launch.parameters.add(device.upload<float>(values)).add(device.allocate(exercise.written * sizeof(float)));
  if (exercise.last) launch.parameters.add(*exercise.last);
  Options options = exercise.options;
  options.counters = true;
  return run(textbook(), device, launch, options).counters.value();
}

/// All instructions of an opcode.
inline Cost cost_of(const Counters& counters, const std::string& opcode) {
  Cost sum;
  for (const LineCost& line : counters.lines) {
    if (line.opcode == opcode) sum += line.cost;
  }
  return sum;
}

inline Counters transposed(const std::string& kernel, const Options& options = {}) {
  return counters_of({.kernel = kernel,
                      .grid = {2, 2, 1},
                      .block = {32, 32, 1},
                      .read = 4096,
                      .written = 4096,
                      .last = 64,
                      .options = options});
}

}  // namespace parity::ptx
