// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/captures/damaged_captures.hpp"

#include <algorithm>

#include "compare/captures/capture_init.hpp"
#include "compare/goldens/golden_run.hpp"
#include "faults/captures/capture_damage.hpp"
#include "faults/computed.hpp"
#include "golden/files/temporary_folder.hpp"

namespace parity::faults {
namespace {

constexpr const char* kFile = "capture.h5";
constexpr const char* kGolden = "golden";

/// A golden and two sound captures of it to be damaged. They have the golden's correct values or a backend's.
struct Material {
  golden::Golden golden;
  std::string made_by;
  CaptureContents declared, undeclared;
  bool undeclared_shows = true;  // false: mistrusted even undamaged, so damage to it proves nothing
};

CaptureContents without_declaration(CaptureContents contents) {
  for (const char* name : {golden::kMarker, "not_computed_taps"}) contents.root.erase(name);
  for (auto& [path, tap] : contents.datasets) tap.attributes.erase(golden::kComputed);
  for (const char* name : {"attention", "experts"})
    contents.root[name] = "other";  // as an engine's adapter states; a copy of the golden has no such statement
  return contents;
}

std::vector<std::string> own_outputs(const golden::ActivationFile& capture) {
  std::vector<std::string> outputs;
  for (const golden::DatasetInfo& info : capture.datasets()) {
    if (info.attributes.contains(golden::kComputed) && !golden::is_lent(info)) outputs.push_back(info.path);
  }
  return outputs;
}

Material material_of(const std::filesystem::path& path) {
  golden::Golden golden = golden::Golden::open(path);
  const golden::TemporaryFolder folder;
  static_cast<void>(compare::write_empty_capture(golden, {}, folder / kFile));
  const auto empty = golden::ActivationFile::open(folder / kFile);
  const std::vector<std::string> outputs = own_outputs(empty);
  CaptureContents declared = contents_of(empty, outputs);
  CaptureContents undeclared = contents_of(golden.activations(), outputs);
  declared.published = undeclared.published = &golden.parameters();
  for (const std::string& tap : outputs) {
    declared.datasets.at(tap).values = undeclared.datasets.at(tap).values;
    declared.datasets.at(tap).texts = undeclared.datasets.at(tap).texts;
    declared.datasets.at(tap).several = undeclared.datasets.at(tap).several;
    declared.datasets.at(tap).attributes[golden::kComputed] = "yes";
  }
  return {std::move(golden), kGolden, std::move(declared), without_declaration(std::move(undeclared)), true};
}

/// Returns captures of a backend's values, as `--save` writes them, or nullopt if it has no kernels for the golden.
std::optional<Material> material_of(const std::filesystem::path& path, const std::string& backend) {
  golden::Golden golden = golden::Golden::open(path);
  const golden::TemporaryFolder folder;
  compare::RunOptions options;
  options.candidate = compare::RunOptions::Candidate::computed;
  options.computed = backend;
  options.compute = compute_of(backend);
  options.save = folder / kFile;
  options.mode = compare::Mode::isolated;
  options.select = "nothing";  // nothing is judged here, as the file is judged as a capture
  try {
    static_cast<void>(compare::run_golden(golden, options));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::unsupported) return std::nullopt;
    throw;
  }
  const auto saved = golden::ActivationFile::open(folder / kFile);
  const std::vector<std::string> outputs = own_outputs(saved);
  if (outputs.empty()) return std::nullopt;  // the backend computed no tap itself
  CaptureContents declared = contents_of(saved, outputs);
  declared.published = &golden.parameters();
  CaptureContents undeclared = without_declaration(declared);
  return Material{std::move(golden), backend, std::move(declared), std::move(undeclared), true};
}

void judge(const Material& material, const CaptureContents& contents, DamagedCapture& result) {
  const golden::TemporaryFolder folder;
  write_capture(contents, folder / kFile);  // a damage that cannot be written is a bug of this study
  try {
    compare::RunOptions options;
    options.mode = compare::Mode::isolated;
    options.candidate = compare::RunOptions::Candidate::capture;
    options.capture = folder / kFile;
    const auto report = compare::run_golden(material.golden, options);
    result.verdict = report.verdict;
    result.answer = report.answer;
    result.reason = report.reason;
    if (report.first_divergence) result.reason = report.first_divergence->tap;
  } catch (const Error& error) {
    result.refused = true;
    result.reason = error.what();
  }
}

const char* name_of(CaptureBase base) { return base == CaptureBase::declared ? "declared" : "undeclared"; }

/// Draws until the damage finds something to change. Returns nullopt if the golden has nothing suitable.
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
    DamagedCapture result{kind.name, material.golden.folder().string(), material.made_by, name_of(base), *place, seed};
    judge(material, contents, result);
    return result;
  }
  return std::nullopt;
}

}  // namespace

int64_t DamagedCaptureStudy::green() const {
  return std::count_if(captures.begin(), captures.end(), [](const auto& capture) { return capture.green(); });
}

int64_t DamagedCaptureStudy::made_by(const std::string& whose) const {
  return std::count_if(captures.begin(), captures.end(), [&](const auto& capture) { return capture.made_by == whose; });
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

namespace {

class Study {
 public:
  explicit Study(const DamagedCaptureOptions& options)
      : options_(options), wanted_(static_cast<size_t>(options.captures)), seed_(options.seed * 1000003) {}

  DamagedCaptureStudy run() {
    const size_t parts = options_.goldens.size() * (1 + options_.backends.size());
    const size_t share = (wanted_ + parts - 1) / std::max<size_t>(parts, 1);
    for (const auto& path : options_.goldens) {
      damage(material_of(path), share);
      for (const std::string& backend : options_.backends) {
        if (auto material = material_of(path, backend)) damage(*std::move(material), share);
      }
    }
    return std::move(study_);
  }

 private:
  /// Judges the undamaged captures, which must not fail.
  void judge_sound(Material& material) {
    for (const CaptureBase base : {CaptureBase::declared, CaptureBase::undeclared}) {
      DamagedCapture sound{"sound", material.golden.folder().string(), material.made_by, name_of(base), "", 0};
      judge(material, base == CaptureBase::declared ? material.declared : material.undeclared, sound);
      const bool mistrusted = !sound.refused && sound.verdict == compare::Status::mistrusted;
      if (base == CaptureBase::undeclared && mistrusted) material.undeclared_shows = false;
      if (!sound.green() && material.undeclared_shows)
        study_.false_alarms.push_back(
            fmt::format("{}, {}, {}: {}", sound.golden, sound.made_by, sound.base, sound.reason));
    }
  }

  /// Damages captures of `material`, starting at the kind after the last one used. Kinds that find nothing are skipped.
  void damage(Material material, size_t share) {
    judge_sound(material);
    const size_t most = std::min(wanted_, study_.captures.size() + share);
    for (size_t tries = 0; study_.captures.size() < most && tries < 4 * share; ++tries) {
      const CaptureDamage& kind = capture_damages()[(study_.captures.size() + tries) % capture_damages().size()];
      if (kind.of_golden && material.made_by != kGolden) continue;
      if (auto capture = damaged(material, kind, ++seed_)) study_.captures.push_back(*std::move(capture));
      if (options_.progress) options_.progress(study_.captures.size(), wanted_);
    }
  }

  const DamagedCaptureOptions& options_;
  size_t wanted_;
  uint64_t seed_;  // seed of the study; each capture gets a seed of its own
  DamagedCaptureStudy study_;
};

}  // namespace

DamagedCaptureStudy run_damaged_captures(const DamagedCaptureOptions& options) { return Study(options).run(); }

}  // namespace parity::faults
