// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A call of a component with operands of a benchmark's size. It is timed as a whole and judged in slices.
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
  Place* place = &host();  // memory that holds the operands
  bool drawn = true;       // else values() leaves what new memory of the place holds, however large the operand is

  [[nodiscard]] DType dtype_of(TapType type) const;
  /// Adds an input of normal numbers times `scale`. The seed and the name of the field determine the numbers.
  void values(const std::string& field, const std::string& axes, uint64_t seed, double scale = 1.0,
              TapType type = TapType::working);
  void numbers(const std::string& field, const std::string& axes, TapType type,
               const std::function<double(int64_t)>& value);
  void ids(const std::string& field, const std::string& axes, const std::function<int64_t(int64_t)>& id);
  void input(const std::string& field, const std::string& axes, TapType type, Tensor tensor);
  void output(const std::string& field, const std::string& axes, TapType type = TapType::working);
  void bank(const std::string& field, const std::string& axes, int64_t members, uint64_t seed, double scale);
  [[nodiscard]] Tensor of(const std::string& field) const;  // the input or output of this name
  /// The same call in the memory of another place. The operands of this one are in the host's.
  [[nodiscard]] Call at(Place& other) const;

 private:
  [[nodiscard]] Tensor at_place(const Tensor& tensor) const;
};

/// A part of each output to judge: by axis letter, the first index and the length.
using Slice = std::map<char, std::pair<int64_t, int64_t>>;

/// A kernel with marshalled operands that can be called repeatedly. It keeps its scratch memory between calls, as an
/// engine does.
class Prepared {
 public:
  Prepared(const Call& call, ErasedKernel kernel);
  void run() const;
  /// Returns a task that calls run() and takes the time of the place. The task must not outlive this object.
  [[nodiscard]] Timed timed() const {
    return {[this] { run(); }, {}, 0, &place_};
  }
  /// Returns the operands, banks and scratch memory, which are all that a run may find in a cache.
  [[nodiscard]] std::vector<std::span<std::byte>> memory() const;
  /// Flushes this memory from every cache, so that the next run is cold. Returns the number of flushed lines.
  int64_t flush() const;
  /// Number of calls of flush() so far.
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

/// Overwrites the outputs: numbers with NaN, ids with an absurd id.
void poison_outputs(const Call& call);

/// A copy of a call's outputs after they were judged, with which the outputs of repeated calls are compared.
class JudgedOutputs {
 public:
  explicit JudgedOutputs(const Call& call);
  /// Runs the timed kernel twice more, with the scratch memory of the timing and over poisoned outputs. Returns how the
  /// outputs differ from the judged ones, or nothing.
  [[nodiscard]] std::optional<std::string> why_changed(const Prepared& timed) const;

 private:
  static constexpr int kRepeats = 2;  // a kernel may be right in every second call only
  const Call& call_;
  std::vector<std::vector<std::byte>> bytes_;
};

/// Runs the kernel over poisoned outputs and judges each slice. Returns why the kernel is wrong, or nothing.
[[nodiscard]] std::optional<std::string> why_wrong(const Call& call, const ErasedKernel& kernel,
                                                   const std::vector<Slice>& slices);

}  // namespace parity::benches
