// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/guards.hpp"

#include <algorithm>
#include <initializer_list>

#include "cases/guarded_replay.hpp"
#include "cases/refusals.hpp"
#include "cases/threads.hpp"
#include "core/text.hpp"
#include "reference/random_call.hpp"

namespace parity::cases {
namespace {

/// Elements with the poison of both runs were not written; others that differ depend on earlier contents.
GuardResult check_written(const GuardedRun& first, const GuardedRun& second, bool repeatable) {
  GuardResult unwritten, dependent;
  for (size_t k = 0; k < first.written().size(); ++k) {
    const Written& a = first.written()[k];
    const Written& b = second.written()[k];
    for (int64_t i = 0; i < a.tensor.view().count(); ++i) {
      const uint64_t one = bits_at(a.tensor.view(), i), other = bits_at(b.tensor.view(), i);
      if (one == a.poison && other == b.poison) {
        GuardedRun::note(unwritten, a.name, i);
      } else if (one != other && repeatable) {
        GuardedRun::note(dependent, a.name, i);
      }
    }
  }
  if (unwritten.count > 0) {
    unwritten.detail = fmt::format("{} output elements unwritten, the first is {}", unwritten.count, unwritten.detail);
    return unwritten;
  }
  if (dependent.count > 0) dependent.detail += " depends on what the output held before";
  return dependent;
}

GuardResult check_layouts(const GuardedKernel& kernel, const GuardedRun& expected) {
  GuardResult result;
  for (size_t input = 0; input < kernel.call.inputs.size(); ++input) {
    if (kernel.call.inputs[input].tensors.empty()) continue;
    for (const reference::Layout& layout : reference::layouts()) {
      const Relaid relaid{input, &layout};
      std::string what;
      try {
        const GuardResult differing = GuardedRun(kernel, Poison::first, &relaid).differences(expected);
        if (differing.count > 0) what = differing.detail + " differs";
      } catch (const Error& error) {  // refused, not misread: a layout that would need a copy
        if (error.code() != ErrorCode::internal || !layout.refusable) what = error.what();
      }
      if (what.empty()) continue;
      result.state = GuardResult::State::broken;
      if (result.count++ == 0)
        result.detail = fmt::format("{} {}: {}", kernel.call.definition->inputs[input].name, layout.name, what);
    }
  }
  return result;
}

GuardResult check_threads(const GuardedKernel& kernel) {
  const auto run_on = [&](int count) {
    const Threads threads(count);
    return GuardedRun(kernel, Poison::first);
  };
  return run_on(1).differences(run_on(3));
}

/// Checks the scratch memory of finished runs: no canary overwritten, and nothing written after the call.
GuardResult check_blocks(std::initializer_list<const GuardedRun*> runs) {
  GuardResult result;
  for (const GuardedRun* run : runs) {
    for (const auto& wrong : {run->workspace().overrun(), run->workspace().kept()}) {
      if (!wrong) continue;
      result.state = GuardResult::State::broken;
      if (result.count++ == 0) result.detail = *wrong;
    }
  }
  return result;
}

/// Checks that any contents of scratch memory give the same bits.
GuardResult check_workspace(const GuardedKernel& kernel, const GuardedRun& first) {
  if (first.workspace().blocks() == 0) return {GuardResult::State::idle, 0, "no workspace is taken"};
  const GuardedRun positive(kernel, Poison::first, nullptr, kPositiveScratch);
  const GuardedRun negative(kernel, Poison::first, nullptr, kNegativeScratch);
  GuardResult result = check_blocks({&first, &positive, &negative});
  if (result.count > 0) return result;
  for (const GuardedRun* run : {&positive, &negative}) {
    const GuardResult differing = first.differences(*run);
    if (result.count == 0) result.detail = differing.detail + " depends on what the workspace held before";
    result.count += differing.count;
  }
  if (result.count == 0) return {};
  result.state = GuardResult::State::broken;
  return result;
}

}  // namespace

const char* to_string(Guard guard) {
  switch (guard) {
    case Guard::written:
      return "every element written";
    case Guard::canaries:
      return "no writes outside";
    case Guard::inputs:
      return "inputs unchanged";
    case Guard::repeatable:
      return "repeatable";
    case Guard::layouts:
      return "any layout";
    case Guard::threads:
      return "any threads";
    case Guard::workspace:
      return "any scratch";
    case Guard::replay:
      return "as a graph";
    case Guard::ids:
      return "ids refused";
  }
  return "";
}

const char* key_of(Guard guard) {
  switch (guard) {
    case Guard::canaries:
      return "nothing beside";
    case Guard::inputs:
      return "inputs kept";
    case Guard::repeatable:
      return "same twice";
    default:
      return to_string(guard);
  }
}

GuardResults check_guards(const GuardedKernel& kernel) {
  const GuardedRun first(kernel, Poison::first), again(kernel, Poison::first), other(kernel, Poison::other);
  GuardResults results;
  const auto at = [&](Guard guard) -> GuardResult& { return results[static_cast<size_t>(guard)]; };
  at(Guard::repeatable) = first.differences(again);
  const bool repeatable = at(Guard::repeatable).state == GuardResult::State::holds;
  at(Guard::written) = check_written(first, other, repeatable);
  for (const GuardedRun* run : {&first, &again, &other}) {
    run->add_overruns(at(Guard::canaries));
    run->add_changed_inputs(at(Guard::inputs));
  }
  at(Guard::workspace) = check_blocks({&first, &again, &other});
  const bool keeps = at(Guard::workspace).count > 0;  // later runs might use freed memory
  const GuardResult unjudged{GuardResult::State::unjudged, 0,
                             keeps ? "its scratch memory is not safe to run on" : "two equal calls differ"};
  const bool go_on = repeatable && !keeps;
  at(Guard::layouts) = go_on ? check_layouts(kernel, first) : unjudged;
  at(Guard::threads) = go_on ? check_threads(kernel) : unjudged;
  at(Guard::replay) = go_on ? check_replay(kernel, first) : unjudged;
  if (!keeps) at(Guard::workspace) = repeatable ? check_workspace(kernel, first) : unjudged;
  at(Guard::ids) = keeps ? unjudged : check_refusals(kernel);
  return results;
}

GuardResults check_layouts_alone(const GuardedKernel& kernel) {
  GuardResults results;
  results.fill({GuardResult::State::idle, 0, {}});
  const GuardedRun first(kernel, Poison::first);
  const bool repeatable = first.differences(GuardedRun(kernel, Poison::first)).state == GuardResult::State::holds;
  results[static_cast<size_t>(Guard::layouts)] =
      repeatable ? check_layouts(kernel, first)
                 : GuardResult{GuardResult::State::unjudged, 0, "two equal calls differ"};
  return results;
}

bool KernelGuards::holds() const {
  return std::all_of(broken.begin(), broken.end(), [](int64_t count) { return count == 0; });
}

void KernelGuards::add(const GuardResults& results, const std::string& where) {
  ++calls;
  for (size_t g = 0; g < results.size(); ++g) {
    if (results[g].state == GuardResult::State::unjudged) ++unjudged[g];
    if (results[g].state == GuardResult::State::idle) ++idle[g];
    if (results[g].state != GuardResult::State::broken) continue;
    ++broken[g];
    if (detail.empty()) detail = fmt::format("{}, {}: {}", to_string(kGuards[g]), where, results[g].detail);
  }
}

bool GuardOptions::wants(const KernelEntry& entry) const {
  const auto matches = [](const std::vector<std::string>& globs, const std::string& name) {
    return globs.empty() ||
           std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) { return glob_match(glob, name); });
  };
  return glob_match(select, entry.component) && matches(components, entry.component) &&
         matches(backends, entry.backend);
}

void GuardOptions::tell(const KernelEntry& entry, const std::string& call) const {
  if (running) running(fmt::format("{} {}:{}, {}", entry.component, entry.backend, entry.variant, call));
}

std::vector<KernelGuards> run_guards(const Registry& registry, const GuardOptions& options) {
  std::vector<KernelGuards> kernels;
  for (const KernelEntry& entry : registry.kernels()) {
    if (!options.wants(entry)) continue;
    KernelGuards kernel{entry.component, entry.backend, entry.variant, 0, {}, {}, {}, {}};
    for (int64_t seed = 0; seed < options.seeds; ++seed) {
      for (const DType working : {DType::bf16, DType::f16, DType::f32}) {
        const std::string name = fmt::format("seed {} {}", seed, to_string(working));
        options.tell(entry, name);
        const auto random = reference::random_call(entry.component, static_cast<uint64_t>(seed), working);
        KernelCall call = random.call.call();
        call.bounded = entry.variant == "bounded";
        call.rounding = call.bounded ? Rounding::exact(working, random.table) : Rounding::oracle(working, random.table);
        kernel.add(check_guards({entry.run, call, entry.place(0), &call}), name);
      }
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace parity::cases
