// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Extents of images and videos: grids of patches, rounded sizes, sampled frames, expanded prompts.

#include <algorithm>
#include <string_view>

#include "cases/drawn/declared.hpp"

namespace parity::cases {
namespace {

/// Draws grids of merge blocks of 2 x 2 patches, with P patches in all.
std::vector<int64_t> draw_grid(CaseMaker& m, const std::string& field) {
  m.range('M', 1, 3);
  std::vector<int64_t> grid;
  int64_t patches = 0;
  for (int64_t i = 0; i < m.size('M'); ++i) {
    grid.insert(grid.end(), {m.from(1, 3), 2 * m.from(1, 4), 2 * m.from(1, 4)});
    patches += grid[grid.size() - 3] * grid[grid.size() - 2] * grid.back();
  }
  m.size('P', patches);
  m.ids(field, "M,3", [&](int64_t i) { return grid[static_cast<size_t>(i)]; });
  return grid;
}

void media_mask(CaseMaker& m) { draw_grid(m, "grid"); }

void vision_rotary_tables(CaseMaker& m) {
  draw_grid(m, "grid");
  const int64_t coordinates = m.from(2, 3);
  m.size('R', 2 * coordinates * m.range('W', 1, 16));
  m.param("coordinates", coordinates);
  m.param("merge", int64_t{2});
  m.param("rotary_width", m.size('R'));
  m.param("theta", m.one_of<double>({1e4, 1e2}));
}

void vision_rope(CaseMaker& m) {
  m.extent('P', 17);
  m.range('A', 1, 3);
  m.extent('W', 16);
  m.size('R', 2 * m.size('W'));
  m.size('D', m.size('R') + (m.coin() ? 0 : m.from(1, 9)));
}

void patch_merge(CaseMaker& m) {
  m.extent('O', 17);
  m.size('P', 4 * m.size('O'));
  m.extent('H', 65);
  m.output("out", "O,4H");
}

/// Draws placeholders for U rows of images and W of videos among other tokens, in any order.
void splice(CaseMaker& m) {
  m.range('B', 1, 2);
  m.extent('S', 17);
  const int64_t tokens = m.size('B') * m.size('S');
  m.within('U', 1, tokens, tokens);
  m.within('W', 0, tokens - m.size('U'), tokens - m.size('U'));
  std::vector<int64_t> ids(static_cast<size_t>(tokens), 2);
  std::fill_n(ids.begin(), m.size('U'), 0);
  std::fill_n(ids.begin() + m.size('U'), m.size('W'), 1);
  m.ids("ids", "B,S", [&](int64_t i) {
    std::swap(ids[static_cast<size_t>(i)], ids[static_cast<size_t>(m.from(i, tokens - 1))]);
    return ids[static_cast<size_t>(i)];
  });
  m.extent('H', 65);
  m.values("image", "U,H");
  if (m.size('W') > 0) m.values("video", "W,H");
  m.param("image_token", int64_t{0});
  m.param("video_token", int64_t{1});
}

void smart_resize(CaseMaker& m) {
  m.range('B', 1, 2);
  m.extent('S', 17);
  const bool small = m.coin();
  m.ids("in", "N,5", [&](int64_t i) {
    if (i % 5 < 2) return m.boundary() ? 14 * m.from(1, 60) + m.from(-1, 1) : m.from(1, 3000);  // ties of both parities
    if (i % 5 == 2) return int64_t{28};
    return i % 5 == 3 ? int64_t{3136} : int64_t{small ? 7840 : 451584};
  });
  m.param("whole_side", m.coin());
}

void media_grid(CaseMaker& m) {
  m.extent('M', 17);
  m.ids("sizes", "M,2", [&](int64_t) { return m.boundary() ? 14 * m.from(1, 60) + m.from(-1, 1) : m.from(1, 3000); });
  m.param("marks_refused", true);
  m.param("whole_side", m.coin());
  for (const char* field : {"tokens", "chunks", "error"}) m.output(field, "M", TapType::index);
}

void resize_bicubic(CaseMaker& m) {
  m.range('C', 1, 3);
  for (const char letter : {'H', 'F', 'X', 'Y'}) m.extent(letter, 65);
}

void patchify(CaseMaker& m) {
  m.range('C', 1, 3);
  m.range('Y', 1, 15);
  m.range('T', 1, 5);
  m.size('U', 2 * m.range('u', 1, 3));
  m.size('W', 2 * m.range('w', 1, 3));
  m.size('M', 1);
  m.size('P', (m.size('T') + 1) / 2 * m.size('U') * m.size('W'));
  m.ids("image", "TC,UY,WY", [&](int64_t) { return m.from(0, 255); });
  m.param("channels", m.size('C'));
  m.param("patch", m.size('Y'));
  m.output("values", "P,2CYY", TapType::single);
  m.output("grid", "M,3", TapType::index);
}

/// Draws T frames: of a multiple of T, of any larger number, of fewer than T (an error), or by rates.
void frame_sampling(CaseMaker& m) {
  m.range('B', 1, 2);
  m.extent('S', 17);
  const int64_t most = m.range('T', 2, 65);
  int64_t kind = 0, total = 0;
  m.ids("frames", "N,2", [&](int64_t i) {
    if (i % 2 == 0) {
      kind = m.from(0, 3);
      return total = kind == 0 ? most * m.from(1, 4) : m.from(1, 12 * (most - 1));  // 2 of 24 are fewer than T
    }
    return kind == 0 ? most : kind == 1 ? m.from(1, std::min(total, most - 1)) : kind == 2 ? total + 1 : 0;
  });
  m.numbers("rates", "N,2", TapType::wide, [&](int64_t i) {
    return i % 2 == 0 ? m.one_of<double>({24.0, 29.97, 30.0}) : m.one_of<double>({1.0, 2.0});
  });
  m.param("at_least_one", m.coin());
  m.param("whole_numbers", m.coin());
  m.output("indices", "N,T", TapType::index);
}

/// Draws letters with a marker for each image. Special tokens have one letter, so that every byte is a token.
void prompt_expansion(CaseMaker& m) {
  constexpr std::string_view kSpecials{"P\0R\0T\0V", 7};
  const auto grid = draw_grid(m, "image_grid");
  const int64_t letters = m.extent('L', 65);
  m.size('I', letters + m.size('M'));
  m.size('O', letters + 2 * m.size('M') + m.size('P') / 4);
  std::vector<int64_t> text(static_cast<size_t>(m.size('I')), 'P');
  for (int64_t i = 0; i < letters; ++i) text[static_cast<size_t>(i)] = m.from('a', 'z');
  m.ids("prompt", "I", [&](int64_t i) {
    std::swap(text[static_cast<size_t>(i)], text[static_cast<size_t>(m.from(i, m.size('I') - 1))]);
    return text[static_cast<size_t>(i)];
  });
  m.ids("special_text", "7", [&](int64_t i) { return kSpecials[static_cast<size_t>(i)]; });
  m.ids("special_ids", "4", [&](int64_t i) { return 1000 + i; });
  for (const char* field : {"video_grid", "video_chunks", "video_fps", "video_frames"}) m.leave_out(field);
  for (const char* field : {"expanded", "ids", "types"}) m.output(field, "O", TapType::index);
}

}  // namespace

void add_media_extents(std::map<std::string, Recipe>& extents) {
  extents["media_mask"] = media_mask;
  extents["vision_rotary_tables"] = vision_rotary_tables;
  extents["vision_rope"] = vision_rope;
  extents["patch_merge"] = patch_merge;
  extents["splice"] = splice;
  extents["smart_resize"] = smart_resize;
  extents["media_grid"] = media_grid;
  extents["resize_bicubic"] = resize_bicubic;
  extents["patchify"] = patchify;
  extents["frame_sampling"] = frame_sampling;
  extents["prompt_expansion"] = prompt_expansion;
}

}  // namespace parity::cases
