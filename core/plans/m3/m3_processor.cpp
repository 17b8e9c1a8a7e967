// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/m3/m3_processor.hpp"

#include "core/plans/m3/m3_processor_config.hpp"
#include "core/plans/plan_writer.hpp"
#include "core/plans/profile.hpp"

namespace parity {
namespace {

class Writer {
 public:
  Writer(Plan& plan, const nlohmann::json& config, const ProcessorRequest& request)
      : plan_(plan),
        request_(request),
        profile_(find_processor_profile(request.profile)),
        image_(image_processor_config(config, profile_)),
        video_(video_processor_config(config, profile_)) {
    plan_.begin_call(0, "processor/", {{'B', 1}, {'S', 1}, {'M', 1}});
  }

  void all() {
    size_rule();
    for (const SizeTable& table : request_.grids) write(table);
    sampling();
    for (const RawMedium& medium : request_.images) write(medium, image_, "images/");
    for (const RawMedium& medium : request_.videos) write(medium, video_, "videos/");
    prompts();
    plan_.apply(profile_.settings);
  }

 private:
  void size_rule() {
    if (request_.sizes == 0) return;
    plan_.begin_tower({{'O', request_.sizes}});
    plan_.input("smart_resize/in", "O,5");
    plan_.node("smart_resize", "smart_resize")
        .tap("in", "smart_resize/in")
        .out("out", "out", "O,2", TapType::count)
        .out("error", "error", "O", TapType::flag);
    plan_.end_tower();
  }

  void sampling() {
    if (request_.sampled == 0) return;
    plan_.begin_tower({{'O', request_.sampled}, {'T', request_.most_sampled}});
    plan_.input("sampling/frames", "O,2");
    plan_.input("sampling/rates", "O,2", TapType::wide);
    auto node = plan_.node("frame_sampling", "sampling");
    node.tap("frames", "sampling/frames").tap("rates", "sampling/rates");
    if (request_.most_sampled >= 0) node.out("indices", "indices", "O,T", TapType::count);
    node.out("error", "error", "O", TapType::flag);
    plan_.end_tower();
  }

  NodeWriter grid_node(const std::string& prefix, const std::string& sizes, const ProcessorConfig& how, bool resize,
                       int64_t most_pixels) {
    auto node = plan_.node("media_grid", prefix);
    node.param("patch", how.patch)
        .param("merge", how.merge)
        .param("temporal", how.temporal)
        .param("least_pixels", how.least_pixels)
        .param("most_pixels", most_pixels > 0 ? most_pixels : how.most_pixels)
        .param("segment", how.segment)
        .param("resize", resize)
        .tap("sizes", sizes);
    return node;
  }

  void write(const SizeTable& table) {
    const std::string at = "grids/" + table.id;
    plan_.begin_tower({{'M', table.sizes}, {'U', table.rows}});
    plan_.input(at + "/sizes", table.video ? "M,3" : "M,2");
    grid_node(at, at + "/sizes", table.video ? video_ : image_, table.resize, table.most_pixels)
        .param("marks_refused", true)
        .out("grid", "grid_thw", "U,3", TapType::count)
        .out("tokens", "tokens", "M", TapType::count)
        .out("error", "error", "M", TapType::flag);
    plan_.end_tower();
  }

  void write(const RawMedium& medium, const ProcessorConfig& how, const char* folder);
  void prompts();
  void grids(const std::string& at, const RawPrompt& prompt);
  void write(const RawPrompt& prompt);

  PlanWriter plan_;
  const ProcessorRequest& request_;
  const Profile& profile_;
  ProcessorConfig image_, video_;
};

/// The size of a medium after the resize, as the tower gets it. Throws Error{schema} for a size that is refused.
ImageSize made_size(const RawMedium& medium, const SizeRule& rule, const std::string& at) {
  PARITY_CHECK((medium.shape.size() == 4 || medium.shape.size() == 3) && element_count(medium.shape) > 0, schema,
               "processor/{}in has shape {}; expected [T,]C,H,W", at, to_string(medium.shape));
  const ImageSize given{medium.shape[medium.shape.size() - 2], medium.shape.back()};
  const auto made = medium.resize ? smart_size(given, rule) : given;
  PARITY_CHECK(
      made && made->height > 0 && made->width > 0 && made->height % rule.factor == 0 && made->width % rule.factor == 0,
      schema, "processor/{}in of {} x {} pixels has no size that the package allows; record a medium of another size",
      at, given.height, given.width);
  return *made;
}

void Writer::write(const RawMedium& medium, const ProcessorConfig& how, const char* folder) {
  const std::string at = folder + medium.id + "/";
  const ImageSize made = made_size(medium, how.rule(medium.most_pixels), at);
  const bool video = medium.shape.size() == 4;
  const int64_t frames = video ? medium.shape[0] : 1;
  const int64_t channels = medium.shape[medium.shape.size() - 3];
  const std::string leading = video ? "T,C," : "C,";
  const std::string planes = video ? "TC," : "C,";  // axes under which kernels view them
  plan_.begin_tower(
      {{'T', frames},
       {'C', channels},
       {'H', medium.shape[medium.shape.size() - 2]},
       {'W', medium.shape.back()},
       {'Y', made.height},
       {'Q', made.width},
       {'P', (frames + how.temporal - 1) / how.temporal * (made.height / how.patch) * (made.width / how.patch)},
       {'F', channels * how.temporal * how.patch * how.patch},
       {'U', how.rows(frames)}});
  plan_.input(at + "in", leading + "H,W", TapType::byte);
  plan_.node("resize_bicubic", at + "resized")
      .tap("image", at + "in", planes + "H,W")
      .out("out", "", leading + "Y,Q", TapType::byte, planes + "Y,Q");
  plan_.node("patchify", folder + medium.id)
      .param("channels", channels)
      .param("patch", how.patch)
      .param("merge", how.merge)
      .param("temporal", how.temporal)
      .param("segment", how.segment)
      .param("rescale", how.rescale)
      .param("mean_red", how.mean[0])
      .param("mean_green", how.mean[1])
      .param("mean_blue", how.mean[2])
      .param("std_red", how.deviation[0])
      .param("std_green", how.deviation[1])
      .param("std_blue", how.deviation[2])
      .tap("image", at + "resized", planes + "Y,Q")
      .out("values", "pixel_values", "P,F", TapType::single)
      .out("grid", "grid_thw", "U,3", TapType::count);
  plan_.end_tower();
}

void Writer::prompts() {
  if (request_.prompts.empty()) return;
  plan_.set_size('Z', request_.special_bytes);
  plan_.set_size('E', request_.specials);
  plan_.input("special_tokens/text", "Z", TapType::text);
  plan_.input("special_tokens/ids", "E");
  for (const RawPrompt& prompt : request_.prompts) write(prompt);
}

/// Writes the grids of a prompt's images and videos from their sizes; the processor does not resize videos here.
void Writer::grids(const std::string& at, const RawPrompt& prompt) {
  if (prompt.images > 0) {
    plan_.set_size('M', prompt.images);
    plan_.input(at + "image_sizes", "M,2");
    grid_node("prompts/" + prompt.id, at + "image_sizes", image_, true, 0)
        .out("grid", "image_grid_thw", "M,3", TapType::count);
  }
  if (prompt.videos == 0) return;
  plan_.set_size('M', prompt.videos);
  plan_.set_size('U', prompt.video_rows > 0 ? prompt.video_rows : prompt.videos);
  plan_.input(at + "video_sizes", "M,3");
  auto node = grid_node("prompts/" + prompt.id, at + "video_sizes", video_, false, 0);
  node.out("grid", "video_grid_thw", "U,3", TapType::count);
  if (video_.segment > 0) node.out("chunks", "num_chunks_per_video", "M", TapType::count);
}

void Writer::write(const RawPrompt& prompt) {
  const std::string at = "prompts/" + prompt.id + "/";
  plan_.begin_tower({{'L', prompt.bytes}, {'R', prompt.expanded}, {'S', prompt.tokens}});  // -1: the axis is not used
  plan_.input(at + "text", "L", TapType::text);
  grids(at, prompt);
  for (size_t v = 0; v < prompt.frames.size(); ++v) {
    plan_.set_size('T', prompt.frames[v]);
    plan_.input(fmt::format("{}video_{}_fps", at, v), "", TapType::wide);
    plan_.input(fmt::format("{}video_{}_frames_indices", at, v), "T");
  }
  if (prompt.expanded < 0 && prompt.tokens < 0) return plan_.end_tower();
  auto node = plan_.node("prompt_expansion", "prompts/" + prompt.id);
  node.param("merge", image_.merge)
      .param("temporal", video_.temporal)
      .param("space_id", request_.space_id)
      .param("unknown_id", request_.unknown_id)
      .tap("prompt", at + "text")
      .tap("special_text", "special_tokens/text")
      .tap("special_ids", "special_tokens/ids");
  if (prompt.images > 0) node.tap("image_grid", at + "image_grid_thw");
  if (prompt.videos > 0) node.tap("video_grid", at + "video_grid_thw");
  if (prompt.videos > 0 && video_.segment > 0) node.tap("video_chunks", at + "num_chunks_per_video");
  for (size_t v = 0; v < prompt.frames.size(); ++v) {
    node.tap("video_fps", fmt::format("{}video_{}_fps", at, v));
    node.tap("video_frames", fmt::format("{}video_{}_frames_indices", at, v));
  }
  if (prompt.expanded >= 0) node.out("expanded", "expanded", "R", TapType::text);
  if (prompt.tokens >= 0) node.out("ids", "input_ids", "S", TapType::count);
  if (prompt.types && prompt.tokens >= 0) node.out("types", "mm_token_type_ids", "S", TapType::count);
  plan_.end_tower();
}

}  // namespace

Plan build_m3_processor_plan(const nlohmann::json& config, const ProcessorRequest& request) {
  PARITY_CHECK(
      request.prompts.empty() || request.specials == 4, schema,
      "special_tokens/ids has {} rows; expected 4: image, video, vision start and vision end; record the golden again",
      request.specials);
  Plan plan;
  plan.system = "minimax_m3_vl";
  plan.profile = request.profile;
  plan.working = DType::f32;
  Writer(plan, config, request).all();
  return plan;
}

int64_t grid_rows(const nlohmann::json& config, const std::string& profile, const TensorView& sizes, bool resize,
                  int64_t most_pixels) {
  const Profile& processors = find_processor_profile(profile);
  const auto values = sizes.as<int64_t, 2>();  // (M, [frames,] h, w)
  const int64_t columns = values.extent[1];
  if (columns != 3) return values.extent[0];
  const ProcessorConfig video = video_processor_config(config, processors);
  int64_t rows = 0;
  for (int64_t m = 0; m < values.extent[0]; ++m) {
    const ImageSize given{values(m, 1), values(m, 2)};
    const auto made = resize ? smart_size(given, video.rule(most_pixels)) : given;
    rows += made && made->height > 0 && made->width > 0 && values(m, 0) > 0 ? video.rows(values(m, 0)) : 1;
  }
  return rows;
}

}  // namespace parity
