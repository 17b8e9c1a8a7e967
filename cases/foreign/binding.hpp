// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The binding of a kernel that is not in this tree: which component it computes, how it is launched, and its arguments
// in order. A JSON file, see docs/foreign-kernels.md.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cases/foreign/condition.hpp"
#include "cases/foreign/expression.hpp"
#include "core/component.hpp"

namespace parity::cases {

/// One argument of the kernel: "x" (the address of an operand), "i32 H", "f32 eps" or "workspace 4*N" (in bytes).
struct BoundArgument {
  enum class Kind : uint8_t { operand, boolean, i32, i64, f32, f64, workspace };
  Kind kind = Kind::operand;
  std::string text;  // of the operand, the parameter or the number
  std::optional<IntegerExpression> expression{};
};

/// What Triton writes beside its PTX.
struct TritonMetadata {
  std::string kernel;
  int64_t warps = 0, shared = 0, scratch = 0;  // shared: bytes of a block; scratch: bytes of each block
};

struct Binding {
  std::filesystem::path file;
  const Definition* definition = nullptr;
  std::map<DType, std::string> kernels;  // by working type
  std::vector<IntegerExpression> grid, block;
  IntegerExpression shared{"0"};
  std::vector<BoundArgument> arguments;
  std::vector<Condition> conditions{};  // "requires": the calls that the kernel is made for
  std::optional<TritonMetadata> triton{};

  /// Whether a stride of the operand is passed. If none is, the kernel reads contiguous operands alone.
  [[nodiscard]] bool passes_strides_of(const std::string& operand) const;
};

/// Error{usage} that names the file, the key and what is allowed.
[[nodiscard]] Binding read_binding(const std::filesystem::path& file);

}  // namespace parity::cases
