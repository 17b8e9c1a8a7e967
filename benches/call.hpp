// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One call of a component with operands of native types, as large as a benchmark needs it; timed, and judged in slices.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "benches/measure.hpp"
#include "core/call.hpp"
#include "core/kept_workspace.hpp"
#include "core/plan.hpp"

namespace parity::benches {

struct CallOperand {
  std::string field, axes;
  TapType type;
  Tensor tensor;
};
struct CallBank {
  std::string field, axes;
  std::vector<Tensor> members;
};

struct Call {
  std::string component;
  DType working = DType::f32;
  AxisSizes sizes;
  ParamMap params;
  std::vector<CallOperand> inputs, outputs;
  std::vector<CallBank> banks;
  Place* place = &host();  // of the operands

  [[nodiscard]] DType dtype_of(TapType type) const;
  /// Normal numbers times `scale`; the seed and the field decide which.
  void values(const std::string& field, const std::string& axes, uint64_t seed, double scale = 1.0,
              TapType type = TapType::working);
  void numbers(const std::string& field, const std::string& axes, TapType type,
               const std::function<double(int64_t)>& value);
  void ids(const std::string& field, const std::string& axes, const std::function<int64_t(int64_t)>& id);
  void input(const std::string& field, const std::string& axes, TapType type, Tensor tensor);
  void output(const std::string& field, const std::string& axes, TapType type = TapType::working);
  void bank(const std::string& field, const std::string& axes, int64_t members, uint64_t seed, double scale);
  [[nodiscard]] Tensor of(const std::string& field) const;  // an input or output

 private:
  [[nodiscard]] Tensor at_place(const Tensor& tensor) const;
};

/// Ranges of axes, by letter: {first, length}. Outputs are judged there.
using Slice = std::map<char, std::pair<int64_t, int64_t>>;

/// A kernel with its operands marshalled, ready to be called again and again. Scratch memory is kept between calls, as an
/// engine keeps it.
class Prepared {
 public:
  Prepared(const Call& call, ErasedKernel kernel);
  void run() const;
  /// A run by the clock of its place. Outlived by this.
  [[nodiscard]] Timed timed() const {
    return {[this] { run(); }, {}, 0, &place_};
  }
  /// Operands, banks and scratch memory: all that a run may find in a cache.
  [[nodiscard]] std::vector<std::span<std::byte>> memory() const;
  /// All of it out of every cache, so that the next run is a cold one. As many lines as were flushed.
  int64_t flush() const;
  /// Calls of flush().
  [[nodiscard]] int64_t flushes() const { return flushes_; }

 private:
  Place& place_;
  ErasedKernel kernel_;
  std::shared_ptr<PlaceWorkspace> memory_;
  std::shared_ptr<KeptWorkspace> workspace_;
  std::unique_ptr<KernelCall> call_;
  std::unique_ptr<PlacedCall> placed_;
  mutable int64_t flushes_ = 0;
};

/// NaN, or an absurd id.
void poison_outputs(const Call& call);

/// What a call's outputs hold after they were judged. Whenever the call is repeated they must hold the same bits.
class JudgedOutputs {
 public:
  explicit JudgedOutputs(const Call& call);
  /// After the timing: runs twice more on the scratch memory that was timed, over poisoned outputs. How the outputs differ,
  /// or nothing.
  [[nodiscard]] std::optional<std::string> why_changed(const Prepared& timed) const;

 private:
  static constexpr int kRepeats = 2;  // a kernel may be right every other time
  const Call& call_;
  std::vector<std::vector<std::byte>> bytes_;
};

/// Runs the kernel over poisoned outputs and holds the slices to the judge of the battery. Why it is not right, or nothing.
[[nodiscard]] std::optional<std::string> why_wrong(const Call& call, const ErasedKernel& kernel,
                                                   const std::vector<Slice>& slices);

}  // namespace parity::benches
