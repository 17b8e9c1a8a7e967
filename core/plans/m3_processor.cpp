// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/m3_processor.hpp"

#include <algorithm>
#include <array>

#include "core/plans/config_reader.hpp"
#include "core/plans/plan_writer.hpp"
#include "core/plans/smart_size.hpp"

namespace parity {
namespace {

/// What one of the two processors is configured to do.
struct Processor {
  int64_t patch = 14, merge = 2, temporal = 2;
  int64_t least_pixels = 3136, most_pixels = 451584;
  double rescale = 1.0 / 255.0;
  std::array<double, 3> mean{0.48145466, 0.4578275, 0.40821073};
  std::array<double, 3> deviation{0.26862954, 0.26130258, 0.27577711};

  [[nodiscard]] SizeRule rule(int64_t most) const {
    return {patch * merge, least_pixels, most > 0 ? most : most_pixels, false};
  }
};

void colours(const ConfigReader& config, const char* key, std::array<double, 3>& target) {
  const nlohmann::json* list = config.present(key);
  if (list == nullptr) return;
  const bool numbers = list->is_array() && list->size() == 3 &&
                       std::all_of(list->begin(), list->end(), [](const auto& x) { return x.is_number(); });
  PARITY_CHECK(numbers, schema, "config key '{}' is not a list of three numbers", key);
  for (size_t c = 0; c < 3; ++c) target[c] = (*list)[c].get<double>();
}

Processor processor_of(const nlohmann::json& config, const char* key, int64_t most_pixels) {
  Processor result;
  result.most_pixels = most_pixels;
  const nlohmann::json* object = ConfigReader(config).object(key);
  if (object == nullptr) return result;
  const ConfigReader reader(*object);
  constexpr int64_t kLargest = 1024;
  reader.integer("patch_size", result.patch, 1, kLargest);
  reader.integer("merge_size", result.merge, 1, kLargest);
  reader.integer("temporal_patch_size", result.temporal, 1, kLargest);
  reader.integer("min_pixels", result.least_pixels);
  reader.integer("max_pixels", result.most_pixels);
  reader.real("rescale_factor", result.rescale);
  PARITY_CHECK(result.rescale > 0.0, schema, "config key 'rescale_factor' is {}, not positive", result.rescale);
  colours(reader, "image_mean", result.mean);
  colours(reader, "image_std", result.deviation);
  for (const char* step : {"do_rescale", "do_normalize"}) {
    bool done = true;
    reader.boolean(step, done);
    PARITY_CHECK(done, unsupported, "{}: {} is false; only rescaled and normalised pixels are judged", key, step);
  }
  return result;
}

class Writer {
 public:
  Writer(Plan& plan, const nlohmann::json& config, const ProcessorRequest& request)
      : plan_(plan),
        request_(request),
        image_(processor_of(config, "image_processor", 451584)),
        video_(processor_of(config, "video_processor", 602112)) {
    plan_.begin_call(0, "processor/", {{'B', 1}, {'S', 1}, {'M', 1}});
  }

  void size_rule() {
    if (request_.sizes == 0) return;
    plan_.begin_tower({{'O', request_.sizes}});
    plan_.input("smart_resize/in", "O,5");
    plan_.node("smart_resize", "smart_resize")
        .tap("in", "smart_resize/in")
        .out("out", "out", "O,2", TapType::index)
        .out("error", "error", "O", TapType::flag);
    plan_.end_tower();
  }

  void media() {
    for (const RawMedium& medium : request_.images) write(medium, image_, "images/");
    for (const RawMedium& medium : request_.videos) write(medium, video_, "videos/");
  }

  void prompts() {
    if (request_.prompts.empty()) return;
    plan_.set_size('Z', request_.special_bytes);
    plan_.set_size('E', request_.specials);
    plan_.input("special_tokens/text", "Z", TapType::text);
    plan_.input("special_tokens/ids", "E");
    for (const RawPrompt& prompt : request_.prompts) write(prompt);
  }

 private:
  void write(const RawMedium& medium, const Processor& how, const char* folder) {
    const std::string at = folder + medium.id + "/";
    const bool video = medium.shape.size() == 4;
    PARITY_CHECK((video || medium.shape.size() == 3) && element_count(medium.shape) > 0, schema,
                 "processor/{}in has shape {}; [T,]C,H,W is wanted", at, to_string(medium.shape));
    const int64_t frames = video ? medium.shape[0] : 1;
    const ImageSize given{medium.shape[medium.shape.size() - 2], medium.shape.back()};
    const SizeRule rule = how.rule(medium.most_pixels);
    const auto made = medium.resize ? smart_size(given, rule) : given;
    PARITY_CHECK(made && made->height > 0 && made->width > 0 && made->height % rule.factor == 0 &&
                     made->width % rule.factor == 0,
                 schema, "processor/{}in of {} x {} pixels is refused by the size rule", at, given.height, given.width);
    const int64_t patches =
        (frames + how.temporal - 1) / how.temporal * (made->height / how.patch) * (made->width / how.patch);
    const std::string leading = video ? "T,C," : "C,";
    const std::string planes = video ? "TC," : "C,";  // as kernels see them
    const int64_t channels = medium.shape[medium.shape.size() - 3];
    plan_.begin_tower({{'T', frames},
                       {'C', channels},
                       {'H', given.height},
                       {'W', given.width},
                       {'Y', made->height},
                       {'X', made->width},
                       {'P', patches},
                       {'F', channels * how.temporal * how.patch * how.patch}});
    plan_.input(at + "in", leading + "H,W", TapType::byte);
    plan_.node("resize_bicubic", at + "resized")
        .tap("image", at + "in", planes + "H,W")
        .out("out", "", leading + "Y,X", TapType::byte, planes + "Y,X");
    plan_.node("patchify", folder + medium.id)
        .param("channels", channels)
        .param("patch", how.patch)
        .param("merge", how.merge)
        .param("temporal", how.temporal)
        .param("rescale", how.rescale)
        .param("mean_red", how.mean[0])
        .param("mean_green", how.mean[1])
        .param("mean_blue", how.mean[2])
        .param("std_red", how.deviation[0])
        .param("std_green", how.deviation[1])
        .param("std_blue", how.deviation[2])
        .tap("image", at + "resized", planes + "Y,X")
        .out("values", "pixel_values", "P,F", TapType::single)
        .out("grid", "grid_thw", "M,3", TapType::index);
    plan_.end_tower();
  }

  /// Grids of a prompt's images or videos, from their sizes; the processor does not resize videos.
  void grids(const std::string& at, const char* kind, int64_t count, const Processor& how, bool resize) {
    if (count == 0) return;
    plan_.set_size('M', count);
    plan_.input(at + kind + "_sizes", resize ? "M,2" : "M,3");
    plan_.node("media_grid", at + kind + "_grid_thw")
        .param("patch", how.patch)
        .param("merge", how.merge)
        .param("temporal", how.temporal)
        .param("least_pixels", how.least_pixels)
        .param("most_pixels", how.most_pixels)
        .param("resize", resize)
        .tap("sizes", at + kind + "_sizes")
        .out("grid", "", "M,3", TapType::index);
  }

  void write(const RawPrompt& prompt) {
    const std::string at = "prompts/" + prompt.id + "/";
    plan_.begin_tower({{'L', prompt.bytes}, {'R', prompt.expanded}, {'S', prompt.tokens}});
    plan_.input(at + "text", "L", TapType::text);
    grids(at, "image", prompt.images, image_, true);
    grids(at, "video", prompt.videos, video_, false);
    for (size_t v = 0; v < prompt.frames.size(); ++v) {
      plan_.set_size('T', prompt.frames[v]);
      plan_.input(fmt::format("{}video_{}_fps", at, v), "", TapType::wide);
      plan_.input(fmt::format("{}video_{}_frames_indices", at, v), "T");
    }
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
    for (size_t v = 0; v < prompt.frames.size(); ++v) {
      node.tap("video_fps", fmt::format("{}video_{}_fps", at, v));
      node.tap("video_frames", fmt::format("{}video_{}_frames_indices", at, v));
    }
    node.out("expanded", "expanded", "R", TapType::text).out("ids", "input_ids", "S", TapType::index);
    if (prompt.types) node.out("types", "mm_token_type_ids", "S", TapType::index);
    plan_.end_tower();
  }

  PlanWriter plan_;
  const ProcessorRequest& request_;
  Processor image_, video_;
};

}  // namespace

Plan build_m3_processor_plan(const nlohmann::json& config, const ProcessorRequest& request) {
  // Later releases keep a scaled side at the factor and configure the limits otherwise.
  PARITY_CHECK(request.profile.starts_with("hf-5.12.") || request.profile == "hf-5.13.0", unsupported,
               "profile '{}': its processors are not modelled; hf-5.12.0 and hf-5.13.0 are", request.profile);
  PARITY_CHECK(request.prompts.empty() || request.specials == 4, schema,
               "{} special tokens; image, video, start and end are wanted", request.specials);
  Plan plan;
  plan.system = "minimax_m3_vl";
  plan.profile = request.profile;
  plan.working = DType::f32;
  Writer writer(plan, config, request);
  writer.size_rule();
  writer.media();
  writer.prompts();
  return plan;
}

}  // namespace parity
