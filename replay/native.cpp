// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/native.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace parity::replay {
namespace {

/// Members narrowed when they are asked for.
class NarrowBank final : public WeightBank {
 public:
  NarrowBank(const WeightBank& wide, DType type) : wide_(wide), type_(type) {}
  [[nodiscard]] int64_t size() const override { return wide_.size(); }
  [[nodiscard]] Tensor member(int64_t index) const override { return convert(wide_.member(index).view(), type_); }

 private:
  const WeightBank& wide_;
  DType type_;
};

/// Native copies of the operands of one call.
class NativeCall {
 public:
  NativeCall(const Arguments& inputs, const Arguments& outputs, const Context& context) : wide_(outputs) {
    PARITY_CHECK(context.inputs.size() == inputs.size() && context.outputs.size() == outputs.size(), internal,
                 "the call does not say how its operands are held");
    for (size_t i = 0; i < inputs.size(); ++i) in_.push_back(narrowed(inputs[i], context.inputs[i]));
    for (size_t i = 0; i < outputs.size(); ++i) {
      Argument argument;
      for (const TensorView& view : outputs[i].tensors) argument.tensors.push_back(poisoned(view, context.outputs[i]));
      out_.push_back(std::move(argument));
    }
  }

  void run(const ErasedKernel& kernel, const ParamMap& params, Context& context) const {
    kernel(in_, params, out_, context);
    for (const Tensor& tensor : results_)
      PARITY_CHECK(tensor.guards_intact(), internal, "the kernel writes beside an output; mend the kernel");
    for (size_t i = 0; i < out_.size(); ++i) {
      for (size_t k = 0; k < out_[i].tensors.size(); ++k) widen_into(out_[i].tensors[k], wide_[i].tensors[k]);
    }
  }

 private:
  Argument narrowed(const Argument& wide, DType type) {
    Argument argument;
    for (const TensorView& view : wide.tensors) {
      copies_.push_back(convert(view, view.dtype == DType::i64 ? DType::i64 : type));
      argument.tensors.push_back(copies_.back().view());
      argument.tensors.back().axes = view.axes;
    }
    if (wide.bank != nullptr) argument.bank = banks_.emplace_back(std::make_unique<NarrowBank>(*wide.bank, type)).get();
    return argument;
  }

  TensorView poisoned(const TensorView& wide, DType type) {
    const bool integer = wide.dtype == DType::i64;
    const Tensor tensor = Tensor::guarded(integer ? DType::i64 : type, wide.shape, wide.axes);
    const int64_t count = tensor.view().count();
    if (integer) std::fill_n(tensor.i64(), count, std::numeric_limits<int64_t>::min());
    for (int64_t i = 0; !integer && i < count; ++i)
      store_element(type, tensor.view().data + i * size_of(type), std::numeric_limits<double>::quiet_NaN());
    return results_.emplace_back(tensor).view();
  }

  static void widen_into(const TensorView& narrow, const TensorView& wide) {
    const int64_t width = size_of(wide.dtype);
    for (int64_t i = 0, n = wide.count(); i < n; ++i) {
      std::byte* target = wide.data + wide.offset(i) * width;
      if (wide.dtype == DType::i64) {
        reinterpret_cast<int64_t*>(target)[0] = reinterpret_cast<const int64_t*>(narrow.data)[i];
      } else {
        store_element(wide.dtype, target, narrow.value(i));
      }
    }
  }

  Arguments in_, out_, wide_;
  std::vector<Tensor> copies_, results_;
  std::vector<std::unique_ptr<WeightBank>> banks_;
};

}  // namespace

ErasedKernel natively(const ErasedKernel& kernel) {
  return [kernel](const Arguments& in, const ParamMap& params, const Arguments& out, Context& context) {
    NativeCall(in, out, context).run(kernel, params, context);
  };
}

NativeBackend with_native_kernels(const Registry& base, const Registry& kernels, const std::string& backend,
                                  const std::string& variant) {
  auto registry = std::make_shared<Registry>(base);
  NativeBackend result;
  for (const KernelEntry& entry : kernels.kernels()) {
    if (entry.backend != backend || entry.variant != variant) continue;
    registry->replace(entry.component, "reference", "rounded", natively(entry.run));
    result.components.insert(entry.component);
    if (!entry.rounds_as_oracle) result.rounds_freely.insert(entry.component);
  }
  PARITY_CHECK(!result.components.empty(), unsupported, "backend {} has no kernel of type {}", backend, variant);
  result.registry = std::move(registry);
  return result;
}

}  // namespace parity::replay
