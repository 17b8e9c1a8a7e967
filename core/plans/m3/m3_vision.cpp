// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/m3/m3_vision.hpp"

#include <cmath>

namespace parity {
namespace {

constexpr const char* kTower = "vision_tower.vision_model.";
constexpr const char* kMerged = "UUW";  // merge x merge rows of the projected width

int64_t coordinates_of(const Profile& profile) { return profile.does("vision.two_coordinates") ? 2 : 3; }

class M3Tower {
 public:
  M3Tower(PlanWriter& plan, const M3VisionConfig& config, const Media& media, const Profile& profile)
      : plan_(plan),
        config_(config),
        root_("vision/" + media.kind + "/"),
        coordinates_(coordinates_of(profile)),
        tables_(profile.does("vision.binary32_tables") ? TapType::single : TapType::working),
        shows_mask_(profile.does("nemo") && media.count > 1),
        batch_(profile.does("vision.batch_axis") ? "1," : "") {}

  std::string write() {
    plan_.input(root_ + "pixel_values", "P,CTYX", TapType::single);
    plan_.input(root_ + "grid_thw", "M,3");
    plan_.node("patch_embed", root_ + "patch_embed")
        .tap("pixels", root_ + "pixel_values")
        .weight("weight", {std::string(kTower) + "embeddings.patch_embedding.weight"}, "H,C,T,Y,X")
        .out("out", "out", "P,H");
    norm(root_ + "pre_norm", root_ + "patch_embed/out", "P,H", std::string(kTower) + "pre_layrnorm");
    tables();
    std::string stream = root_ + "pre_norm/out";
    for (int64_t layer = 0; layer < config_.num_hidden_layers; ++layer)
      stream = encoder_layer(static_cast<int>(layer), stream);
    plan_.layer(-1);
    return features(stream);
  }

 private:
  void tables() {
    plan_.node("vision_rotary_tables", root_ + "rope")
        .param("theta", config_.rope_theta)
        .param("rotary_width", config_.rotary_width(coordinates_))
        .param("coordinates", coordinates_)
        .param("merge", config_.spatial_merge_size)
        .tap("grid", root_ + "grid_thw")
        .out("cos", "cos", "P,R", tables_)
        .out("sin", "sin", "P,R", tables_);
    if (!shows_mask_) return;
    plan_.node("media_mask", root_ + "attention_mask")
        .tap("grid", root_ + "grid_thw")
        .out("out", "", "1,1,P,P", TapType::flag);
  }

  /// Writes one encoder layer. In every release, only the input of the first layer has no batch axis.
  std::string encoder_layer(int layer, const std::string& stream) {
    const std::string at = root_ + fmt::format("layers/{:02}/", layer);
    const std::string weights = fmt::format("{}encoder.layers.{}.", kTower, layer);
    plan_.layer(layer);
    plan_.alias(at + "in", stream);
    norm(at + "layer_norm1", stream, "1,P,H", weights + "layer_norm1");
    const std::string branch = attention(at + "attention/", at + "layer_norm1/out", weights + "self_attn.");
    residual(at + "attention_residual", stream, branch);
    norm(at + "layer_norm2", at + "attention_residual/out", "1,P,H", weights + "layer_norm2");
    linear(at + "mlp/fc1", at + "layer_norm2/out", weights + "mlp.fc1", "F,H", "1,P,F");
    gelu(at + "mlp/activation", at + "mlp/fc1/out", "1,P,F");
    linear(at + "mlp/fc2", at + "mlp/activation/out", weights + "mlp.fc2", "H,F", "1,P,H");
    residual(at.substr(0, at.size() - 1), at + "attention_residual/out", at + "mlp/fc2/out");
    return at + "out";
  }

  std::string attention(const std::string& at, const std::string& x, const std::string& weights) {
    for (const char* name : {"q_proj", "k_proj", "v_proj"})
      linear(at + name, x, weights + name, "AD,H", batch_ + "P,AD");
    for (const std::string name : {"q", "k"}) {
      plan_.node("vision_rope", at + name + "_rope")
          .tap("x", at + name + "_proj/out", "P,A,D")
          .tap("cos", root_ + "rope/cos")
          .tap("sin", root_ + "rope/sin")
          .out("out", "out", batch_ + "P,A,D", TapType::working, "P,A,D");
    }
    plan_.node("vision_attention", at + "core")
        .param("scale", 1.0 / std::sqrt(static_cast<double>(config_.head_dim())))
        .tap("q", at + "q_rope/out", "1,A,P,D")
        .tap("k", at + "k_rope/out", "1,A,P,D")
        .tap("v", at + "v_proj/out", "1,A,P,D")
        .tap("grid", root_ + "grid_thw")
        .out("out", "out", batch_ + "P,AD", TapType::working, "1,P,A,D");
    linear(at + "out_proj", at + "core/out", weights + "out_proj", "H,AD", batch_ + "P,H");
    return at + "out_proj/out";
  }

  /// Writes the projector, patch by patch, then the merger over blocks of patches.
  std::string features(const std::string& stream) {
    plan_.set_size('F', config_.projector_hidden_size);
    const std::string projected =
        two_layers(root_ + "projector/", stream, "P", "multi_modal_projector.linear_", "F,H", "W,F");
    plan_.node("patch_merge", root_ + "merger").tap("x", projected).out("out", "in", fmt::format("O,{}", kMerged));
    return two_layers(root_ + "merger/", root_ + "merger/in", "O", "patch_merge_mlp.linear_",
                      fmt::format("F,{}", kMerged), "W,F");
  }

  std::string two_layers(const std::string& at, const std::string& x, const std::string& rows,
                         const std::string& published, const std::string& first, const std::string& second) {
    linear(at + "linear_1", x, published + "1", first, rows + ",F");
    gelu(at + "activation", at + "linear_1/out", rows + ",F");
    linear(at + "linear_2", at + "activation/out", published + "2", second, rows + ",W");
    return at + "linear_2/out";
  }

  void linear(const std::string& at, const std::string& x, const std::string& published, const std::string& weight_axes,
              const std::string& out_axes) {
    plan_.node("linear", at)
        .tap("x", x)
        .weight("weight", {published + ".weight"}, weight_axes)
        .weight("bias", {published + ".bias"}, split_axes(weight_axes).front())
        .out("out", "out", out_axes);
  }

  void norm(const std::string& at, const std::string& x, const std::string& axes, const std::string& published) {
    plan_.node("layer_norm", at)
        .param("eps", config_.layer_norm_eps)
        .tap("x", x)
        .weight("weight", {published + ".weight"}, "H")
        .weight("bias", {published + ".bias"}, "H")
        .out("out", "out", axes);
  }

  void gelu(const std::string& at, const std::string& x, const std::string& axes) {
    plan_.node("gelu", at).tap("x", x).out("out", "out", axes);
  }

  void residual(const std::string& at, const std::string& stream, const std::string& branch) {
    plan_.node("residual_add", at).tap("residual", stream).tap("branch", branch).out("out", "out", "1,P,H");
  }

  PlanWriter& plan_;
  const M3VisionConfig& config_;
  std::string root_;
  int64_t coordinates_;
  TapType tables_;
  bool shows_mask_;    // whether a mask exists: only with several media
  std::string batch_;  // the axes before those of the attention: one of extent 1
};

}  // namespace

std::string write_m3_tower(PlanWriter& plan, const M3VisionConfig& config, int64_t text_hidden, const Media& media,
                           const Profile& profile) {
  PARITY_CHECK(media.patches % config.merged_patches() == 0, schema,
               "vision/{}/pixel_values has {} patches; expected a multiple of {}, which make one token", media.kind,
               media.patches, config.merged_patches());
  plan.begin_tower({{'P', media.patches},
                    {'O', media.patches / config.merged_patches()},
                    {'M', media.count},
                    {'C', config.num_channels},
                    {'T', config.temporal_patch_size},
                    {'Y', config.patch_size},
                    {'X', config.patch_size},
                    {'H', config.hidden_size},
                    {'F', config.intermediate_size},
                    {'A', config.num_attention_heads},
                    {'D', config.head_dim()},
                    {'R', config.rotary_width(coordinates_of(profile))},
                    {'U', config.spatial_merge_size},
                    {'W', text_hidden}});
  const std::string features = M3Tower(plan, config, media, profile).write();
  plan.end_tower();
  return features;
}

}  // namespace parity
