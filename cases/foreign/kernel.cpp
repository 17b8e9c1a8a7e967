// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/foreign/kernel.hpp"

#include <fmt/ranges.h>

#include "cases/foreign/fitting.hpp"
#include "cases/foreign/launch.hpp"
#include "cases/foreign/source.hpp"
#include "cases/foreign/values.hpp"
#include "cases/native_case.hpp"
#include "optimized/backends.hpp"

namespace parity::cases {
namespace {

constexpr std::string_view kCuda = "cu:", kPtx = "ptx:";

/// The place of the backend cuda-host, or the one with checks.
PlaceOf machine(bool checked) {
  const optimized::Backend* backend = optimized::find_backend("cuda-host");
  return checked ? backend->others.front().place : backend->place;
}

/// Error{usage} for what is not PTX: the file is an argument.
std::shared_ptr<const ptx::Program> program_of(const std::string& text, const std::string& source) {
  try {
    return std::make_shared<const ptx::Program>(text);
  } catch (const Error& error) {
    throw Error(ErrorCode::usage, fmt::format("{}: {}", source, error.what()));
  }
}

}  // namespace

bool is_foreign(const std::string& word) { return word.starts_with(kCuda) || word.starts_with(kPtx); }

ForeignKernel::ForeignKernel(const std::string& word, const std::filesystem::path& binding, bool checked)
    : checked_(checked) {
  const bool cuda = word.starts_with(kCuda);
  const std::filesystem::path source = word.substr(cuda ? kCuda.size() : kPtx.size());
  std::error_code unreadable;
  PARITY_CHECK(std::filesystem::exists(source, unreadable), usage,
               "{}: no such file; name the source file of the kernel", source.string());
  binding_ = std::make_shared<Binding>(
      read_binding(binding.empty() ? std::filesystem::path(source).replace_extension(".json") : binding));
  const std::string text = cuda ? ptx_of_cuda(source) : read_ptx(source);
  const auto program = program_of(text, source.string());
  for (const auto& [working, name] : binding_->kernels) {
    BoundKernel bound{binding_, program, source.string(), nullptr};
    with_context(source.string(), [&] { bound.kernel = &find_kernel(program->module(), name); });
    check_parameters(*binding_, *bound.kernel);
    const auto run = [bound](const Arguments& inputs, const ParamMap& params, const Arguments& outputs,
                             Context& context) {
      launch_bound(bound, CallValues(*bound.binding->definition, inputs, outputs, params), context);
    };
    for (const bool checks : {false, true})
      (checks ? with_checks_ : plain_)
          ->add_erased(*binding_->definition, {component(), word, to_string(working), run, false, machine(checks)});
  }
}

bool ForeignKernel::computes(const CaseSpec& spec) const {
  return spec.component == component() && binding_->kernels.contains(spec.working);
}

CaseKernel ForeignKernel::kernel() const {
  const auto run = [*this](const DrawnCase& drawn, const replay::Evaluator&) {
    PARITY_CHECK(computes(drawn.spec), unsupported, "{}: 'kernels' has no kernel of {} in {}", binding_->file.string(),
                 drawn.spec.component, to_string(drawn.spec.working));
    const std::string condition = unmet(*binding_, drawn);
    PARITY_CHECK(condition.empty(), unsupported, "{}: this case violates the condition '{}' of the key 'requires'",
                 binding_->file.string(), condition);
    const bool checks = checked_ && drawn.spec.lane != Lane::large;
    for (const KernelEntry& entry : (checks ? with_checks_ : plain_)->kernels()) {
      if (entry.variant == to_string(drawn.spec.working)) return run_native(drawn, entry, *binding_->definition);
    }
    throw Error(ErrorCode::internal, "a kernel is missing");
  };
  CaseKernel kernel{run, true, compare::Policy::bits, {}, true};
  if (!binding_->conditions.empty()) kernel.fitted = [*this](const CaseSpec& spec) { return fitted(spec); };
  return kernel;
}

std::optional<CaseSpec> ForeignKernel::fitted(const CaseSpec& spec) const { return cases::fitted(*binding_, spec); }

std::string ForeignKernel::conditions() const {
  std::vector<std::string> texts;
  for (const Condition& condition : binding_->conditions) texts.push_back(condition.text());
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::vector<KernelGuards> ForeignKernel::guards() const {
  GuardOptions options;
  if (!binding_->conditions.empty()) options.fitted = [*this](const CaseSpec& spec) { return fitted(spec); };
  return run_native_guards(*plain_, options);
}

}  // namespace parity::cases
