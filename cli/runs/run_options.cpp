// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdlib>

#include <fmt/core.h>

#include "cli/reports/document.hpp"
#include "cli/runs/candidate.hpp"
#include "cli/runs/run_parts.hpp"
#include "core/plans/profile.hpp"
#include "core/text.hpp"
#include "faults/catalogue.hpp"
#include "faults/explaining/explain.hpp"

namespace parity::cli {
namespace {

void set_mode(const std::string& mode, compare::RunOptions& options) {
  using compare::Mode;
  if (mode.empty()) return;
  for (const Mode known : {Mode::isolated, Mode::chained, Mode::forced}) {
    if (mode == to_string(known)) options.mode = known;
  }
  PARITY_CHECK(options.mode.has_value(), usage, "--mode '{}' is not known{}; use isolated, chained or forced", mode,
               did_you_mean(mode, {"isolated", "chained", "forced"}));
}

void set_policy(const std::string& policy, compare::RunOptions& options) {
  using compare::Policy;
  if (policy.empty()) return;
  for (const Policy known : {Policy::bits, Policy::bounds}) {
    if (policy == to_string(known)) options.policy = known;
  }
  PARITY_CHECK(options.policy.has_value(), usage, "--policy '{}' is not known{}; use bits or bounds", policy,
               did_you_mean(policy, {"bits", "bounds"}));
}

/// Sets how the values of a capture are read: --inputs and --nothing.
void set_reading(const std::string& inputs, const std::string& nothing, compare::RunOptions& options) {
  using Candidate = compare::RunOptions::Candidate;
  PARITY_CHECK(inputs == "own" || inputs == "golden", usage, "--inputs '{}' is not known{}; use own or golden", inputs,
               did_you_mean(inputs, {"own", "golden"}));
  PARITY_CHECK((inputs == "own" && nothing.empty()) || options.candidate == Candidate::capture, usage,
               "--inputs and --nothing require --candidate capture:FILE");
  if (inputs == "golden") options.inputs = compare::RunOptions::Inputs::golden;
  PARITY_CHECK(inputs == "own" || !options.mode || *options.mode == compare::Mode::isolated, usage,
               "--inputs golden judges each node alone; use --mode isolated");
  if (nothing.empty()) return;
  char* end = nullptr;
  const double value = std::strtod(nothing.c_str(), &end);
  PARITY_CHECK(*end == '\0' && value < 0.0, usage,
               "--nothing '{}' is not a negative number; give one, for example -3.4e38", nothing);
  options.nothing = value;
}

/// Throws Error{usage} for a profile that no release has.
void require_profile(const std::string& name) {
  constexpr std::string_view kSuffix = "-f64";
  const std::string release = name.ends_with(kSuffix) ? name.substr(0, name.size() - kSuffix.size()) : name;
  std::vector<std::string> known;
  for (const auto* list : {&profiles(), &processor_profiles()}) {
    for (const Profile& profile : *list) {
      known.push_back(profile.name);
      known.insert(known.end(), profile.also.begin(), profile.also.end());
    }
  }
  PARITY_CHECK(name.empty() || std::find(known.begin(), known.end(), release) != known.end(), usage,
               "--profile '{}' is not known{}; see parity list profiles", name, did_you_mean(release, known));
}

/// Sets the faults that the reference is assumed to have, all at once, or the profile that replaces the golden's.
void set_assumed(const RunOptions& options, compare::RunOptions& judged) {
  constexpr std::string_view kProfile = "profile:";
  std::vector<faults::Fault> assumed;
  for (const std::string& text : options.assume) {
    if (text.starts_with(kProfile)) {
      judged.profile = text.substr(kProfile.size());
      require_profile(judged.profile);
    } else {
      assumed.push_back(faults::assumed_fault(text));
    }
  }
  if (assumed.empty()) return;
  judged.hypothesis = [assumed, rewrite = faults::hypothesis_of(assumed)](Plan& plan, const WeightSource& weights) {
    faults::require_places(assumed, plan);
    return rewrite(plan, weights);
  };
}

}  // namespace

int documents_on_stdout(const RunOptions& options) {
  int count = 0;
  for (const std::string* file :
       {&options.json, &options.junit, &options.markdown, &renderings().html, &renderings().sarif})
    count += *file == "-" ? 1 : 0;
  return count;
}

compare::RunOptions judged_options(const RunOptions& options) {
  PARITY_CHECK(documents_on_stdout(options) <= 1, usage,
               "only one of --json, --html, --sarif, --junit and --markdown can go to standard output; name a file for "
               "the others");
  PARITY_CHECK(!options.goldens.empty() || !options.synthetic.published.empty(), usage,
               "no golden is given; name the folder of a golden, or use --synthetic m3");
  PARITY_CHECK(options.save.empty() || (options.goldens.size() == 1 && options.synthetic.published.empty()), usage,
               "--save writes one capture; name exactly one golden");
  compare::RunOptions judged;
  set_candidate(options.candidate, judged);
  PARITY_CHECK(
      options.save.empty() || judged.candidate != compare::RunOptions::Candidate::capture, usage,
      "--save writes a capture of what kernels compute, but --candidate {} is already a capture; remove --save",
      options.candidate);
  PARITY_CHECK(
      options.save.empty() || options.layout.single() || judged.candidate != compare::RunOptions::Candidate::golden,
      usage, "--save with {} needs kernels that compute on each rank; name them with --candidate, for example cpu",
      options.layout.text());
  judged.save = options.save;
  set_mode(options.mode, judged);
  set_policy(options.policy, judged);
  set_reading(options.inputs, options.nothing, judged);
  judged.required = options.required;
  require_profile(options.profile);
  judged.select = options.select;
  judged.profile = options.profile;
  judged.layout = options.layout;
  set_assumed(options, judged);
  return judged;
}

}  // namespace parity::cli
