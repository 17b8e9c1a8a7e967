// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/golden.hpp"

#include <algorithm>
#include <charconv>
#include <mutex>
#include <optional>

#include "core/shipped.hpp"
#include "core/text.hpp"
#include "golden/files/one_line.hpp"
#include "golden/files/strict_json.hpp"

namespace parity::golden {
namespace {

namespace fs = std::filesystem;

constexpr const char* kActivations = "activations.h5";
constexpr int kMajor = 1;

std::string text_of(const ActivationFile& file, const std::string& name) {
  const auto found = file.attributes().find(name);
  return found == file.attributes().end() ? std::string() : found->second;
}

std::string obligatory(const ActivationFile& file, const std::string& name) {
  std::string value = text_of(file, name);
  PARITY_CHECK(!value.empty(), schema, "{}: the root group has no attribute {}; record the golden again",
               file.path().string(), name);
  return value;
}

/// The major number of a version like "1" or "1.7"; nothing for "1.x".
std::optional<int> major_of(const std::string& version) {
  const char* last = version.data() + version.size();
  int major = 0, minor = 0;
  const auto [end, error] = std::from_chars(version.data(), last, major);
  if (error != std::errc()) return std::nullopt;
  if (end == last) return major;
  const auto [after, wrong] = std::from_chars(*end == '.' ? end + 1 : last, last, minor);
  return wrong == std::errc() && after == last && minor >= 0 ? std::optional(major) : std::nullopt;
}

/// Name of a golden: "m3-text-bf16" for …/m3-text-bf16/ and …/m3-text-bf16/activations.h5; "x" for …/x.h5.
std::string name_of(const fs::path& file) {
  if (file.filename() != kActivations) return file.stem().string();
  return fs::absolute(file).lexically_normal().parent_path().filename().string();
}

/// The parameters of goldens that contain only processors.
class NoWeights : public WeightSource {
 public:
  [[nodiscard]] std::vector<std::string> names() const override { return {}; }
  [[nodiscard]] bool contains(const std::string&) const override { return false; }
  [[nodiscard]] TensorView tensor(const std::string& name) const override {
    throw Error(
        ErrorCode::not_found,
        fmt::format(
            "the golden has no checkpoint, but the weight {} is needed; copy the folder checkpoint to the golden",
            name));
  }
};

const WeightSource& no_weights() {
  static const NoWeights none;
  return none;
}

/// " (did you mean 'golden/data/m3-text-bf16'?)", among the folder's neighbours or, for a bare name, embedded goldens.
std::string nearest_golden(fs::path path) {
  if (path.filename().empty()) path = path.parent_path();
  std::vector<fs::path> folders{path.has_parent_path() ? path.parent_path() : fs::path(".")};
  if (!path.has_parent_path()) folders.insert(folders.end(), {"golden/data", "golden/cut", "golden/processors"});
  std::vector<std::string> names, paths;
  for (const fs::path& folder : folders) {
    std::error_code error;
    for (fs::directory_iterator entry(shipped(folder), error), end; !error && entry != end; entry.increment(error)) {
      std::error_code absent;
      if (!fs::exists(entry->path() / kActivations, absent)) continue;
      names.push_back(entry->path().filename().string());
      paths.push_back((folder / entry->path().filename()).lexically_normal().string());
    }
  }
  const std::string given = path.filename().string();
  if (given.ends_with('*')) {  // a glob that the shell did not expand: the nearest beginning of a name
    std::vector<std::string> beginnings;
    for (const std::string& name : names) beginnings.push_back(name.substr(0, given.size()) + "*");
    const std::string nearest = nearest_name(given, beginnings);
    return nearest.empty()
               ? ""
               : fmt::format(" (did you mean '{}'?)", one_line((path.parent_path() / nearest).string(), 200));
  }
  const std::string nearest = nearest_name(given, names);
  const auto found = std::find(names.begin(), names.end(), nearest);
  if (nearest.empty() || found == names.end()) return {};
  return fmt::format(" (did you mean '{}'?)", one_line(paths[static_cast<size_t>(found - names.begin())], 200));
}

}  // namespace

void check_format(const ActivationFile& file) {
  const std::string format = text_of(file, "format");
  PARITY_CHECK(format == "parity-golden", schema,
               "{}: format is '{}', not 'parity-golden'; name a golden's activations.h5", file.path().string(),
               one_line(format, 40));
  const std::string version = obligatory(file, "format_version");
  PARITY_CHECK(major_of(version) == kMajor, schema,
               "{}: format version {} is not {}.x; use a version of parity that reads it, or record the golden again",
               file.path().string(), one_line(version, 40), kMajor);
}

fs::path activations_of(const fs::path& given) {
  const fs::path path = shipped(given);
  std::error_code error;
  PARITY_CHECK(fs::exists(path, error), not_found, "{}: no such golden{}; correct the path, or record the golden",
               path.string(), nearest_golden(path));
  if (!fs::is_directory(path, error)) return path;
  PARITY_CHECK(fs::exists(path / kActivations, error), not_found,
               "{}: contains no {}; name a golden's folder, or record the golden", path.string(), kActivations);
  return path / kActivations;
}

int64_t static_length(const ActivationFile& file) {
  const std::string text = text_of(file, "max_cache_len");
  int64_t length = 0;
  std::from_chars(text.data(), text.data() + text.size(), length);
  PARITY_CHECK(text.empty() || length > 0, schema,
               "{}: attribute max_cache_len is '{}'; expected a number of slots; record the golden again",
               file.path().string(), one_line(text, 40));
  return length;
}

RootFacts read_facts(const ActivationFile& file) {
  check_format(file);
  RootFacts facts;
  facts.system = obligatory(file, "system");
  facts.profile = obligatory(file, "profile");
  facts.oracle = text_of(file, "oracle");
  facts.attention = text_of(file, "attention");
  facts.torch = text_of(file, "torch");
  facts.experts = text_of(file, "experts");
  facts.quantisation = text_of(file, "quantisation");
  facts.model_class = text_of(file, "model_class");
  facts.max_cache_len = static_length(file);
  const std::string dtype = obligatory(file, "dtype");
  PARITY_CHECK(dtype == "bf16" || dtype == "f32" || dtype == "f64", schema,
               "{}: dtype '{}' is not bf16, f32 or f64; record the golden again", file.path().string(),
               one_line(dtype, 40));
  facts.dtype = *parse_dtype(dtype);
  const std::string seed = text_of(file, "seed");
  std::from_chars(seed.data(), seed.data() + seed.size(), facts.seed);  // informative: 0 when there is none
  return facts;
}

nlohmann::json read_config(const ActivationFile& file, const fs::path& checkpoint, std::vector<std::string>& warnings) {
  const fs::path path = checkpoint / "config.json";
  std::error_code error;
  const bool published = fs::exists(path, error);
  const bool recorded = file.contains("config");
  PARITY_CHECK(published || recorded, not_found,
               "{}: no such file, and {} has no dataset config; copy the checkpoint there", path.string(),
               file.path().string());
  const auto parse_recorded = [&] {
    return with_context(file.path().string() + ": dataset config",
                        [&] { return parse_json(file.read_text("config")); });
  };
  nlohmann::json config = published ? read_json(path) : parse_recorded();
  PARITY_CHECK(config.is_object(), schema, "{}: is not a JSON object",
               published ? path.string() : file.path().string());
  if (!published)
    warnings.push_back(fmt::format("{}: no such file; the copy recorded in activations.h5 is used", path.string()));
  if (!recorded)
    warnings.push_back(fmt::format("{} has no dataset config, so {} was not compared with a recorded copy",
                                   file.path().string(), path.string()));
  if (published && recorded) {
    const std::string difference = first_difference(config, parse_recorded());
    PARITY_CHECK(difference.empty(), schema,
                 "{} differs from the recorded configuration at {}; copy it again or record the golden again",
                 path.string(), difference);
  }
  return config;
}

bool has_weights(const fs::path& checkpoint) {
  std::error_code error;
  return fs::exists(checkpoint / "model.safetensors", error) ||
         fs::exists(checkpoint / "model.safetensors.index.json", error);
}

struct Golden::Lazy {
  std::mutex mutex;
  std::optional<SafetensorsSource> weights;
  std::optional<SyntheticSource> drawn;
  std::optional<DecodedSource> decoded;  // of quantised ones
};

Golden::Golden(ActivationFile activations) : activations_(std::move(activations)), lazy_(std::make_shared<Lazy>()) {}

Golden Golden::open(const fs::path& path) {
  Golden golden(ActivationFile::open(activations_of(path)));
  golden.name_ = name_of(golden.activations_.path());
  golden.facts_ = read_facts(golden.activations_);
  golden.config_ = read_config(golden.activations_, golden.checkpoint(), golden.warnings_);
  golden.steps_ = read_steps(golden.activations_);
  return golden;
}

const SafetensorsSource& Golden::weights() const {
  const std::scoped_lock lock(lazy_->mutex);
  if (!lazy_->weights) lazy_->weights = SafetensorsSource::open(checkpoint());
  return *lazy_->weights;
}

const WeightSource& Golden::parameters() const {
  if (std::error_code error; !has_weights(checkpoint()) && fs::exists(checkpoint() / "synthetic.json", error)) {
    const std::scoped_lock lock(lazy_->mutex);
    if (!lazy_->drawn) lazy_->drawn.emplace(SyntheticSource::open(checkpoint() / "synthetic.json"));
    return *lazy_->drawn;
  }
  if (steps_.empty() && !has_weights(checkpoint())) return no_weights();
  const WeightSource& stored = weights();
  const auto quantised = config_.find("quantization_config");
  if (quantised == config_.end() || quantised->is_null()) return stored;
  const std::scoped_lock lock(lazy_->mutex);
  if (!lazy_->decoded) lazy_->decoded.emplace(stored);
  return *lazy_->decoded;
}

std::vector<std::string> Golden::quantisation_problems() const {
  const auto* decoded = dynamic_cast<const DecodedSource*>(&parameters());
  return decoded == nullptr ? std::vector<std::string>() : decoded->problems();
}

}  // namespace parity::golden
