// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// For tests: kernels of somebody else as PTX, and bindings of them.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "golden/files/temporary_folder.hpp"

namespace parity::cases::tests {

inline const std::string kSiluBinding = R"json({
  "component": "silu",
  "kernels": {"f32": "silu_kernel"},
  "grid": ["ceil_div(x.count, 256)"],
  "block": [256],
  "arguments": ["x", "out", "i32 x.count"]
})json";

inline const std::string kNormBinding = R"json({
  "component": "rms_norm",
  "kernels": {"f32": "rms_norm"},
  "grid": ["N"],
  "block": [128],
  "shared": "4 * 128",
  "arguments": ["x", "weight", "out", "i32 H", "f32 eps", "f32 gain_offset"]
})json";

/// `text` with the first `from` replaced; the test fails if there is none.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// A kernel with its binding in a folder that goes with this object.
class Files {
 public:
  explicit Files(const std::string& binding, const std::string& ptx = "") {
    std::ofstream(folder_ / "mine.json") << binding;
    std::ofstream(folder_ / "mine.ptx") << ptx;
  }
  [[nodiscard]] std::string binding() const { return (folder_ / "mine.json").string(); }
  [[nodiscard]] std::string word() const { return "ptx:" + (folder_ / "mine.ptx").string(); }
  [[nodiscard]] std::filesystem::path add(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

 private:
  golden::TemporaryFolder folder_;
};

inline std::string text_in(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// What nvcc made of examples/cuda/silu.cu, and Triton of examples/triton/rms_norm.py.
inline const std::string kSilu = text_in("cases/foreign/testing/silu.ptx");
inline const std::string kTritonNorm = text_in("examples/triton/rms_norm.ptx");

}  // namespace parity::cases::tests
