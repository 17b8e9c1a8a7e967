// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One run of a kernel on fresh copies of everything, and what it left behind.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cases/guarded_workspace.hpp"
#include "cases/guards.hpp"
#include "reference/layouts.hpp"

namespace parity::cases {

/// Which bits an element holds before the kernel runs: a NaN with a payload that no arithmetic gives, or a number that none
/// gives by chance; ids get one of two.
enum class Poison : uint8_t { first, second };
inline constexpr Poison kFirstPoison = Poison::first, kSecondPoison = Poison::second;
[[nodiscard]] uint64_t poison_of(Poison poison, DType dtype);

/// Bytes of a workspace before the kernel takes it: in every float type a NaN, a positive and a negative number.
inline constexpr std::byte kScratch{0xFF}, kPositiveScratch{0x41}, kNegativeScratch{0xC1};

/// Copies of a bank's members.
class CopiedBank final : public WeightBank {
 public:
  explicit CopiedBank(const WeightBank& source);
  [[nodiscard]] int64_t size() const override { return static_cast<int64_t>(members_.size()); }
  [[nodiscard]] Tensor member(int64_t index) const override { return members_.at(static_cast<size_t>(index)); }

 private:
  std::vector<Tensor> members_;
};

/// A tensor that a run may read or write, and what it is called.
struct Named {
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
[[nodiscard]] uint64_t bits_at(const Tensor& tensor, int64_t i);

class GuardedRun {
 public:
  GuardedRun(const KernelCall& call, Poison poison, const Relaid* relaid = nullptr, std::byte scratch = kScratch);

  [[nodiscard]] const std::vector<Named>& written() const { return written_; }
  [[nodiscard]] const GuardedWorkspace& workspace() const { return *workspace_; }
  /// Name of the first output, and the elements in all, that are not the same bits in the other run.
  [[nodiscard]] GuardResult differences(const GuardedRun& other) const;
  void add_overruns(GuardResult& result) const;
  void add_changed_inputs(GuardResult& result) const;

  static void note(GuardResult& result, const std::string& name, int64_t element);

 private:
  void copy_inputs(const Relaid* relaid);
  Tensor poisoned(const std::string& name, DType dtype, const Shape& shape, Poison poison);
  void make_outputs(Poison poison);

  const KernelCall& call_;
  Arguments inputs_, outputs_;
  Context context_;
  std::shared_ptr<GuardedWorkspace> workspace_;
  std::vector<Named> written_;
  std::vector<Named> kept_;                             // inputs as they were
  std::vector<Tensor> copies_;                          // as the kernel was given them
  std::list<Tensor> relaid_;                            // or these in their place
  std::list<std::pair<CopiedBank, CopiedBank>> banks_;  // before, given
};

}  // namespace parity::cases
