// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/execution/native.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include <omp.h>

#include "replay/execution/operands.hpp"

namespace parity::replay {
namespace {

/// A single layer of a model of published size may need more. Weights beyond this limit are converted in every call.
constexpr int64_t kMostKept = int64_t{256} << 20;  // bytes

/// Results with fewer elements are computed on one thread: waiting threads would spin for longer than the work takes.
/// The kernels' pieces have this many elements.
constexpr int64_t kShared = int64_t{1} << 15;

/// Limits kernels to one thread for the lifetime of the object.
class OneThread {
 public:
  explicit OneThread(bool wanted) : before_(wanted ? omp_get_max_threads() : 0) {
    if (wanted) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (before_ > 0) omp_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

}  // namespace

const KernelTable::Entry* KernelTable::find(const std::string& component) const {
  const auto found = kernels.find(component);
  return found == kernels.end() ? nullptr : &found->second;
}

KernelTable kernel_table(const Registry& kernels, const std::string& backend, const std::string& variant) {
  KernelTable table;
  for (const KernelEntry& entry : kernels.kernels()) {
    if (entry.backend != backend || entry.variant != variant) continue;
    table.kernels.emplace(entry.component,
                          KernelTable::Entry{kernels.component(entry.component), entry.run, entry.place});
    if (!entry.rounds_as_oracle) table.rounds_freely.insert(entry.component);
  }
  return table;
}

DType held_type(const Plan& plan, const std::string& tap) {
  const TapType type = plan.tap(tap).type;
  return is_integer(type) ? DType::i64 : plan.dtype_of(type);
}

Tensor held_value(const Plan& plan, const std::string& tap, const Tensor& value) {
  const DType type = held_type(plan, tap);
  return value.dtype() == type ? value : convert(value.view(), type);
}

// ---- parameters ----------------------------------------------------------------------------------------------------

class NativeParameters::Bank final : public WeightBank {
 public:
  Bank(const NativeParameters& parameters, std::string name, DType type, std::unique_ptr<WeightBank> wide)
      : parameters_(parameters), name_(std::move(name)), type_(type), wide_(std::move(wide)) {}

  [[nodiscard]] int64_t size() const override { return wide_->size(); }
  [[nodiscard]] Tensor member(int64_t index) const override {
    return parameters_.kept(fmt::format("{} {}", name_, index),
                            [&] { return convert(wide_->member(index).view(), type_); });
  }

 private:
  const NativeParameters& parameters_;
  std::string name_;
  DType type_;
  std::unique_ptr<WeightBank> wide_;
};

NativeParameters::NativeParameters(const Parameters& wide, std::shared_ptr<Residents> residents)
    : wide_(wide), residents_(std::move(residents)) {}
NativeParameters::~NativeParameters() = default;

Tensor NativeParameters::kept(const std::string& name, const std::function<Tensor()>& make) const {
  {
    const std::scoped_lock lock(mutex_);
    const auto found = tensors_.find(name);
    if (found != tensors_.end()) return found->second;
  }
  const Tensor made = make();
  const std::scoped_lock lock(mutex_);
  if (bytes_ + made.bytes() <= kMostKept && tensors_.emplace(name, made).second) bytes_ += made.bytes();
  return made;
}

Tensor NativeParameters::resident(Place& place, const std::string& name, int64_t bytes,
                                  const std::function<Tensor()>& make) const {
  if (place.is_host_memory()) return kept(name, make);
  return residents_->at(place, name, bytes, [&](bool stays) { return stays ? make() : kept(name, make); });
}

Tensor NativeParameters::tensor(const std::string& weight, DType type, Place& place) const {
  return resident(place, weight, wide_.count(weight) * size_of(type),
                  [&] { return convert(wide_.tensor(weight).view(), type); });
}

const WeightBank& NativeParameters::bank(const std::string& weight, DType type) const {
  auto& bank = banks_[weight];
  if (!bank) bank = std::make_unique<Bank>(*this, weight, type, wide_.bank(weight));
  return *bank;
}

std::vector<Tensor> NativeParameters::members(const std::string& weight, DType type, Place& place) const {
  const std::unique_ptr<WeightBank> wide = wide_.bank(weight);
  std::vector<Tensor> members;
  for (int64_t i = 0; i < wide->size(); ++i)
    members.push_back(resident(place, fmt::format("{} {}", weight, i), wide_.count(weight) * size_of(type),
                               [&] { return convert(wide->member(i).view(), type); }));
  return members;
}

// ---- calls ---------------------------------------------------------------------------------------------------------

/// Returns the tap at the place of the call, under the operand's axes. What no view can represent is laid out anew on the
/// host.
TensorView NativeCalls::operand_at(const Value& value, const std::string& axes, const AxisSizes& sizes, Site& site) {
  if (axes.empty() || value.own().view().viewable_as(axes, sizes))
    return under(value.at(site.place, site.moved).view(), axes, sizes);
  const Tensor& copy = site.copies.emplace_back(copied_as(value.on_host(site.moved).view(), axes, sizes));
  if (site.place.is_host_memory()) return copy.view();
  site.moved.values_there += copy.bytes();
  return site.copies.emplace_back(copied_there(site.place, copy)).view();
}

void NativeCalls::give_inputs(KernelCall& call, const Node& node, const Values& taps, Site& site) const {
  const AxisSizes sizes = evaluator_.plan().sizes_of(node);
  for (const auto& [field, list] : node.inputs) {
    const DType type = call.input_types[static_cast<size_t>(call.definition->input_index(field))];
    for (const Operand& operand : list) {
      if (operand.kind == Operand::Kind::bank && site.place.is_host_memory()) {
        call.bank(field, parameters_.bank(operand.name, type));
      } else if (operand.kind == Operand::Kind::bank) {
        call.bank(field, parameters_.members(operand.name, type, site.place));
      } else if (operand.kind == Operand::Kind::weight) {
        call.input(field, parameters_.tensor(operand.name, type, site.place));
      } else {
        const auto value = taps.find(operand.name);
        PARITY_CHECK(value != taps.end(), schema, "tap {}, which {} reads, is neither recorded nor computed; record it",
                     operand.name, node.prefix);
        call.input(field, operand_at(value->second, operand.axes, sizes, site));
      }
    }
  }
}

Values NativeCalls::run(const Node& node, const KernelTable::Entry& kernel, const Values& taps,
                        const std::function<bool(const std::string&)>& wanted, const Tensor* forced,
                        Moved& moved) const {
  const Plan& plan = evaluator_.plan();
  KernelCall call = evaluator_.call_of(node, kernel.definition);
  Site site{kernel.place(node.rank), moved};
  give_inputs(call, node, taps, site);
  if (forced != nullptr) call.input("forced", Value(*forced).at(site.place, moved));
  int64_t elements = 0;
  for (const auto& [field, target] : node.outputs) {
    const auto index = static_cast<size_t>(kernel.definition.output_index(field));
    if (kernel.definition.outputs[index].optional && !wanted(target.name)) continue;
    const TapInfo& info = plan.tap(target.name);
    call.output(field, {held_type(plan, target.name), info.shape, info.axes, target.axes, plan.sizes_of(node)});
    elements += element_count(info.shape);
  }
  const PlacedCall placed(call, site.place, PlacedCall::Inputs::given);
  placed.poison(Poison::nan);
  const OneThread few(elements < kShared);
  with_context(node.prefix + " (" + node.component + ")", [&] { placed.run(kernel.run); });
  placed.require_guards();
  Values results;
  for (const auto& [field, output] : placed.outputs()) results[node.outputs.at(field).name] = output;
  return results;
}

}  // namespace parity::replay
