// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Shared libraries that a test compiles: silu, correct but for what the test adds.
#pragma once

#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "cases/plugin/worker_image.hpp"
#include "golden/files/child.hpp"
#include "golden/files/temporary_folder.hpp"

namespace parity::cases::testing {

/// Calls that fulfil `when` meet `strange`, which may end the call; all others are computed as they should be.
class BuiltLibrary {
 public:
  explicit BuiltLibrary(const std::string& strange, const std::string& outside = "",
                        const std::string& when = "of.shape[of.ndim - 1] == 13") {
    std::ofstream(folder_ / "parity_plugin.h") << plugin_header();
    std::ofstream(folder_ / "k.cpp") << kHead << outside << kRun << when << ") {" << strange << kEnd;
    const auto status = golden::run_child(
        {{PARITY_CXX, "-std=c++20", "-O1", "-w", "-shared", "-fPIC", "-pthread", "-o", file(), folder_ / "k.cpp"},
         120.0,
         folder_ / "messages"});
    std::ifstream messages(folder_ / "messages");
    if (!status || *status != 0) ADD_FAILURE() << messages.rdbuf();
  }

  [[nodiscard]] std::string file() const { return folder_ / "k.so"; }
  [[nodiscard]] std::string word() const { return "lib:" + file(); }

 private:
  static constexpr const char* kHead = R"text(
#include "parity_plugin.h"
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <pthread.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <map>
#include <thread>
#include <vector>
#include <unistd.h>
static const float* x;
static float* out;
static int64_t count;
static void compute() {
  for (int64_t i = 0; i < count; ++i) out[i] = x[i] / (1.0F + std::exp(-x[i]));
}
)text";
  static constexpr const char* kRun = R"text(
static int run(const parity_call* call) {
  const DLTensor& of = *parity_input(call, "x");
  x = static_cast<const float*>(of.data);
  out = static_cast<float*>(parity_output(call, "out")->data);
  count = parity_count(&of);
  if ()text";
  static constexpr const char* kEnd = R"text(
  }
  compute();
  return 0;
}
static const parity_kernel kernels[] = {{"silu", "f32", run}};
static const parity_plugin plugin = {PARITY_PLUGIN_VERSION, 1, kernels, "strange"};
PARITY_PLUGIN const parity_plugin* parity_plugin_v1(void) { return &plugin; }
)text";

  golden::TemporaryFolder folder_;
};

}  // namespace parity::cases::testing
