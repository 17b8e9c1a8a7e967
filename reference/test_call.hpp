// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One call of a reference kernel, for tests: operands by field name, outputs poisoned before the kernel runs.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/call.hpp"

namespace parity::reference {

/// A bank with its members in memory; `asked` records the indices that member() was called with.
class TestBank final : public WeightBank {
 public:
  explicit TestBank(std::vector<Tensor> members) : members_(std::move(members)) {}
  [[nodiscard]] int64_t size() const override { return static_cast<int64_t>(members_.size()); }
  [[nodiscard]] Tensor member(int64_t index) const override;

  std::vector<Tensor> members_;
  mutable std::vector<int64_t> asked;
};

/// The outputs of a call, by field.
struct TestOutputs {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, Tensor> rounding, noise;  // only from the bounded variant

  [[nodiscard]] std::vector<double> operator[](const std::string& field) const;  // f64 elements
  [[nodiscard]] double only(const std::string& field) const;                     // the only element of an output
  [[nodiscard]] std::vector<int64_t> ids(const std::string& field) const;        // i64 elements
};

Tensor tensor_of(const Shape& shape, const std::vector<double>& values);
Tensor tensor_of_ids(const Shape& shape, const std::vector<int64_t>& values);

class TestCall {
 public:
  explicit TestCall(const std::string& component);

  TestCall& in(const std::string& field, const Shape& shape, const std::vector<double>& values);  // again: a list
  TestCall& ids(const std::string& field, const Shape& shape, const std::vector<int64_t>& values);
  TestCall& operand(const std::string& field, const Tensor& tensor);
  TestCall& bank(const std::string& field, const Shape& shape, const std::vector<std::vector<double>>& members);
  TestCall& bank(const std::string& field, const std::vector<Tensor>& members);
  TestCall& param(const std::string& name, ParamValue value);
  TestCall& out(const std::string& field, const Shape& shape);
  TestCall& forget(const std::string& field);  // removes an operand or output

  [[nodiscard]] TestOutputs exact() const { return run("rounded", Rounding::exact(DType::bf16)); }
  [[nodiscard]] TestOutputs oracle(DType working = DType::bf16, const RoundingTable& table = {}) const {
    return run("rounded", Rounding::oracle(working, table));
  }
  [[nodiscard]] TestOutputs bounded(DType working = DType::bf16, const RoundingTable& table = {}) const {
    return run("bounded", Rounding::exact(working, table));
  }
  [[nodiscard]] TestOutputs run(const std::string& variant, const Rounding& rounding,
                                Poison poison = Poison::nan) const;

  [[nodiscard]] const Definition& definition() const { return definition_; }
  [[nodiscard]] const ParamMap& params() const { return params_; }
  [[nodiscard]] KernelCall call() const;  // with binary64 and i64 operands, which this object owns
  /// Types and shapes of the operands, for messages about refusals: "ids i64 [2,3], table f64 [5,4]".
  [[nodiscard]] std::string operands_text() const;
  [[nodiscard]] const std::map<std::string, Shape>& outputs() const { return outputs_; }
  [[nodiscard]] const TestBank& bank_of(const std::string& field) const { return *banks_.at(field); }
  /// The views that the kernel reads. Tests may replace them by other views of the same elements.
  std::map<std::string, std::vector<TensorView>> views;

 private:
  const Definition& definition_;
  std::vector<Tensor> owned_;
  std::map<std::string, std::shared_ptr<TestBank>> banks_;
  std::map<std::string, Shape> outputs_;
  ParamMap params_;
};

/// The text of the Error that `body` throws, whose code is stored in `code`; "no error" if it throws none.
template <class Body>
std::string error_of(ErrorCode& code, const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    code = error.code();
    return error.what();
  }
  return "no error";
}

}  // namespace parity::reference
