// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Taps by name, recorded or computed: what walks read and what a judge judges.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/plan.hpp"

namespace parity::replay {

class TapSource {
 public:
  /// `plan` must outlive it.
  explicit TapSource(const Plan& plan) : plan_(plan) {}
  TapSource(const TapSource&) = delete;
  TapSource& operator=(const TapSource&) = delete;
  virtual ~TapSource() = default;

  /// Held under its own name: judged.
  [[nodiscard]] virtual bool has(const std::string& tap) const = 0;
  /// Held, or a history that follows from what is held: usable as an input.
  [[nodiscard]] bool available(const std::string& tap) const;
  /// In the type that it was written in, under the plan's axes; Error{not_found} when not available.
  [[nodiscard]] Tensor read(const std::string& tap) const;
  /// One per element, true where the value was not computed; empty if all were.
  [[nodiscard]] virtual std::vector<bool> uncomputed(const std::string& tap) const;
  [[nodiscard]] const Plan& plan() const { return plan_; }

 private:
  /// Of a tap that it has.
  [[nodiscard]] virtual Tensor held(const std::string& tap) const = 0;

  [[nodiscard]] bool from_parts(const std::string& cache) const;
  /// Held, or to be walked to from an earlier call's history that is.
  [[nodiscard]] bool anchored(const std::string& cache) const;
  /// A recorded cache that contains the end of this one; nullptr if there is none.
  [[nodiscard]] const std::string* later_cache(const std::string& cache) const;
  [[nodiscard]] Tensor read_part(const std::string& part, const std::string& axes) const;
  [[nodiscard]] Tensor read_history(const std::string& cache) const;

  const Plan& plan_;
};

/// Where a walk takes inputs from, whose outputs are judged, and which decisions it goes on with: those of one recording, or
/// of a kernel's outputs on a golden's inputs.
struct Sources {
  const TapSource& inputs;
  const TapSource& judged;
  const TapSource& decisions;
  /// By node: the number of the kernel that computes it together with others. What passes between those is no input of another kernel.
  std::map<std::string, size_t> fused{};

  Sources(const TapSource& both) : Sources(both, both) {}  // NOLINT(google-explicit-constructor)
  Sources(const TapSource& from, const TapSource& of) : Sources(from, of, of) {}
  Sources(const TapSource& from, const TapSource& of, const TapSource& continued)
      : inputs(from), judged(of), decisions(continued) {}
  /// Whether one kernel computes both nodes.
  [[nodiscard]] bool together(const std::string& one, const std::string& other) const;
};

}  // namespace parity::replay
