// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/guards.hpp"

#include <algorithm>
#include <list>

#include <omp.h>

#include "core/text.hpp"
#include "reference/layouts.hpp"
#include "reference/random_call.hpp"

namespace parity::faults {
namespace {

/// Bits of an element before the kernel runs: a NaN with a payload, and a number; ids get the second.
struct Poison {
  uint64_t number, id;
};
constexpr Poison kFirst{0x7FF8'0BAD'0BAD'0BADU, 0x8000'0000'0BAD'0BADU};
constexpr Poison kSecond{0x40C8'1C80'0BAD'0BADU, 0x0000'0000'0BAD'0BADU};

uint64_t* bits_of(const Tensor& tensor) { return reinterpret_cast<uint64_t*>(tensor.view().data); }

Tensor guarded_copy(const TensorView& source) {
  Tensor result = Tensor::guarded(source.dtype, source.shape, source.axes);
  reference::copy_elements(source, result.view());
  return result;
}

/// Copies of a bank's members.
class CopiedBank final : public WeightBank {
 public:
  explicit CopiedBank(const WeightBank& source) {
    for (int64_t i = 0; i < source.size(); ++i) members_.push_back(guarded_copy(source.member(i).view()));
  }
  [[nodiscard]] int64_t size() const override { return static_cast<int64_t>(members_.size()); }
  [[nodiscard]] Tensor member(int64_t index) const override { return members_.at(static_cast<size_t>(index)); }

 private:
  std::vector<Tensor> members_;
};

/// A tensor that a run may read or write, and what it is called.
struct Named {
  std::string name;
  Tensor tensor;
  uint64_t poison = 0;
};

/// Which input is given in which layout.
struct Relaid {
  size_t input;
  const reference::Layout* layout;
};

/// One run on fresh copies.
class Run {
 public:
  Run(const KernelCall& call, const Poison& poison, const Relaid* relaid = nullptr) : call_(call) {
    copy_inputs(relaid);
    make_outputs(poison);
    call.run(inputs_, call.params, outputs_, context_);
  }

  [[nodiscard]] const std::vector<Named>& written() const { return written_; }
  /// Name of the first output, and the elements in all, that are not the same bits in the other run.
  [[nodiscard]] GuardResult differences(const Run& other) const {
    GuardResult result;
    for (size_t k = 0; k < written_.size(); ++k) {
      const int64_t count = written_[k].tensor.view().count();
      for (int64_t i = 0; i < count; ++i) {
        if (bits_of(written_[k].tensor)[i] != bits_of(other.written_[k].tensor)[i]) note(result, written_[k].name, i);
      }
    }
    return result;
  }
  static void note(GuardResult& result, const std::string& name, int64_t element) {
    result.state = GuardResult::State::broken;
    if (result.count++ == 0) result.detail = fmt::format("element {} of {}", element, name);
  }
  void add_overruns(GuardResult& result) const {
    for (const Named& output : written_) {
      if (output.tensor.guards_intact()) continue;
      result = {GuardResult::State::broken, result.count + 1, "beside " + output.name};
    }
  }
  void add_changed_inputs(GuardResult& result) const {
    for (size_t i = 0; i < kept_.size(); ++i) add_changed(result, kept_[i], copies_[i]);
    for (const auto& [before, after] : banks_) {
      for (int64_t i = 0; i < before.size(); ++i)
        add_changed(result, {fmt::format("member {} of a bank", i), before.member(i)}, after.member(i));
    }
  }

 private:
  static void add_changed(GuardResult& result, const Named& original, const Tensor& now) {
    if (!now.guards_intact()) result = {GuardResult::State::broken, result.count + 1, "beside " + original.name};
    for (int64_t i = 0; i < now.view().count(); ++i) {
      if (bits_of(original.tensor)[i] != bits_of(now)[i]) note(result, original.name, i);
    }
  }

  void copy_inputs(const Relaid* relaid) {
    inputs_ = call_.inputs;
    for (size_t index = 0; index < inputs_.size(); ++index) {
      const std::string& name = call_.definition->inputs[index].name;
      for (TensorView& view : inputs_[index].tensors) {
        kept_.push_back({name, convert(view, view.dtype)});
        copies_.push_back(guarded_copy(view));
        view = copies_.back().view();
        if (relaid != nullptr && relaid->input == index) view = relaid->layout->make(view, relaid_.emplace_back());
      }
      if (inputs_[index].bank == nullptr) continue;
      banks_.emplace_back(CopiedBank(*inputs_[index].bank), CopiedBank(*inputs_[index].bank));
      inputs_[index].bank = &banks_.back().second;
    }
  }

  Tensor poisoned(const std::string& name, DType dtype, const Shape& shape, uint64_t poison) {
    const Tensor tensor = Tensor::guarded(dtype, shape);
    std::fill_n(bits_of(tensor), tensor.view().count(), poison);
    return written_.emplace_back(Named{name, tensor, poison}).tensor;
  }

  void make_outputs(const Poison& poison) {
    outputs_.resize(call_.definition->outputs.size());
    context_.rounding = call_.rounding;
    for (const auto& [field, shape] : call_.outputs) {
      const auto index = static_cast<size_t>(call_.definition->output_index(field));
      if (is_integer(call_.definition->outputs[index].judge)) {
        outputs_[index].tensors = {poisoned(field, DType::i64, shape, poison.id).view()};
        continue;
      }
      const Tensor values = poisoned(field, DType::f64, shape, poison.number);
      outputs_[index].tensors = {values.view()};
      if (!call_.bounded) continue;
      const Tensor rounding = poisoned(field + "'s rounding bound", DType::f64, shape, poison.number);
      const Tensor noise = poisoned(field + "'s noise bound", DType::f64, shape, poison.number);
      context_.bounds.push_back({values.view().data, rounding.f64(), noise.f64()});
    }
  }

  const KernelCall& call_;
  Arguments inputs_, outputs_;
  Context context_;
  std::vector<Named> written_;
  std::vector<Named> kept_;                             // inputs as they were
  std::vector<Tensor> copies_;                          // as the kernel was given them
  std::list<Tensor> relaid_;                            // or these in their place
  std::list<std::pair<CopiedBank, CopiedBank>> banks_;  // before, given
};

/// Elements that hold the poison of both runs were not written; those that differ otherwise hang on what was there.
GuardResult check_written(const Run& first, const Run& second, bool repeatable) {
  GuardResult unwritten, dependent;
  for (size_t k = 0; k < first.written().size(); ++k) {
    const Named& a = first.written()[k];
    const Named& b = second.written()[k];
    for (int64_t i = 0; i < a.tensor.view().count(); ++i) {
      const uint64_t one = bits_of(a.tensor)[i], other = bits_of(b.tensor)[i];
      if (one == a.poison && other == b.poison) {
        Run::note(unwritten, a.name, i);
      } else if (one != other && repeatable) {
        Run::note(dependent, a.name, i);
      }
    }
  }
  if (unwritten.count > 0) {
    unwritten.detail = fmt::format("{} elements unwritten, first {}", unwritten.count, unwritten.detail);
    return unwritten;
  }
  if (dependent.count > 0) dependent.detail += " hangs on what the output held before";
  return dependent;
}

GuardResult check_layouts(const KernelCall& call, const Run& expected) {
  GuardResult result;
  for (size_t input = 0; input < call.inputs.size(); ++input) {
    if (call.inputs[input].tensors.empty()) continue;
    for (const reference::Layout& layout : reference::layouts()) {
      const Relaid relaid{input, &layout};
      std::string what;
      try {
        const GuardResult differing = Run(call, kFirst, &relaid).differences(expected);
        if (differing.count > 0) what = differing.detail + " differs";
      } catch (const Error& error) {  // refused, never misread: what would need a copy
        if (error.code() != ErrorCode::internal || !layout.refusable) what = error.what();
      }
      if (what.empty()) continue;
      result.state = GuardResult::State::broken;
      if (result.count++ == 0)
        result.detail = fmt::format("{} {}: {}", call.definition->inputs[input].name, layout.name, what);
    }
  }
  return result;
}

/// The number of threads that this thread's parallel regions use, for as long as it lives.
class Threads {
 public:
  explicit Threads(int count) : before_(omp_get_max_threads()) { omp_set_num_threads(count); }
  ~Threads() { omp_set_num_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

GuardResult check_threads(const KernelCall& call) {
  const auto run_on = [&](int count) {
    const Threads threads(count);
    return Run(call, kFirst);
  };
  return run_on(1).differences(run_on(3));
}

}  // namespace

const char* to_string(Guard guard) {
  switch (guard) {
    case Guard::written:
      return "every element written";
    case Guard::canaries:
      return "nothing beside";
    case Guard::inputs:
      return "inputs kept";
    case Guard::repeatable:
      return "same twice";
    case Guard::layouts:
      return "any layout";
    case Guard::threads:
      return "any threads";
  }
  return "";
}

GuardResults check_guards(const KernelCall& call) {
  const Run first(call, kFirst), again(call, kFirst), other(call, kSecond);
  GuardResults results;
  const auto at = [&](Guard guard) -> GuardResult& { return results[static_cast<size_t>(guard)]; };
  at(Guard::repeatable) = first.differences(again);
  const bool repeatable = at(Guard::repeatable).state == GuardResult::State::holds;
  at(Guard::written) = check_written(first, other, repeatable);
  for (const Run* run : {&first, &again, &other}) {
    run->add_overruns(at(Guard::canaries));
    run->add_changed_inputs(at(Guard::inputs));
  }
  const GuardResult unjudged{GuardResult::State::unjudged, 0, "two equal calls differ"};
  at(Guard::layouts) = repeatable ? check_layouts(call, first) : unjudged;
  at(Guard::threads) = repeatable ? check_threads(call) : unjudged;
  return results;
}

bool KernelGuards::holds() const {
  return std::all_of(broken.begin(), broken.end(), [](int64_t count) { return count == 0; });
}

namespace {

void add(const GuardResults& results, const std::string& where, KernelGuards& kernel) {
  ++kernel.calls;
  for (size_t g = 0; g < results.size(); ++g) {
    if (results[g].state == GuardResult::State::unjudged) ++kernel.unjudged[g];
    if (results[g].state != GuardResult::State::broken) continue;
    ++kernel.broken[g];
    if (kernel.detail.empty())
      kernel.detail = fmt::format("{}, {}: {}", to_string(kGuards[g]), where, results[g].detail);
  }
}

}  // namespace

std::vector<KernelGuards> run_guards(const Registry& registry, const GuardOptions& options) {
  std::vector<KernelGuards> kernels;
  for (const KernelEntry& entry : registry.kernels()) {
    if (!glob_match(options.select, entry.component)) continue;
    KernelGuards kernel{entry.component, entry.backend, entry.variant, 0, {}, {}, {}};
    for (int64_t seed = 0; seed < options.seeds; ++seed) {
      for (const DType working : {DType::bf16, DType::f16, DType::f32}) {
        const auto random = reference::random_call(entry.component, static_cast<uint64_t>(seed), working);
        KernelCall call{entry.run, &registry.component(entry.component), random.call.inputs(), random.call.params(),
                        random.call.outputs()};
        call.bounded = entry.variant == "bounded";
        call.rounding = call.bounded ? Rounding::exact(working, random.table) : Rounding::oracle(working, random.table);
        add(check_guards(call), fmt::format("seed {} {}", seed, to_string(working)), kernel);
      }
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace parity::faults
