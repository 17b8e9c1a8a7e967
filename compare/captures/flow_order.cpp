// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/captures/flow_order.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace parity::compare {
namespace {

// Order of docs/golden-format.md, section 5: M3 and M2. Parts of Text-01 and the tower stand where they run.
constexpr std::array kLayerOrder{"in",
                                 "input_norm",
                                 "layer_norm1",
                                 "attention/qkv_proj",
                                 "attention/qkv_activation",
                                 "attention/q",
                                 "attention/k",
                                 "attention/v",
                                 "attention/v_masked",
                                 "attention/q_proj",
                                 "attention/k_proj",
                                 "attention/v_proj",
                                 "attention/q_norm",
                                 "attention/k_norm",
                                 "attention/q_rope",
                                 "attention/k_rope",
                                 "attention/indexer/q_proj",
                                 "attention/indexer/k_proj",
                                 "attention/indexer/q_norm",
                                 "attention/indexer/k_norm",
                                 "attention/indexer/q_rope",
                                 "attention/indexer/k_rope",
                                 "attention/indexer/scores",
                                 "attention/indexer/block_scores",
                                 "attention/indexer/block_indices",
                                 "attention/indexer/block_mask",
                                 "attention/intra",
                                 "attention/inter",
                                 "attention/core",
                                 "attention/block_states",
                                 "attention/norm",
                                 "attention/output_gate",
                                 "attention/gated",
                                 "attention/o_proj",
                                 "attention/out_proj",
                                 "attention_residual",
                                 "post_attention_norm",
                                 "layer_norm2",
                                 "mlp/gate_up",
                                 "mlp/fc1",
                                 "mlp/activation",
                                 "mlp/fc2",
                                 "mlp/down",
                                 "moe/shared/gate_up",
                                 "moe/shared/activation",
                                 "moe/shared/down",
                                 "moe/router/logits",
                                 "moe/router/scores",
                                 "moe/router/choice",
                                 "moe/router/indices",
                                 "moe/router/weights",
                                 "moe/experts/slot_activation",
                                 "moe/experts/slot_weighted",
                                 "moe/experts/sum",
                                 "moe/experts/out",
                                 "moe/out",
                                 "out",
                                 "cache"};

// Order of the parts of a call: before, between and after the layers.
constexpr std::array kParts{"tokens",          "vision",       "text/embed", "splice", "text/rope", "text/layers",
                            "text/final_norm", "text/lm_head", "mtp",        "loss",   "aux_loss"};

constexpr std::array kTowerOrder{"pixel_values", "grid_thw", "patch_embed", "pre_norm",
                                 "rope",         "layers",   "projector",   "merger"};

enum Group : uint8_t { parameters, calls, exact_calls, others };

/// Whether `path` equals `stem` or lies below it.
bool below(std::string_view path, std::string_view stem) {
  return path.starts_with(stem) && (path.size() == stem.size() || path[stem.size()] == '/');
}

template <size_t N>
int position(const std::array<const char*, N>& order, std::string_view path) {
  const auto found = std::find_if(order.begin(), order.end(), [&](const char* stem) { return below(path, stem); });
  return static_cast<int>(found - order.begin());
}

/// Removes the first component of the path and returns it.
std::string_view take(std::string_view& path) {
  const size_t slash = path.find('/');
  const std::string_view head = path.substr(0, slash);
  path = slash == std::string_view::npos ? std::string_view{} : path.substr(slash + 1);
  return head;
}

int number(std::string_view digits, int otherwise) {
  int value = otherwise;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

/// Sets the layer and the position within it from "layers/NN/…". Returns false for another path.
bool set_layer(std::string_view path, FlowPlace& place) {
  if (take(path) != "layers") return false;
  place.layer = number(take(path), -1);
  place.place = position(kLayerOrder, path);
  return true;
}

void set_part(std::string_view path, FlowPlace& place) {
  place.part = position(kParts, path);
  std::string_view rest = path;
  const std::string_view root = take(rest);
  if (root == "text") {
    set_layer(rest, place);
  } else if (root == "vision") {
    place.tower = take(rest);
    const int tower_place = position(kTowerOrder, rest);
    const int after = static_cast<int>(std::find(kTowerOrder.begin(), kTowerOrder.end(), std::string_view("layers")) -
                                       kTowerOrder.begin());
    if (set_layer(rest, place)) return;
    constexpr int kAfterAllLayers = 1 << 20;
    place.layer = tower_place > after ? kAfterAllLayers : -1;
    place.place = tower_place;
  }
}

}  // namespace

FlowPlace flow_place(std::string_view path) {
  FlowPlace place;
  place.path = path;
  std::string_view rest = path;
  const std::string_view root = take(rest);
  if (root == "weights" || root == "tables") return place;
  place.group = others;
  if (root != "steps") return place;
  place.group = calls;
  place.step = number(take(rest), -1);
  if (below(rest, "exact")) {
    place.group = exact_calls;
    (void)take(rest);
  }
  set_part(rest, place);
  return place;
}

std::string flow_section(std::string_view path) {
  const FlowPlace place = flow_place(path);
  std::string_view rest = path;
  const std::string_view root = take(rest);
  if (root != "steps") return std::string(root);
  (void)take(rest);
  const std::string exact = place.group == exact_calls ? "exact " : "";
  if (place.group == exact_calls) (void)take(rest);
  const bool in_layer = place.layer >= 0 && rest.find("layers/") != std::string_view::npos;
  const std::string tower = place.tower.empty() ? "" : place.tower + " ";
  if (in_layer) return fmt::format("{}{}layer {:02}", exact, tower, place.layer);
  if (!place.tower.empty()) return exact + "vision " + place.tower;
  if (below(rest, "text")) (void)take(rest);
  return exact + std::string(take(rest));
}

}  // namespace parity::compare
