// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/sources/given_caches.hpp"

#include <charconv>

namespace parity::golden {
namespace {

/// The layer of a cache below `layers` ("steps/000/text/layers/"), or -1.
int64_t layer_of(const std::string& path, const std::string& layers) {
  int64_t layer = -1;
  if (!path.starts_with(layers)) return layer;
  const char* const end = path.data() + path.size();
  const auto read = std::from_chars(path.data() + layers.size(), end, layer);
  const std::string_view rest(read.ptr, static_cast<size_t>(end - read.ptr));
  return read.ec == std::errc() && rest.starts_with("/cache/") ? layer : -1;
}

}  // namespace

bool gives_caches(const StepInfo& step) { return step.kind == StepKind::cache && !step.cache_rows && step.crop == 0; }

std::vector<int64_t> given_layers(const ActivationFile& file, const StepInfo& step) {
  std::vector<int64_t> layers;
  if (!gives_caches(step)) return layers;
  for (const DatasetInfo& dataset : file.datasets()) {  // in alphabetical order
    const int64_t layer = layer_of(dataset.path, step.tap("text/layers/"));
    if (layer >= 0 && (layers.empty() || layers.back() != layer)) layers.push_back(layer);
  }
  return layers;
}

void read_given(const ActivationFile& file, StepInfo& step) {
  const std::string layers = step.tap("text/layers/");
  for (const DatasetInfo& cache : file.datasets()) {
    if (layer_of(cache.path, layers) < 0) continue;
    PARITY_CHECK(cache.shape.size() == 4 && element_count(cache.shape) > 0, schema,
                 "recorded cache {} has shape {}, expected [B,G,K,D] (sequences, heads, slots, channels); record the "
                 "golden again",
                 cache.path, to_string(cache.shape));
    PARITY_CHECK(
        step.B == 0 || (step.B == cache.shape[0] && step.K == cache.shape[2]), schema,
        "recorded cache {} has {} sequences and {} slots, other caches have {} and {}; record the golden again",
        cache.path, cache.shape[0], cache.shape[2], step.B, step.K);
    step.B = cache.shape[0];
    step.K = cache.shape[2];
  }
  PARITY_CHECK(step.B > 0, not_found,
               "attribute edit is 'given', but there is no dataset {}NN/cache/*; record the golden again", layers);
}

}  // namespace parity::golden
