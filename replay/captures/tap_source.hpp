// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Recorded or computed taps by name. Walks read them and judges judge them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/plan.hpp"

namespace parity::replay {

class TapSource {
 public:
  /// `plan` must outlive the object.
  explicit TapSource(const Plan& plan) : plan_(plan) {}
  TapSource(const TapSource&) = delete;
  TapSource& operator=(const TapSource&) = delete;
  virtual ~TapSource() = default;

  /// Whether the tap exists under its name, and so is judged.
  [[nodiscard]] virtual bool has(const std::string& tap) const = 0;
  /// Whether the tap can be used as an input: it exists, or it is a cache that follows from existing taps.
  [[nodiscard]] bool available(const std::string& tap) const;
  /// Whether the cache would be cut from `later`, because nothing else of it exists. It says nothing of `later` then.
  [[nodiscard]] bool is_cut_from(const std::string& cache, const std::string& later) const;
  /// Returns the tap under the plan's axes, in its planned type if lossless. Throws Error{not_found} if unavailable.
  [[nodiscard]] Tensor read(const std::string& tap) const;
  /// Returns for each element whether it was not computed; empty if all were.
  [[nodiscard]] virtual std::vector<bool> uncomputed(const std::string& tap) const;
  [[nodiscard]] const Plan& plan() const { return plan_; }

 private:
  /// Returns a tap for which `has` is true.
  [[nodiscard]] virtual Tensor held(const std::string& tap) const = 0;

  [[nodiscard]] bool from_parts(const std::string& cache) const;
  /// Whether the cache exists, or follows from an existing one of an earlier call.
  [[nodiscard]] bool anchored(const std::string& cache) const;
  /// Returns a recorded later cache that includes this one, or nullptr.
  [[nodiscard]] const std::string* later_cache(const std::string& cache) const;
  [[nodiscard]] Tensor read_part(const std::string& part, const std::string& axes) const;
  [[nodiscard]] Tensor read_history(const std::string& cache) const;

  const Plan& plan_;
};

/// The sources of a walk: its inputs, the judged outputs, and the decisions to continue with. All are of one recording,
/// or inputs are a golden's and outputs a kernel's.
struct Sources {
  const TapSource& inputs;
  const TapSource& judged;
  const TapSource& decisions;
  /// For each node in a fused kernel, that kernel's number. Taps between such nodes are no inputs of other kernels.
  std::map<std::string, size_t> fused{};

  Sources(const TapSource& both) : Sources(both, both) {}  // NOLINT(google-explicit-constructor)
  Sources(const TapSource& from, const TapSource& of) : Sources(from, of, of) {}
  Sources(const TapSource& from, const TapSource& of, const TapSource& continued)
      : inputs(from), judged(of), decisions(continued) {}
  /// Whether one kernel computes both nodes.
  [[nodiscard]] bool together(const std::string& one, const std::string& other) const;
};

}  // namespace parity::replay
