// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/drawn/chain_case.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <optional>

#include "reference/reference.hpp"

namespace parity::cases {
namespace {

/// Maps a letter of a recipe to the letters of the chain whose product is its extent.
using Letters = std::map<char, std::string>;

Operand tap_of(const std::string& name) { return {Operand::Kind::tap, name, {}}; }

/// Whether the name is a link, such as "0.out", the output of a part.
bool is_link(const std::string& name) { return name.find('.') != std::string::npos; }
std::string link_of(size_t part, const std::string& field) { return fmt::format("{}.{}", part, field); }

/// Returns the axes with "*" replaced by the recipe's leading axes: "*,H" becomes "B,S,H".
std::string spelled(const std::string& chain, const std::string& recipe) {
  if (!chain.starts_with("*")) return chain;
  const auto own = split_axes(recipe);
  const size_t own_axes = split_axes(chain).size() - 1;
  return fmt::format("{}{}", fmt::join(own.begin(), own.end() - static_cast<int64_t>(own_axes), ","), chain.substr(1));
}

/// Matches the axes of a recipe and of the chain ("B,S,H" and "B,S,A,D"). The last axes are equal, and so are the first
/// ones. Further axes of the chain belong to the recipe's last but one.
void add_letters(const std::string& recipe, const std::string& chain, Letters& letters) {
  const auto own = split_axes(recipe), theirs = split_axes(spelled(chain, recipe));
  PARITY_CHECK(!own.empty() && own.size() <= theirs.size() && (own.size() > 1 || theirs.size() == 1), internal,
               "the axes {} of a part's recipe do not fit the axes {} of the fused chain", recipe, chain);
  size_t at = 0;
  for (size_t axis = 0; axis < own.size(); ++axis) {
    const size_t together = axis + 2 == own.size() ? 1 + theirs.size() - own.size() : 1;
    std::string product;
    for (size_t i = 0; i < together; ++i) product += theirs[at++];
    const bool letter = own[axis].size() == 1 && std::isupper(static_cast<unsigned char>(own[axis].front())) != 0;
    if (letter) letters.emplace(own[axis].front(), product);
  }
}

class ChainMaker {
 public:
  ChainMaker(const CaseSpec& spec, const Definition& fusion, const std::vector<FusedPart>& parts)
      : spec_(spec), fusion_(fusion), parts_(parts), letters_(parts.size()), drawn_(parts.size()) {
    CaseMaker frame(spec);
    profile_ = &frame.profile();
    chain_ = frame.take();
    chain_.plan.nodes.clear();
    fused_.component = fused_.prefix = spec.component;
  }

  DrawnCase take() {
    for (const size_t part : in_order()) draw(part);
    chain_.plan.sizes[0] = sizes_;
    for (size_t part = 0; part < parts_.size(); ++part) add_node(part);
    chain_.fused = fused_;
    return std::move(chain_);
  }

 private:
  [[nodiscard]] CaseSpec spec_of(size_t part, Lane lane) const {
    return {parts_[part].component, spec_.working, lane, spec_.seed, {}};
  }

  /// Draws every part by itself, to find the axes of its recipe and the extents that it computes.
  [[nodiscard]] std::vector<size_t> in_order() {
    std::vector<int64_t> computed;
    for (size_t part = 0; part < parts_.size(); ++part) {
      const Lane lane = spec_.lane == Lane::exact ? Lane::boundary : spec_.lane;  // has equal extents
      const DrawnCase alone = draw_component(spec_of(part, lane), {profile_, {}, params_of(part)});
      for (const auto& [field, source] : parts_[part].inputs) {
        const auto tap = alone.plan.taps.find("in/" + field);
        if (tap != alone.plan.taps.end()) add_letters(tap->second.axes, source.axes, letters_[part]);
      }
      for (const auto& [field, target] : parts_[part].outputs)
        add_letters(alone.plan.taps.at(field).axes, target.axes, letters_[part]);
      computed.push_back(std::count_if(letters_[part].begin(), letters_[part].end(),
                                       [&](const auto& l) { return !alone.drawn.contains(l.first); }));
    }
    std::vector<size_t> order(parts_.size());
    std::iota(order.rbegin(), order.rend(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return computed[a] > computed[b]; });
    return order;
  }

  /// Returns the parameters of a part: defaults, fixed values of the kernel, and parameters of the fusion.
  [[nodiscard]] ParamMap params_of(size_t part) const {
    ParamMap params = reference::registry().component(parts_[part].component).defaults;
    for (const auto& [name, value] : parts_[part].fixed) params[name] = value;
    for (const auto& [name, of_fusion] : parts_[part].params) {
      const auto known = fused_.params.find(of_fusion);
      known == fused_.params.end() ? static_cast<void>(params.erase(name))
                                   : static_cast<void>(params[name] = known->second);
    }
    return params;
  }

  void draw(size_t part) {
    CaseSpec spec = spec_of(part, spec_.lane);
    Settled settled{profile_, {}, params_of(part)};
    for (const auto& [letter, product] : letters_[part]) {
      const bool known = std::all_of(product.begin(), product.end(), [&](char c) { return sizes_.contains(c); });
      PARITY_CHECK(known || product.size() == 1, internal,
                   "fused kernel {}: its header declares no axis {} for its part {}", spec_.component, product,
                   spec.component);
      if (known) {
        settled.sizes[letter] = std::accumulate(product.begin(), product.end(), int64_t{1},
                                                [&](int64_t count, char c) { return count * sizes_.at(c); });
      } else if (spec_.given.contains(product.front())) {
        spec.given[letter] = spec_.given.at(product.front());
      }
    }
    for (const auto& [letter, limit] : spec_.given) {
      if (!letters_[part].contains(letter)) spec.given.emplace(letter, limit);  // a letter only of the recipe
    }
    add_links(part, settled);
    drawn_[part] = draw_component(spec, settled);
    publish(part);
  }

  void add_links(size_t part, Settled& settled) const {
    for (const auto& [field, source] : parts_[part].inputs) {
      if (is_link(source.name)) settled.linked.insert(field);
    }
    for (size_t reader = part + 1; reader < parts_.size(); ++reader) {
      for (const auto& [read, source] : parts_[reader].inputs) {
        for (const auto& [field, output] : parts_[part].outputs) {
          if (source.name != link_of(part, field)) continue;
          settled.read_on = true;
          if (drawn_[reader]) settled.wanted[field] = drawn_[reader]->taps.at("in/" + read).exact;
        }
      }
    }
  }

  /// Stores extents and parameters for later parts.
  void publish(size_t part) {
    const AxisSizes& extents = drawn_[part]->plan.sizes.at(0);
    const auto name_of = [&](char letter) {
      const auto known = letters_[part].find(letter);
      return known == letters_[part].end() ? letter : known->second.front();
    };
    for (const auto& [letter, product] : letters_[part]) {
      if (product.size() == 1 && extents.contains(letter)) sizes_.emplace(product.front(), extents.at(letter));
    }
    for (const auto& [letter, extent] : drawn_[part]->drawn) chain_.drawn.emplace(name_of(letter), extent);
    for (const auto& [name, of_fusion] : parts_[part].params)
      fused_.params[of_fusion] = drawn_[part]->plan.nodes.front().params.at(name);
  }

  void add_node(size_t part) {
    const DrawnCase& drawn = *drawn_[part];
    PARITY_CHECK(drawn.plan.weights.empty(), internal,
                 "fused kernel {}: no random cases can be drawn, because it reads the weights of several experts",
                 spec_.component);
    Node node;
    node.component = parts_[part].component;
    node.prefix = fmt::format("{}/{}", spec_.component, part);
    node.params = drawn.plan.nodes.front().params;
    for (const auto& [field, source] : parts_[part].inputs) add_input(drawn, field, source, node);
    for (const auto& [field, target] : parts_[part].outputs) add_output(drawn, part, field, target, node);
    chain_.plan.nodes.push_back(std::move(node));
    chain_.plan.rounding.insert(drawn.plan.rounding.begin(), drawn.plan.rounding.end());
    chain_.own_rounding = chain_.own_rounding || drawn.own_rounding;
    chain_.free_rounding.insert(chain_.free_rounding.end(), drawn.free_rounding.begin(), drawn.free_rounding.end());
  }

  void add_input(const DrawnCase& drawn, const std::string& field, const FusedOperand& source, Node& node) {
    const auto own = drawn.taps.find("in/" + field);
    const std::string tap = is_link(source.name) ? made_.at(source.name) : "in/" + source.name;
    if (!is_link(source.name)) {
      const bool absent = own == drawn.taps.end();
      PARITY_CHECK(!absent || fusion_.inputs[static_cast<size_t>(fusion_.input_index(source.name))].optional, internal,
                   "fused kernel {}: no code draws operand {}", spec_.component, source.name);
      if (absent) return;
      if (!chain_.taps.contains(tap)) add_operand(drawn, field, source);
      fused_.inputs[source.name] = {tap_of(tap)};
    }
    Operand operand = tap_of(tap);
    if (!source.axes.starts_with("*") && chain_.plan.tap(tap).axes != source.axes) operand.axes = source.axes;
    node.inputs[field] = {operand};
  }

  /// Adds the rows that the recipe drew, under the axes of the chain.
  void add_operand(const DrawnCase& drawn, const std::string& field, const FusedOperand& source) {
    const TapInfo& own = drawn.plan.tap("in/" + field);
    const std::string axes = spelled(source.axes, own.axes), tap = "in/" + source.name;
    const Shape shape = shape_of(axes, sizes_);
    const Tensor& values = drawn.taps.at("in/" + field).exact;
    chain_.plan.taps[tap] = {axes, shape, own.type, -1};
    chain_.taps[tap].exact = chain_.taps[tap].rounded = values.reshaped(shape, axes);
    const auto stored = drawn.stored.find(field);
    if (stored != drawn.stored.end()) chain_.stored[source.name] = stored->second;
  }

  void add_output(const DrawnCase& drawn, size_t part, const std::string& field, const FusedOperand& target,
                  Node& node) {
    const TapInfo& own = drawn.plan.tap(field);
    const std::string axes = spelled(target.axes, own.axes), link = link_of(part, field);
    const std::string tap = made_[link] = target.name.empty() ? link : target.name;
    chain_.plan.taps[tap] = {axes, shape_of(axes, sizes_), own.type, static_cast<int>(part)};
    node.outputs[field] = tap_of(tap);
    if (!target.name.empty()) fused_.outputs[target.name] = tap_of(tap);
  }

  const CaseSpec& spec_;
  const Definition& fusion_;
  const std::vector<FusedPart>& parts_;
  const Profile* profile_ = nullptr;
  std::vector<Letters> letters_;
  std::vector<std::optional<DrawnCase>> drawn_;
  AxisSizes sizes_;                          // key: letter of the chain
  std::map<std::string, std::string> made_;  // key: link; value: tap
  Node fused_;
  DrawnCase chain_;
};

}  // namespace

DrawnCase draw_chain(const CaseSpec& spec, const Definition& fusion, const std::vector<FusedPart>& parts) {
  return ChainMaker(spec, fusion, parts).take();
}

}  // namespace parity::cases
