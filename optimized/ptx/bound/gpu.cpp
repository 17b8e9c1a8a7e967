// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/bound/gpu.hpp"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "optimized/ptx/gpus_files.hpp"  // generated: the texts of optimized/gpus/

namespace parity::ptx {
namespace {

using nlohmann::json;

/// Figures of an object, which have a value and a source each.
class Figures {
 public:
  Figures(Gpu& gpu, const json& object, std::string prefix) : gpu_(gpu), object_(object), prefix_(std::move(prefix)) {}

  /// Returns nothing if the value is null; the source then says why.
  std::optional<double> optional(const std::string& key) const {
    const std::string where = prefix_ + key;
    const auto complain = [&](const char* what) {
      return Error(ErrorCode::schema, fmt::format("optimized/gpus/{}.json: '{}' {}; write {{\"value\": …, \"source\": "
                                                  "\"…\"}}",
                                                  gpu_.id, where, what));
    };
    if (!object_.is_object() || !object_.contains(key)) throw complain("is missing");
    const json& figure = object_.at(key);
    if (!figure.is_object() || !figure.contains("value") || !figure.contains("source")) throw complain("has no source");
    const json &value = figure.at("value"), &source = figure.at("source");
    if (!source.is_string() || source.get<std::string>().empty()) throw complain("has no source");
    gpu_.sources[where] = source.get<std::string>();
    if (value.is_null()) return std::nullopt;
    if (!value.is_number() || value.get<double>() <= 0) throw complain("is no number above 0");
    return value.get<double>();
  }
  double operator[](const std::string& key) const {
    const std::optional<double> value = optional(key);
    PARITY_CHECK(value.has_value(), schema, "optimized/gpus/{}.json: '{}' is null; the model needs a number", gpu_.id,
                 prefix_ + key);
    return *value;
  }

 private:
  Gpu& gpu_;
  const json& object_;
  std::string prefix_;
};

}  // namespace

Gpu parse_gpu(const std::string& id, std::string_view text) {
  constexpr double kMega = 1e6, kGiga = 1e9, kTera = 1e12, kOperations = 2;  // a product and a sum are two
  const json file = json::parse(text, nullptr, false);
  Gpu gpu;
  gpu.id = id;
  PARITY_CHECK(file.is_object() && file.contains("name") && file["name"].is_string(), schema,
               "optimized/gpus/{}.json: an object with a 'name' is expected", id);
  gpu.name = file["name"].get<std::string>();
  const Figures figures(gpu, file, "");
  gpu.sms = figures["sms"];
  gpu.clock = figures["clock_mhz"] * kMega;
  gpu.dram = figures["dram_gb_s"] * kGiga;
  if (const auto l2 = figures.optional("l2_gb_s")) gpu.l2 = *l2 * kGiga;
  constexpr double kDirections = 2;  // data sheets add both
  if (const auto link = figures.optional("nvlink_gb_s")) gpu.link = *link * kGiga / kDirections;
  gpu.shared_per_clock = figures["shared_bytes_per_clock"];
  gpu.per_clock = figures["issue_per_clock"];
  gpu.capability = static_cast<int>(figures["capability"]);
  for (const char* key : {"tensor_tflops", "residency"})
    PARITY_CHECK(file.contains(key) && file[key].is_object(), schema,
                 "optimized/gpus/{}.json: '{}' is missing; write an object of figures", id, key);
  const Figures held(gpu, file["residency"], "residency/");
  const auto count = [&](const char* key) { return static_cast<uint32_t>(held[key]); };
  gpu.residency = {count("registers"), count("threads"), count("blocks"), count("shared_bytes")};
  const Figures rates(gpu, file["tensor_tflops"], "tensor_tflops/");
  for (const auto& [type, figure] : file["tensor_tflops"].items()) gpu.tensor[type] = rates[type] * kTera / kOperations;
  return gpu;
}

const std::map<std::string, Gpu>& gpus() {
  static const std::map<std::string, Gpu> all = [] {
    std::map<std::string, Gpu> parsed;
    for (const auto& [path, text] : kGpuFiles) {
      const std::string id = std::filesystem::path(path).stem().string();
      parsed[id] = parse_gpu(id, text);
    }
    return parsed;
  }();
  return all;
}

const Gpu& gpu(std::string_view id) {
  const auto found = gpus().find(std::string(id));
  if (found != gpus().end()) return found->second;
  std::string names;
  for (const auto& [name, each] : gpus()) names += (names.empty() ? "" : ", ") + name;
  throw Error(ErrorCode::not_found, fmt::format("no GPU {} in optimized/gpus/; there are {}", id, names));
}

}  // namespace parity::ptx
