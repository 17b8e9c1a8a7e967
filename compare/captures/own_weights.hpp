// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Weights stored in a capture, such as those of quantised engines. They replace the checkpoint's weights.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compare/judging/record.hpp"
#include "core/weights.hpp"
#include "golden/sources/declaration.hpp"

namespace parity::compare {

class OwnWeights : public WeightSource {
 public:
  /// Reads `weights/<published name>` of the capture. Throws Error{schema} for a name that the checkpoint lacks, for
  /// another shape, and for NaN or infinity. The weights are described as of type `working`, because the engine
  /// computes with exactly these values: loading them must not round.
  OwnWeights(const WeightSource& published, const golden::ActivationFile& capture, DType working);

  [[nodiscard]] std::vector<std::string> names() const override { return published_.names(); }
  [[nodiscard]] bool contains(const std::string& name) const override { return published_.contains(name); }
  /// Returns the tensor stored under the name. Codes are the checkpoint's, since nodes decode them.
  [[nodiscard]] TensorView tensor(const std::string& name) const override;
  [[nodiscard]] StoredInfo describe(const std::string& name) const override;
  void read(const std::string& name, double* target) const override;

  /// Returns for each stored weight how far it is from the published one.
  [[nodiscard]] std::vector<WeightDifference> differences() const;

 private:
  const WeightSource& published_;
  DType working_;
  std::map<std::string, Tensor> own_;
};

/// Returns a line for each weight that differs too much to be the published weight in fewer bits.
[[nodiscard]] std::vector<std::string> other_weights(const std::vector<WeightDifference>& differences);

}  // namespace parity::compare
