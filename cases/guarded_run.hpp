// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One run of a kernel on fresh copies of all operands, with the results.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cases/guarded_workspace.hpp"
#include "cases/guards.hpp"
#include "reference/layouts.hpp"

namespace parity::cases {

/// Initial bytes of a workspace: in every float type a NaN, a positive number and a negative number.
inline constexpr std::byte kScratch{0xFF}, kPositiveScratch{0x41}, kNegativeScratch{0xC1};

/// An output of a run in host memory, with the bits that each element had before.
struct Written {
  std::string name;
  Tensor tensor;
  uint64_t poison = 0;
};

/// An input and the layout in which it is passed.
struct Relaid {
  size_t input;
  const reference::Layout* layout;
};

/// Returns the bits of element `i` of a contiguous tensor of any element width.
[[nodiscard]] uint64_t bits_at(const TensorView& tensor, int64_t i);

class GuardedRun {
 public:
  GuardedRun(const GuardedKernel& kernel, Poison poison, const Relaid* relaid = nullptr, std::byte scratch = kScratch);

  /// Returns every output, each with its bounds.
  [[nodiscard]] const std::vector<Written>& written() const { return written_; }
  [[nodiscard]] const GuardedWorkspace& workspace() const { return *workspace_; }
  /// Returns the name of the first output and the total number of elements whose bits differ in the other run.
  [[nodiscard]] GuardResult differences(const GuardedRun& other) const;
  void add_overruns(GuardResult& result) const;
  void add_changed_inputs(GuardResult& result) const;

  static void note(GuardResult& result, const std::string& name, int64_t element);

 private:
  void keep(const std::string& name, const Tensor& tensor, Poison poison);

  std::shared_ptr<GuardedWorkspace> workspace_;
  std::vector<Written> written_;
  std::vector<GuardResult> overruns_, changed_;
};

}  // namespace parity::cases
