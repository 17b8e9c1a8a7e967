// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One run of a kernel on fresh copies of everything, and what it left.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cases/guarded_workspace.hpp"
#include "cases/guards.hpp"
#include "reference/layouts.hpp"

namespace parity::cases {

/// Bytes of a workspace before the kernel takes it: in every float type a NaN, a positive and a negative number.
inline constexpr std::byte kScratch{0xFF}, kPositiveScratch{0x41}, kNegativeScratch{0xC1};

/// What a run wrote, in the host's memory, and which bits each element held before.
struct Written {
  std::string name;
  Tensor tensor;
  uint64_t poison = 0;
};

/// Which input is given in which layout.
struct Relaid {
  size_t input;
  const reference::Layout* layout;
};

/// Element `i` of a contiguous tensor, whatever its width.
[[nodiscard]] uint64_t bits_at(const TensorView& tensor, int64_t i);

class GuardedRun {
 public:
  GuardedRun(const GuardedKernel& kernel, Poison poison, const Relaid* relaid = nullptr, std::byte scratch = kScratch);

  /// Every output, each with its bounds.
  [[nodiscard]] const std::vector<Written>& written() const { return written_; }
  [[nodiscard]] const GuardedWorkspace& workspace() const { return *workspace_; }
  /// Name of the first output, and the elements in all, that are not the same bits in the other run.
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
