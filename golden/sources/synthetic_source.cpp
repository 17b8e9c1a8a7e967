// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/sources/synthetic_source.hpp"

#include <array>
#include <cmath>
#include <fstream>
#include <set>

#include <malloc.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "core/random.hpp"
#include "core/text.hpp"
#include "golden/files/strict_json.hpp"

namespace parity::golden {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 40;

/// Inverse of the normal distribution function, by bisection; the error is below 1e-12.
double normal_quantile(double probability) {
  double low = -10.0;
  double high = 10.0;
  for (int i = 0; i < 80; ++i) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < probability ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// The midpoints of 256 equally likely intervals of the normal distribution.
const std::array<double, 256>& quantiles() {
  static const std::array<double, 256> table = [] {
    std::array<double, 256> made{};
    for (size_t i = 0; i < made.size(); ++i) made[i] = normal_quantile((static_cast<double>(i) + 0.5) / 256.0);
    return made;
  }();
  return table;
}

/// Returns free pages to the system if they exceed a limit. Where freed memory is kept (`run --synthetic`), freed
/// blocks do not fit the next ones exactly, and gaps between small objects grow to several times the memory in use.
void give_back_holes() {
#ifdef __GLIBC__
  constexpr int64_t kMostInHoles = int64_t{512} << 20;
  const struct mallinfo2 heap = mallinfo2();
  int64_t size = 0, resident = 0;  // pages
  if (!(std::ifstream("/proc/self/statm") >> size >> resident)) return;
  const int64_t in_use = static_cast<int64_t>(heap.uordblks + heap.hblkhd);
  if (resident * sysconf(_SC_PAGESIZE) > in_use + kMostInHoles) malloc_trim(0);
#endif
}

SyntheticTensor parse_tensor(const std::string& name, const nlohmann::json& entry) {
  const bool complete = entry.is_object() && entry.contains("dtype") && entry["dtype"].is_string() &&
                        entry.contains("shape") && entry["shape"].is_array() && entry.contains("spread") &&
                        entry["spread"].is_number();
  PARITY_CHECK(complete, schema, "tensor {} is {}; expected {{\"dtype\", \"shape\", \"spread\"}}", name, entry.dump());
  SyntheticTensor result;
  const auto dtype = parse_dtype(entry["dtype"].get<std::string>());
  PARITY_CHECK(dtype && is_float(*dtype), schema, "tensor {} has dtype {}; expected bf16, f32 or f64", name,
               entry["dtype"].dump());
  result.dtype = *dtype;
  int64_t count = 1;
  for (const nlohmann::json& extent : entry["shape"]) {
    PARITY_CHECK(extent.is_number_integer() && extent.get<int64_t>() >= 0 &&
                     extent.get<int64_t>() <= kMostElements / std::max<int64_t>(count, 1),
                 schema, "tensor {} has shape {}; expected whole numbers, at most 2^40 elements", name,
                 entry["shape"].dump());
    result.shape.push_back(extent.get<int64_t>());
    count *= result.shape.back();
  }
  result.spread = entry["spread"].get<double>();
  PARITY_CHECK(std::isfinite(result.spread), schema, "tensor {} has the spread {}; expected a finite number", name,
               result.spread);
  return result;
}

}  // namespace

SyntheticSource::SyntheticSource(uint64_t seed, std::map<std::string, SyntheticTensor> tensors)
    : seed_(seed), tensors_(std::move(tensors)) {}

SyntheticSource SyntheticSource::open(const std::filesystem::path& file) {
  return with_context(file.string(), [&] {
    const nlohmann::json json = read_json(file);
    const bool complete = json.is_object() && json.contains("seed") && json["seed"].is_number_integer() &&
                          json.contains("tensors") && json["tensors"].is_object();
    PARITY_CHECK(complete, schema, "expected a JSON object with \"seed\" and \"tensors\"");
    std::map<std::string, SyntheticTensor> tensors;
    for (const auto& [name, entry] : json["tensors"].items()) tensors[name] = parse_tensor(name, entry);
    return SyntheticSource(json["seed"].get<uint64_t>(), std::move(tensors));
  });
}

std::string SyntheticSource::json() const {
  nlohmann::json tensors = nlohmann::json::object();
  for (const auto& [name, tensor] : tensors_) {
    tensors[name] = {{"dtype", to_string(tensor.dtype)}, {"shape", tensor.shape}, {"spread", tensor.spread}};
  }
  return nlohmann::json{{"seed", seed_}, {"tensors", tensors}}.dump(1) + "\n";
}

const SyntheticTensor& SyntheticSource::at(const std::string& name) const {
  const auto found = tensors_.find(name);
  PARITY_CHECK(found != tensors_.end(), not_found, "synthetic.json has no tensor {}{}", name,
               did_you_mean(name, names()));
  return found->second;
}

std::vector<std::string> SyntheticSource::names() const {
  std::vector<std::string> result;
  for (const auto& [name, tensor] : tensors_) result.push_back(name);
  return result;
}

StoredInfo SyntheticSource::describe(const std::string& name) const {
  const SyntheticTensor& tensor = at(name);
  return {tensor.dtype, tensor.shape};
}

void SyntheticSource::read(const std::string& name, double* target) const {
  const SyntheticTensor& tensor = at(name);
  std::array<double, 256> values{};
  for (size_t i = 0; i < values.size(); ++i) values[i] = round_to(tensor.dtype, tensor.spread * quantiles()[i]);
  const Random random(seed_, name);
  const int64_t count = element_count(tensor.shape);
  constexpr int64_t kWorthThreads = 1 << 20;
  if (count >= kWorthThreads) give_back_holes();
#pragma omp parallel for schedule(static) if (count >= kWorthThreads)
  for (int64_t first = 0; first < count; first += 16) {  // a counter gives 16 bytes
    const auto words = random.block(static_cast<uint64_t>(first / 16));
    const int64_t length = std::min<int64_t>(16, count - first);
    for (int64_t i = 0; i < length; ++i) {
      target[first + i] = values[(words[static_cast<size_t>(i / 4)] >> (8 * (i % 4))) & 0xFFU];
    }
  }
}

TensorView SyntheticSource::tensor(const std::string& name) const {
  const std::scoped_lock lock(*mutex_);
  const auto found = made_.find(name);
  if (found != made_.end()) return found->second.view();
  const SyntheticTensor& tensor = at(name);
  Tensor wide(DType::f64, tensor.shape);
  read(name, wide.f64());
  return made_.emplace(name, convert(wide.view(), tensor.dtype)).first->second.view();
}

}  // namespace parity::golden
