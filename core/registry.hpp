// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The registry of kernels. add<C> fails to compile for a kernel of another signature; kernels run by name, type-erased.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/component.hpp"

namespace parity {

using ErasedKernel =
    std::function<void(const Arguments& inputs, const ParamMap& params, const Arguments& outputs, Context&)>;

/// The place where the kernels of a backend run, by rank in a plan.
using PlaceOf = Place& (*)(int rank);
inline Place& on_host(int) { return host(); }

struct KernelEntry {
  std::string component;
  std::string backend;  // "reference", or a name of the table of backends: "cpu", "torch"
  std::string variant;  // variant of the backend: "rounded", "bounded", "bf16", "bf16-mask", …
  ErasedKernel run;
  bool rounds_as_oracle = false;  // a kernel of native types that rounds at the points of its component
  PlaceOf place = &on_host;
};

namespace detail {

template <class Struct>
void unpack(const FieldInfo& info, const Argument& argument, Struct& target, TensorView Struct::*member) {
  PARITY_CHECK(info.optional || !argument.tensors.empty(), internal, "operand '{}' is missing", info.name);
  if (!argument.tensors.empty()) target.*member = argument.tensors.front();
}

template <class Struct>
void unpack(const FieldInfo&, const Argument& argument, Struct& target, std::vector<TensorView> Struct::*member) {
  target.*member = argument.tensors;
}

template <class Struct>
void unpack(const FieldInfo& info, const Argument& argument, Struct& target, const WeightBank* Struct::*member) {
  PARITY_CHECK(argument.bank != nullptr, internal, "bank '{}' is missing", info.name);
  target.*member = argument.bank;
}

template <class Struct, class Fields>
Struct marshal(const Arguments& arguments, const std::vector<FieldInfo>& infos, const Fields& fields) {
  PARITY_CHECK(arguments.size() == infos.size(), internal, "{} operands given, {} declared", arguments.size(),
               infos.size());
  Struct result;
  size_t index = 0;
  const auto take = [&](const auto& f) {
    unpack(infos[index], arguments[index], result, f.member);
    ++index;
  };
  std::apply([&](const auto&... f) { (take(f), ...); }, fields);
  return result;
}

/// Sets a parameter if `params` contains it. `member` may belong to a base class of Struct.
template <class Struct, class Base, class Value>
void assign_param(const ParamMap& params, const char* name, Struct& target, Value Base::*member) {
  const auto found = params.find(name);
  if (found == params.end()) return;
  std::visit([&](auto value) { target.*member = static_cast<Value>(value); }, found->second);
}

template <class C>
typename C::Params params_from(const ParamMap& params) {
  typename C::Params result;
  std::apply([&](const auto&... p) { (assign_param(params, p.name, result, p.member), ...); }, C::params());
  return result;
}

}  // namespace detail

class Registry {
 public:
  template <class C>
  void add(const std::string& backend, const std::string& variant, Kernel<C>* run, bool rounds_as_oracle = false,
           PlaceOf place = &on_host) {
    const Definition& definition = define(definition_of<C>());
    insert({definition.name, backend, variant,
            [run, &definition](const Arguments& in, const ParamMap& params, const Arguments& out, Context& context) {
              const auto inputs = detail::marshal<typename C::Inputs>(in, definition.inputs, C::inputs());
              const auto outputs = detail::marshal<typename C::Outputs>(out, definition.outputs, C::outputs());
              run(inputs, detail::params_from<C>(params), outputs, context);
            },
            rounds_as_oracle, place});
  }

  /// Adds a kernel that was made at run time, without a struct. The definition's name becomes `entry.component`.
  void add_erased(const Definition& definition, KernelEntry entry) {
    entry.component = define(definition).name;
    insert(std::move(entry));
  }

  /// Replaces a registered kernel by `run`. Throws Error{not_found} when there is none.
  void replace(const std::string& component, const std::string& backend, const std::string& variant, ErasedKernel run);
  /// The registered kernel; nullptr when there is none.
  [[nodiscard]] const KernelEntry* find(const std::string& component, const std::string& backend,
                                        const std::string& variant) const;

  /// The definition of a component. Throws Error{not_found} with the nearest name.
  [[nodiscard]] const Definition& component(const std::string& name) const;
  [[nodiscard]] const KernelEntry& kernel(const std::string& component, const std::string& backend,
                                          const std::string& variant) const;
  [[nodiscard]] std::vector<std::string> components() const;  // in alphabetical order
  [[nodiscard]] const std::vector<KernelEntry>& kernels() const { return kernels_; }

 private:
  const Definition& define(Definition definition);
  void insert(KernelEntry entry);

  std::map<std::string, Definition> definitions_;  // node-based: references stay valid
  std::vector<KernelEntry> kernels_;
};

}  // namespace parity
