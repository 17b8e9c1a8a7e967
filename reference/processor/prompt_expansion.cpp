// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/processor/prompt_expansion.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "reference/support.hpp"

namespace parity::reference {

/// Texts and ids of the special tokens; `unknown` is treated as one of them.
struct Vocabulary {
  enum Special : uint8_t { image, video, start, end, unknown, count };
  std::array<std::string, count> texts;
  std::array<int64_t, count> ids;
};

inline std::string text_of(const TensorView& bytes) {
  const auto view = bytes.as<int64_t, 1>();
  std::string result;
  for (int64_t i = 0; i < view.extent[0]; ++i) result += static_cast<char>(view(i));
  return result;
}

inline Vocabulary vocabulary_of(const PromptExpansion::Inputs& in, const PromptExpansion::Params& params) {
  Vocabulary result;
  const std::string all = text_of(in.special_text);
  const auto ids = in.special_ids.as<int64_t, 1>();
  PARITY_CHECK(std::count(all.begin(), all.end(), '\0') == 3 && ids.extent[0] == 4, schema,
               "special tokens are not four texts and four ids: image, video, start, end");
  size_t first = 0;
  for (size_t i = 0; i < 4; ++i) {
    const size_t after = std::min(all.find('\0', first), all.size());
    result.texts[i] = all.substr(first, after - first);
    result.ids[i] = ids(static_cast<int64_t>(i));
    PARITY_CHECK(!result.texts[i].empty(), schema, "special token {} has no text", i);
    first = after + 1;
  }
  result.texts[Vocabulary::unknown] = "<unk>";
  result.ids[Vocabulary::unknown] = params.unknown_id;
  return result;
}

/// The longest special token that starts at `at`; Vocabulary::count when there is none.
inline size_t special_at(const Vocabulary& vocabulary, const std::string& text, size_t at) {
  size_t found = Vocabulary::count;
  for (size_t i = 0; i < Vocabulary::count; ++i) {
    const std::string& token = vocabulary.texts[i];
    if (text.compare(at, token.size(), token) != 0) continue;
    if (found == Vocabulary::count || token.size() > vocabulary.texts[found].size()) found = i;
  }
  return found;
}

inline std::string repeated(const std::string& text, int64_t times) {
  std::string result;
  for (int64_t i = 0; i < times; ++i) result += text;
  return result;
}

/// x as Python's "{:.1f}" prints it: the decimal nearest to the double; ties (exact in binary) to the even digit.
inline std::string one_decimal(double x) {
  std::array<char, 400> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x, std::chars_format::fixed, 1);
  PARITY_CHECK(error == std::errc(), internal, "{} cannot be printed in decimal", x);
  return {buffer.data(), end};
}

/// Computes the replacement of each marker of one prompt, in order.
class Expansion {
 public:
  /// Refuses expansions of more than `room` bytes before they are made: a damaged grid could need all memory.
  Expansion(const PromptExpansion::Inputs& in, const PromptExpansion::Params& params, const Vocabulary& vocabulary,
            int64_t room)
      : in_(in), params_(params), vocabulary_(vocabulary), room_(room) {
    PARITY_CHECK(params.merge > 0 && params.temporal > 0, usage, "merge {} and temporal {} must be positive",
                 params.merge, params.temporal);
    PARITY_CHECK(in.video_fps.size() == in.video_frames.size(), schema,
                 "{} frame rates, but {} lists of frames are given; each list needs one frame rate",
                 in.video_fps.size(), in.video_frames.size());
  }

  [[nodiscard]] std::string of(const std::string& prompt) {
    std::string result;
    for (size_t at = 0; at < prompt.size();) {
      const size_t marker = special_at(vocabulary_, prompt, at);
      if (marker == Vocabulary::image) result += image(images_++);
      if (marker == Vocabulary::video) result += video(videos_++);
      if (marker > Vocabulary::video)
        result += prompt[at++];
      else
        at += vocabulary_.texts[marker].size();
    }
    check("image", images_, given(in_.image_grid));
    check("video", videos_, videos());
    PARITY_CHECK(in_.video_fps.empty() || static_cast<int64_t>(in_.video_fps.size()) == videos_, schema,
                 "there are {} videos, but frame counts for {} videos", videos_, in_.video_fps.size());
    return result;
  }

 private:
  static int64_t given(const TensorView& grid) { return grid.empty() ? 0 : grid.shape.front(); }
  static void check(const char* kind, int64_t markers, int64_t media) {
    PARITY_CHECK(markers == media, schema, "the prompt has {} {} markers, but there are {} grids", markers, kind,
                 media);
  }
  [[nodiscard]] int64_t videos() const { return given(in_.video_chunks.empty() ? in_.video_grid : in_.video_chunks); }

  /// The placeholders for a grid with the given number of patches along each axis.
  [[nodiscard]] std::string placeholders(Vocabulary::Special kind, const std::vector<int64_t>& grid) const {
    double patches = 1.0;  // exact for all sizes that are not refused
    for (const int64_t extent : grid) patches *= static_cast<double>(std::max<int64_t>(extent, 0));
    const double merged = static_cast<double>(params_.merge) * static_cast<double>(params_.merge);
    require_room(patches / merged);
    return vocabulary_.texts[Vocabulary::start] +
           repeated(vocabulary_.texts[kind], static_cast<int64_t>(patches / merged)) +
           vocabulary_.texts[Vocabulary::end];
  }

  void require_room(double length) const {
    PARITY_CHECK(length <= static_cast<double>(room_), schema,
                 "the grids need {:.3g} placeholders, more than the {} of the recorded prompt; the golden is damaged, "
                 "or its grid belongs to another prompt",
                 length, room_);
  }

  [[nodiscard]] std::string image(int64_t index) const {
    if (index >= given(in_.image_grid)) return {};      // the caller counts this marker and refuses the prompt
    const auto grid = in_.image_grid.as<int64_t, 2>();                                                         // (M, 3)
    return placeholders(Vocabulary::image, {grid(index, 0), grid(index, 1), grid(index, 2)});
  }

  [[nodiscard]] std::string video(int64_t index) {
    if (index >= videos()) return {};
    const auto grid = in_.video_grid.as<int64_t, 2>();                                                         // (G, 3)
    const int64_t after = row_ + (in_.video_chunks.empty() ? 1 : in_.video_chunks.as<int64_t, 1>()(index));
    PARITY_CHECK(after <= grid.extent[0], schema, "video {} needs {} rows of the grid, but there are {}", index, after,
                 grid.extent[0]);
    std::string result;
    for (int64_t patch = 0; row_ < after; ++row_) {
      for (int64_t f = 0; f < grid(row_, 0); ++f) {
        result += time_of(index, patch++) + placeholders(Vocabulary::video, {grid(row_, 1), grid(row_, 2)});
        require_room(static_cast<double>(result.size()));
      }
    }
    return result;
  }

  [[nodiscard]] std::string time_of(int64_t index, int64_t patch) const {
    if (index >= static_cast<int64_t>(in_.video_fps.size())) return {};
    const double fps = in_.video_fps[static_cast<size_t>(index)].as<double, 0>()();
    const auto frames = in_.video_frames[static_cast<size_t>(index)].as<int64_t, 1>();
    PARITY_CHECK(frames.extent[0] > 0 && fps > 0.0, schema,
                 "video {} has {} frames at {} per second; both must be positive", index, frames.extent[0], fps);
    const int64_t frame = frames(std::min(params_.temporal * patch, frames.extent[0] - 1));
    return "]<]" + one_decimal(static_cast<double>(frame) / fps) + " seconds[>[";
  }

  const PromptExpansion::Inputs& in_;
  const PromptExpansion::Params& params_;
  const Vocabulary& vocabulary_;
  int64_t room_;  // bytes
  int64_t images_ = 0;
  int64_t videos_ = 0;
  int64_t row_ = 0;  // next row of the videos' grid
};

/// Length in bytes of the UTF-8 character, or of the run of line feeds, that starts at `at`.
inline size_t piece_at(const std::string& text, size_t at) {
  size_t after = at + 1;
  const auto continues = [&](char c) {
    return text[at] == '\n' ? c == '\n' : (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
  };
  while (after < text.size() && continues(text[after])) ++after;
  return after - at;
}

inline std::vector<int64_t> tokens_of(const std::string& text, const Vocabulary& vocabulary, int64_t space_id) {
  std::vector<int64_t> ids;
  for (size_t at = 0; at < text.size();) {
    const size_t special = special_at(vocabulary, text, at);
    if (special < Vocabulary::count) {
      ids.push_back(vocabulary.ids[special]);
      at += vocabulary.texts[special].size();
      continue;
    }
    const bool printable = text[at] >= ' ' && text[at] <= '~';
    ids.push_back(printable ? space_id + (text[at] - ' ') : vocabulary.ids[Vocabulary::unknown]);
    at += piece_at(text, at);
  }
  return ids;
}

/// Writes made(element) for every element, unless the output is absent.
template <class Elements, class Made>
void write(const char* what, const TensorView& out, const Elements& elements, const Made& made) {
  if (out.empty()) return;
  const auto target = out.as<int64_t, 1>();
  PARITY_CHECK(static_cast<int64_t>(elements.size()) == target.extent[0], schema,
               "the prompt expands to {} {}, but {} are recorded", elements.size(), what, target.extent[0]);
  for (int64_t i = 0; i < target.extent[0]; ++i) target(i) = made(elements[static_cast<size_t>(i)]);
}

/// Limit of an expanded prompt's bytes, far enough above the recorded lengths that errors can name the exact length.
inline int64_t room_of(const PromptExpansion::Outputs& out) {
  constexpr int64_t kLongest = 64, kLeast = 1024;  // bytes of one token; bytes that any prompt may have
  int64_t recorded = 0;
  for (const TensorView* output : {&out.expanded, &out.ids, &out.types})
    recorded = std::max(recorded, output->empty() ? 0 : output->count());
  return kLongest * recorded + kLeast;
}

template <class Num>
void prompt_expansion(const PromptExpansion::Inputs& in, const PromptExpansion::Params& params,
                      const PromptExpansion::Outputs& out, Context&) {
  const Vocabulary vocabulary = vocabulary_of(in, params);
  const std::string text = Expansion(in, params, vocabulary, room_of(out)).of(text_of(in.prompt));
  const std::vector<int64_t> ids = tokens_of(text, vocabulary, params.space_id);
  write("bytes", out.expanded, text, [](char byte) { return static_cast<unsigned char>(byte); });
  write("tokens", out.ids, ids, [](int64_t id) { return id; });
  write("types", out.types, ids, [&](int64_t id) {
    return id == vocabulary.ids[Vocabulary::image] ? 1 : id == vocabulary.ids[Vocabulary::video] ? 2 : 0;
  });
}

PARITY_REFERENCE(PromptExpansion, prompt_expansion)

}  // namespace parity::reference
