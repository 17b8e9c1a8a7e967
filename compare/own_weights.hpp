// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Weights that a capture carries itself, as quantised engines hold them: laid over the checkpoint's.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compare/record.hpp"
#include "core/weights.hpp"
#include "golden/declaration.hpp"

namespace parity::compare {

class OwnWeights : public WeightSource {
 public:
  /// Reads `weights/<published name>` of the capture. Error{schema} for a name that the checkpoint lacks, another shape, and
  /// for NaN and infinities: no engine computes with these.
  /// They are described as being of `working`, so that loading them rounds nothing: they are what is computed with.
  OwnWeights(const WeightSource& published, const golden::ActivationFile& capture, DType working);

  [[nodiscard]] std::vector<std::string> names() const override { return published_.names(); }
  [[nodiscard]] bool contains(const std::string& name) const override { return published_.contains(name); }
  /// What is stored under the name: codes stay the checkpoint's, for nodes that decode them.
  [[nodiscard]] TensorView tensor(const std::string& name) const override;
  [[nodiscard]] StoredInfo describe(const std::string& name) const override;
  void read(const std::string& name, double* target) const override;

  /// How far each is from the published one, by name.
  [[nodiscard]] std::vector<WeightDifference> differences() const;

 private:
  const WeightSource& published_;
  DType working_;
  std::map<std::string, Tensor> own_;
};

/// A line for each weight that is too far from the published one to be that weight in fewer bits.
[[nodiscard]] std::vector<std::string> other_weights(const std::vector<WeightDifference>& differences);

}  // namespace parity::compare
