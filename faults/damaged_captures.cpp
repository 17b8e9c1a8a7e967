// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/damaged_captures.hpp"

#include <algorithm>

#include "compare/capture_init.hpp"
#include "compare/golden_run.hpp"
#include "faults/capture_damage.hpp"
#include "golden/temporary_folder.hpp"

namespace parity::faults {
namespace {

constexpr const char* kFile = "capture.h5";

/// A golden and the two sound captures of it that are damaged: filled with its values, which are right.
struct Material {
  golden::Golden golden;
  CaptureContents declared, undeclared;
  bool undeclared_shows = true;  // false: mistrusted undamaged, so that damage to it would prove nothing
};

Material material_of(const std::filesystem::path& path) {
  golden::Golden golden = golden::Golden::open(path);
  const golden::TemporaryFolder folder;
  static_cast<void>(compare::write_empty_capture(golden, {}, folder / kFile));
  const auto empty = golden::ActivationFile::open(folder / kFile);
  std::vector<std::string> outputs;
  for (const golden::DatasetInfo& info : empty.datasets()) {
    if (info.attributes.contains(golden::kComputed)) outputs.push_back(info.path);
  }
  CaptureContents declared = contents_of(empty, outputs);
  CaptureContents undeclared = contents_of(golden.activations(), outputs);
  for (const std::string& tap : outputs) {
    declared.datasets.at(tap).values = undeclared.datasets.at(tap).values;
    declared.datasets.at(tap).texts = undeclared.datasets.at(tap).texts;
    declared.datasets.at(tap).several = undeclared.datasets.at(tap).several;
    declared.datasets.at(tap).attributes[golden::kComputed] = "yes";
  }
  undeclared.root["experts"] = "other";  // what an engine's adapter says; a copy of the golden does not
  return {std::move(golden), std::move(declared), std::move(undeclared), true};
}

void judge(const Material& material, const CaptureContents& contents, DamagedCapture& result) {
  const golden::TemporaryFolder folder;
  try {
    write_capture(contents, folder / kFile);
    compare::RunOptions options;
    options.mode = compare::Mode::isolated;
    options.candidate = compare::RunOptions::Candidate::capture;
    options.capture = folder / kFile;
    const auto report = compare::run_golden(material.golden, options);
    result.verdict = report.verdict;
    result.reason = report.reason;
    if (report.first_divergence) result.reason = report.first_divergence->tap;
  } catch (const Error& error) {
    result.refused = true;
    result.reason = error.what();
  }
}

const char* name_of(CaptureBase base) { return base == CaptureBase::declared ? "declared" : "undeclared"; }

/// Draws until the damage has a place; nothing when this golden has none for it.
std::optional<DamagedCapture> damaged(const Material& material, const CaptureDamage& kind, uint64_t seed) {
  constexpr int kTries = 20;
  Draws draws(seed);
  const CaptureBase base = kind.base != CaptureBase::any                       ? kind.base
                           : draws.below(2) == 0 || !material.undeclared_shows ? CaptureBase::declared
                                                                               : CaptureBase::undeclared;
  if (base == CaptureBase::undeclared && !material.undeclared_shows) return std::nullopt;
  for (int i = 0; i < kTries; ++i) {
    CaptureContents contents = base == CaptureBase::declared ? material.declared : material.undeclared;
    const auto place = kind.damage(contents, draws);
    if (!place) continue;
    DamagedCapture result{kind.name, material.golden.folder().string(), name_of(base), *place, seed};
    judge(material, contents, result);
    return result;
  }
  return std::nullopt;
}

}  // namespace

int64_t DamagedCaptureStudy::green() const {
  return std::count_if(captures.begin(), captures.end(), [](const auto& capture) { return capture.green(); });
}

std::vector<DamageTally> DamagedCaptureStudy::by_kind() const {
  std::vector<DamageTally> tallies;
  for (const CaptureDamage& kind : capture_damages()) {
    DamageTally tally{kind.name, kind.what};
    for (const DamagedCapture& capture : captures) {
      if (capture.kind != kind.name) continue;
      ++tally.runs;
      if (capture.refused) {
        ++tally.refused;
      } else if (capture.green()) {
        ++tally.green;
      } else if (capture.verdict == compare::Status::fail || capture.verdict == compare::Status::error) {
        ++tally.failed;
      } else {
        ++tally.not_shown;
      }
    }
    tallies.push_back(tally);
  }
  return tallies;
}

DamagedCaptureStudy run_damaged_captures(const DamagedCaptureOptions& options) {
  DamagedCaptureStudy study;
  const auto wanted = static_cast<size_t>(options.captures);
  uint64_t seed = options.seed * 1000003;  // each capture has one of its own
  const size_t share = (wanted + options.goldens.size() - 1) / std::max<size_t>(options.goldens.size(), 1);
  for (const auto& path : options.goldens) {
    Material material = material_of(path);
    for (const CaptureBase base : {CaptureBase::declared, CaptureBase::undeclared}) {
      DamagedCapture sound{"sound", path.string(), name_of(base), "", 0};
      judge(material, base == CaptureBase::declared ? material.declared : material.undeclared, sound);
      const bool mistrusted = !sound.refused && sound.verdict == compare::Status::mistrusted;
      if (base == CaptureBase::undeclared && mistrusted) material.undeclared_shows = false;
      if (!sound.green() && material.undeclared_shows)
        study.false_alarms.push_back(fmt::format("{}, {}: {}", path.string(), sound.base, sound.reason));
    }
    const size_t most = std::min(wanted, study.captures.size() + share);
    // Kinds go on where the golden before stopped; one that has no place here is passed over.
    for (size_t tries = 0; study.captures.size() < most && tries < 4 * share; ++tries) {
      const CaptureDamage& kind = capture_damages()[(study.captures.size() + tries) % capture_damages().size()];
      if (auto capture = damaged(material, kind, ++seed)) study.captures.push_back(*std::move(capture));
      if (options.progress) options.progress(study.captures.size(), wanted);
    }
  }
  return study;
}

}  // namespace parity::faults
