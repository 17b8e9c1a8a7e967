// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/chain.hpp"

#include <algorithm>
#include <optional>

#include "optimized/backends.hpp"
#include "optimized/registry.hpp"
#include "optimized/torch/torch.hpp"

namespace parity::benches {
namespace {

/// Returns `view` with its axes permuted from `from` to `to`, by strides; axes with "*" are left unchanged.
TensorView under(const TensorView& view, const std::string& from, const std::string& to) {
  if (from == to || from.starts_with("*")) return view;
  const auto had = split_axes(from);
  TensorView result = view;
  result.shape.clear();
  result.strides.clear();
  for (const std::string& letter : split_axes(to)) {
    const auto at = static_cast<size_t>(std::find(had.begin(), had.end(), letter) - had.begin());
    result.shape.push_back(view.shape.at(at));
    result.strides.push_back(view.strides.at(at));
  }
  return result;
}

/// The call of a chain: extents by letter, and the values that the parts pass on.
class ChainCall {
 public:
  ChainCall(const Definition& fusion, const std::vector<FusedPart>& parts, DType type)
      : fusion_(fusion), parts_(parts), type_(type) {}

  void bind(const std::string& axes, const TensorView& view) {
    const auto letters = split_axes(axes);
    const bool any = !letters.empty() && letters.front() == "*";
    const size_t leading = any ? view.shape.size() + 1 - letters.size() : 0;
    if (any) rows_.assign(view.shape.begin(), view.shape.begin() + static_cast<int64_t>(leading));
    for (size_t i = any ? 1 : 0; i < letters.size(); ++i) sizes_[letters[i]] = view.shape[leading + i - (any ? 1 : 0)];
  }

  /// Returns the operand of one field; empty for an optional operand that is absent.
  Argument input(const FusedOperand& source, const Arguments& in) {
    const size_t dot = source.name.find('.');
    if (dot != std::string::npos) {
      const auto& [axes, view] = made_.at(source.name);
      return {{under(view, axes, source.axes)}, nullptr};
    }
    const Argument& given = in[static_cast<size_t>(fusion_.input_index(source.name))];
    if (!given.tensors.empty()) bind(source.axes, given.tensors.front());
    return given;
  }

  Argument output(size_t part, const std::string& field, const FusedOperand& target, const Arguments& out,
                  Workspace& workspace) {
    TensorView view;
    if (target.name.empty()) {
      view.dtype = type_;
      for (const std::string& letter : split_axes(target.axes)) {
        if (letter == "*") view.shape = rows_;
        if (letter != "*") view.shape.push_back(sizes_.at(letter));
      }
      view.strides.resize(view.shape.size());
      int64_t stride = 1;
      for (size_t i = view.shape.size(); i-- > 0; stride *= view.shape[i]) view.strides[i] = stride;
      view.data = workspace.take(static_cast<size_t>(stride * size_of(type_)));
    } else {
      view = out[static_cast<size_t>(fusion_.output_index(target.name))].tensors.front();
    }
    made_[std::to_string(part) + "." + field] = {target.axes, view};
    return {{view}, nullptr};
  }

 private:
  const Definition& fusion_;
  const std::vector<FusedPart>& parts_;
  DType type_;
  std::map<std::string, int64_t> sizes_;
  Shape rows_;
  std::map<std::string, std::pair<std::string, TensorView>> made_;
};

/// Whether another part reads an output of `part`.
bool is_read(const std::vector<FusedPart>& parts, size_t part) {
  const std::string own = std::to_string(part) + ".";
  return std::any_of(parts.begin(), parts.end(), [&](const FusedPart& other) {
    return std::any_of(other.inputs.begin(), other.inputs.end(),
                       [&](const auto& input) { return input.second.name.starts_with(own); });
  });
}

ErasedKernel chained(const Definition& fusion, const std::vector<FusedPart>& parts,
                     const std::vector<const KernelEntry*>& kernels, DType type) {
  return [=, &fusion, &parts](const Arguments& in, const ParamMap& params, const Arguments& out, Context& context) {
    ChainCall call(fusion, parts, type);
    for (size_t part = 0; part < parts.size(); ++part) {
      const Definition& definition = optimized::registry_with_libraries().component(parts[part].component);
      Arguments inputs, outputs;
      for (const FieldInfo& field : definition.inputs) {
        const auto source = parts[part].inputs.find(field.name);
        inputs.push_back(source == parts[part].inputs.end() ? Argument{} : call.input(source->second, in));
      }
      for (const FieldInfo& field : definition.outputs)
        outputs.push_back(call.output(part, field.name, parts[part].outputs.at(field.name), out, *context.workspace));
      ParamMap own = parts[part].fixed;
      for (const auto& [name, of_fusion] : parts[part].params) own[name] = params.at(of_fusion);
      std::optional<torch_backend::Delivery> bring;  // also in effect while the call is timed
      if (kernels.front()->backend == optimized::library_backend() && is_read(parts, part)) bring.emplace(true);
      kernels[part]->run(inputs, own, outputs, context);
    }
  };
}

void add_chain(Registry& built, const std::string& fusion, const std::string& backend, DType type) {
  const Registry& kernels = optimized::registry_with_libraries();
  const Fusions& fusions = optimized::fusions();
  std::vector<const KernelEntry*> parts;
  for (const FusedPart& part : fusions.parts(fusion)) {
    parts.push_back(kernels.find(part.component, backend, to_string(type)));
    if (parts.back() == nullptr) return;
  }
  const Definition& definition = fusions.kernels().component(fusion);
  KernelEntry chain = *parts.front();  // has the place of the parts
  chain.variant = std::string(to_string(type)) + (backend == optimized::own_backend() ? "-chain" : "");
  chain.run = chained(definition, fusions.parts(fusion), parts, type);
  built.add_erased(definition, std::move(chain));
}

}  // namespace

const Registry& bench_registry() {
  static const Registry instance = [] {
    Registry built = optimized::registry_with_libraries();
    const Registry& fused = optimized::fusions().kernels();
    for (const KernelEntry& entry : fused.kernels()) built.add_erased(fused.component(entry.component), entry);
    for (const std::string& fusion : fused.components()) {
      for (const std::string& backend : {optimized::own_backend(), optimized::library_backend()}) {
        for (const DType type : {DType::f32, DType::bf16}) add_chain(built, fusion, backend, type);
      }
    }
    return built;
  }();
  return instance;
}

std::vector<CaseKernel> kernels_of(const BenchCase& bench, DType type) {
  std::vector<CaseKernel> found;
  for (const KernelEntry& entry : bench_registry().kernels()) {
    const std::string suffix = entry.variant.substr(std::min(entry.variant.find('-'), entry.variant.size()));
    if (entry.component == bench.component && entry.variant == to_string(type) + suffix)
      found.push_back({entry.backend + suffix, &entry});
  }
  return found;
}

std::vector<FusedPart> parts_of(const std::string& component) {
  const auto fusions = optimized::fusions().kernels().components();
  const bool fused = std::find(fusions.begin(), fusions.end(), component) != fusions.end();
  return fused ? optimized::fusions().parts(component) : std::vector<FusedPart>{};
}

}  // namespace parity::benches
