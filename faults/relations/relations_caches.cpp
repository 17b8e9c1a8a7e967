// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Relations between runs whose caches are edited between calls, or stored in different layouts.
#include "core/plans/tiny/tiny_configs.hpp"
#include "faults/relations/relation_battery.hpp"

namespace parity::faults {
namespace {

constexpr int64_t kTokens = 14;
constexpr int64_t kKept = 9;  // slots before the edits; odd, so that the last block of the small M3 is half full

class Caches : public Battery {
 public:
  Caches(const std::string& system, uint64_t seed, const Tried& tried)
      : Battery(system, seed, tried), system_(system), subject_(subject(tiny_config(system))) {
    ids_ = subject_.tokens(3, kTokens, seed + 2);
    straight_ = one_by_one(ids_, kKept);
    base_ = once(logits(straight_));
  }

  void relate() {
    rows();
    if (system_ != "minimax_text_01") {  // its package has neither crop nor a static cache
      crops();
      lengths();
      pages();
    }
  }

 private:
  [[nodiscard]] Make logits(const Run& run) {
    return [this, run](Walk& walk) { return subject_.logits(run, walk); };
  }

  /// Returns a run with edits after the first call, and then the tokens of the rows that continue.
  [[nodiscard]] Run edited(const std::vector<Turn>& edits, const std::vector<int64_t>& rows) const {
    Run run{{straight_.turns.front()}};
    run.turns.insert(run.turns.end(), edits.begin(), edits.end());
    for (size_t turn = 1; turn < straight_.turns.size(); ++turn)
      run.turns.push_back({rows.empty() ? straight_.turns[turn].ids : picked(straight_.turns[turn].ids, 0, rows)});
    return run;
  }

  /// Returns the results of the calls after the first one.
  [[nodiscard]] static Make after(const Make& make) { return part(make, 'S', kKept, kTokens - kKept); }

  /// Returns the results of calls after the first, for a run with other rows than before.
  [[nodiscard]] Make decoded(const Run& run) {
    return [this, run](Walk& walk) {
      const auto parts = subject_.turns(run, walk);
      std::vector<TensorView> views;
      for (size_t turn = 1; turn < parts.size(); ++turn) views.push_back(parts[turn].view());
      return concatenate(views, 'S');
    };
  }

  void rows() {
    const std::vector<int64_t> order{2, 0, 1};
    const std::vector<int64_t> back{1, 2, 0};
    const Make later = once(after(base_));
    same("reorder", "reordered cache rows continue the reordered sequences", picked(later, 0, order),
         decoded(edited({{{}, order}}, order)));
    same("reorder-back", "a reorder and its inverse change nothing", later,
         decoded(edited({{{}, order}, {{}, back}}, {})));
    if (system_ != "minimax_text_01") {  // its beam search does not reorder the states of lightning layers
      same("beams", "exchanged beams continue as each other", picked(later, 0, order),
           decoded(edited({{{}, order, true}}, order)));
    }
    const std::vector<int64_t> repeated{0, 0, 1, 1, 2, 2};
    same("repeat", "decoding on from repeated cache rows equals decoding a repeated batch", picked(later, 0, repeated),
         decoded(edited({{{}, repeated}}, repeated)));
    const std::vector<int64_t> fewer{2, 1};
    same("select", "rows that continue alone continue as they would in the full batch", picked(later, 0, fewer),
         decoded(edited({{{}, fewer}}, fewer)));
  }

  void crops() {
    const Tensor wrong = next_words(columns(ids_, kKept, 3), subject_.words());
    Run run = edited({{wrong}, {{}, {}, false, kKept}}, {});
    const auto crop = [&](int64_t kept, int64_t static_slots = 0) {
      run.turns[2].crop = kept;
      run.static_slots = static_slots;
      return [this, run](Walk& walk) {  // leaves out the turn with the wrong tokens
        auto parts = subject_.turns(run, walk);
        std::vector<TensorView> views{parts.front().view()};
        for (size_t turn = 2; turn < parts.size(); ++turn) views.push_back(parts[turn].view());
        return concatenate(views, 'S');
      };
    };
    same("crop", "cropped tokens leave no trace", base_, crop(kKept));
    same("crop-from-the-end", "… cropped by a number of slots", base_, crop(-3));
    same("static-crop", "tokens cropped from a static cache leave no trace", base_, crop(-3, kTokens + 3));
    run.static_slots = 0;
    differ("rejected", "tokens that are not cropped change the result", after(base_), [this, run](Walk& walk) {
      Run kept = run;
      kept.turns.erase(kept.turns.begin() + 2);
      return part(subject_.logits(kept, walk), 'S', kKept + 3, kTokens - kKept);
    });
  }

  void lengths() {
    Run run = straight_;
    run.static_slots = kTokens + 3;
    same("static", "a static cache equals a growing one", base_, logits(run));
    Run longer = straight_;
    longer.static_slots = 2 * kTokens + 1;
    same("slots", "unused slots change nothing", logits(run), logits(longer));
    Run beams = edited({{{}, {1, 2, 0}, true}, {{}, {2, 0, 1}, true}}, {});
    beams.static_slots = run.static_slots;
    same("static-beams", "reordering a static cache and back changes nothing", after(base_), decoded(beams));
  }

  void pages() {
    Run run = straight_;
    run.page_size = 4;  // leaves the last page half full
    const Make paged = once(logits(run));
    same("pages", "a paged cache equals a growing one", base_, paged, 0.0);
    Run other = run;
    other.page_size = 3;
    same("page-size", "another page size changes nothing", paged, logits(other), 0.0);
    run.pages = moved_on(ids_.shape()[0] * ((kTokens + run.page_size - 1) / run.page_size), 5);
    same("page-order", "moved pages, with the table changed to match, change nothing", paged, logits(run), 0.0);
    run.later_pages = moved_on(static_cast<int64_t>(run.pages.size()), 0);
    differ("page-table", "a changed page table changes the result", after(paged), after(logits(run)));
  }

  std::string system_;
  Subject& subject_;
  Tensor ids_;
  Run straight_;
  Make base_;
};

}  // namespace

Battery cache_relations(const std::string& system, uint64_t seed, const Tried& tried) {
  Caches battery(system, seed, tried);
  battery.relate();
  return battery;  // keeps the results, but not the subjects
}

}  // namespace parity::faults
