// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Kernels of a few lines for tests.
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "optimized/ptx/machine/launch.hpp"

namespace parity::ptx {

/// A kernel "k" whose body has registers of every kind; its parameters are addresses: %rd0, %rd1, and the thread's number
/// is %r0. %rd9 is %rd0 plus four bytes for each thread.
inline std::string kernel_of(const std::string& body, const std::string& before = "") {
  return ".version 9.0\n.target sm_90a\n.address_size 64\n" + before +
         "\n.visible .entry k(.param .u64 p0, .param .u64 p1) {\n"
         ".reg .pred %p<10>; .reg .b16 %rs<20>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 %f<20>; .reg .f64 "
         "%fd<20>;\n"
         "ld.param.u64 %rd0, [p0]; ld.param.u64 %rd1, [p1]; mov.u32 %r0, %tid.x;\n"
         "mul.wide.u32 %rd8, %r0, 4; add.s64 %rd9, %rd0, %rd8;\n" +
         body + "\nret;\n}\n";
}

/// What a kernel wrote to its first buffer, and what was found.
struct Ran {
  std::vector<uint32_t> words;
  Outcome outcome;
};

struct Given {
  Dim grid{1, 1, 1}, block{32, 1, 1}, cluster{1, 1, 1};
  Options options{};
  std::vector<uint32_t> input;  // of the second buffer
  uint32_t dynamic_shared = 0;
  size_t words = 64;  // of the first buffer, zeros before
};

inline Ran run_text(const std::string& text, const Given& setup = {}) {
  const Program program(text);
  Device device;
  const std::vector<uint32_t> zeros(setup.words, 0);
  const uint64_t first = device.upload<uint32_t>(zeros), second = device.upload<uint32_t>(setup.input);
  Launch launch;
  launch.kernel = "k";
  launch.grid = setup.grid;
  launch.block = setup.block;
  launch.cluster = setup.cluster;
  launch.dynamic_shared = setup.dynamic_shared;
  launch.parameters.add(first).add(second);
  Ran ran;
  ran.outcome = run(program, device, launch, setup.options);
  ran.words = device.download<uint32_t>(first, setup.words);
  return ran;
}

inline Ran run_body(const std::string& body, const Given& setup = {}) { return run_text(kernel_of(body), setup); }

/// The word that thread 0 stores from %r1 after the body.
inline uint32_t word_of(const std::string& body, std::vector<uint32_t> input = {}) {
  Given setup;
  setup.input = std::move(input);
  const Ran ran = run_body(body + "\nst.global.u32 [%rd9], %r1;", setup);
  return ran.words.at(0);
}

/// As word_of(), of %rd2.
inline uint64_t long_of(const std::string& body, std::vector<uint32_t> input = {}) {
  Given setup;
  setup.block = {1, 1, 1};
  setup.input = std::move(input);
  const Ran ran = run_body(body + "\nst.global.u64 [%rd0], %rd2;", setup);
  return ran.words.at(0) | uint64_t{ran.words.at(1)} << 32U;
}

inline std::string refusal_of(const std::string& body) {
  try {
    static_cast<void>(run_body(body));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// All findings, one line each.
inline std::string findings_of(const Ran& ran) {
  std::string text;
  for (const Finding& finding : ran.outcome.findings) text += describe(finding) + "\n";
  return text;
}

inline Given checked(uint32_t threads, uint32_t blocks = 1) {
  Given setup;
  setup.block = {threads, 1, 1};
  setup.grid = {blocks, 1, 1};
  setup.options.checks = true;
  return setup;
}

}  // namespace parity::ptx
