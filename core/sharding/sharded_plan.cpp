// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/sharding/sharded_plan.hpp"

#include <algorithm>

#include "core/sharding/node_shares.hpp"

namespace parity {
namespace {

constexpr char kUnnamed = 'Z';  // the letter of a range of channels across heads

/// Extents of the letters of `axes`, of which some change within a call: `shape` tells those that stand alone.
AxisSizes sizes_in(const AxisSizes& call, const std::string& axes, const Shape& shape) {
  AxisSizes sizes = call;
  const auto tokens = split_axes(axes);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string& token = tokens[i];
    if (token.size() == 1 && token != "N" && token != "1") sizes[token.front()] = shape[i];
    if (token.size() == 2 && token.front() <= '9') sizes[token.back()] = shape[i] / (token.front() - '0');
  }
  return sizes;
}

/// The axes of a rank's part: a divided token of several letters gets a letter of its own.
std::string local_axes(const std::string& axes, const Shares& shares) {
  auto tokens = split_axes(axes);
  for (std::string& token : tokens) {
    if (token.size() > 1 && find_share(shares, token) != nullptr) token = std::string(1, kUnnamed);
  }
  return fmt::format("{}", fmt::join(tokens, ","));
}

/// The axes under which `gather` reads and writes a tap so that `unit` is its third axis, or `gather_ids` its first.
std::string gather_axes(const std::string& axes, const Unit& unit, bool ids) {
  const auto tokens = split_axes(axes);
  const auto at = static_cast<size_t>(find_unit(axes, unit));
  std::string before, after;
  for (size_t i = 0; i < at; ++i) before += tokens[i] == "N" ? "BS" : tokens[i];
  for (size_t i = at + 1; i < tokens.size(); ++i) after += tokens[i] == "1" ? "" : tokens[i];
  const auto or_one = [](const std::string& token) { return token.empty() ? "1" : token; };
  if (ids) {
    PARITY_CHECK(at == 0, unsupported, "ids with axes {} cannot be divided along {}", axes, unit);
    return fmt::format("{},{}", tokens[at], or_one(after));
  }
  return fmt::format("{},1,{},{}", or_one(before == "BS" ? "N" : before), tokens[at], or_one(after));
}

class Sharder {
 public:
  Sharder(const Plan& single, const Layout& layout, const ShardRules* rules, const Registry& components)
      : single_(single), layout_(layout), rules_(rules), components_(components) {}

  Plan run() {
    plan_ = single_;
    plan_.nodes.clear();
    plan_.taps.clear();
    plan_.weights.clear();
    plan_.aliases.clear();
    plan_.histories.clear();
    add_inputs();
    for (const Node& node : single_.nodes) add(node);
    for (int64_t rank = 0; rank < layout_.ranks(); ++rank) add_names(rank);
    return std::move(plan_);
  }

 private:
  using Ranges = std::map<Unit, Range>;

  [[nodiscard]] Shares held(const std::string& tap) const {
    const auto found = shares_.find(tap);
    return found == shares_.end() ? Shares() : found->second;
  }
  [[nodiscard]] std::string local(const std::string& tap, int64_t rank) const {
    const auto info = single_.taps.find(tap);
    const bool shared = info != single_.taps.end() && info->second.producer < 0 && held(tap).empty();
    return shared ? tap : rank_prefix(rank) + tap;
  }
  [[nodiscard]] Ranges ranges(const Shares& shares, int64_t rank) const {
    Ranges result;
    for (const Share& share : shares) result[share.unit] = share.range(layout_, rank);
    return result;
  }

  /// Ranks that compute the same as `rank` except for the dimension of the share.
  [[nodiscard]] std::vector<int64_t> peers(int64_t rank, bool sequences) const {
    std::vector<int64_t> result;
    const int64_t group = layout_.group();
    for (int64_t i = 0; i < (sequences ? layout_.dp : group); ++i)
      result.push_back(sequences ? i * group + rank % group : rank / group * group + i);
    return result;
  }

  void add_inputs() {
    for (const auto& [tap, info] : single_.taps) {
      if (info.producer >= 0) continue;
      plan_.taps[tap] = info;
      if (layout_.dp == 1 || find_unit(info.axes, "B") < 0) continue;
      shares_[tap] = {{"B", Share::By::sequences, info.shape.front()}};
      for (int64_t rank = 0; rank < layout_.ranks(); ++rank) add_tap(tap, tap, held(tap), {}, rank, -1);
    }
  }

  /// Declares a rank's part of the single plan's tap `whole`, under the name of `tap`.
  void add_tap(const std::string& tap, const std::string& whole, const Shares& shares, const AxisSizes& call,
               int64_t rank, int producer) {
    const TapInfo& info = single_.tap(whole);
    const Ranges own = ranges(shares, rank);
    const AxisSizes sizes = sizes_in(call, info.axes, info.shape);
    TapInfo part = info;
    part.producer = producer;
    part.part = Part{whole, info.axes, info.shape, box_of(info.axes, sizes, own)};
    part.axes = local_axes(info.axes, shares);
    part.shape = shape_of(part.axes, local_sizes(sizes, own));
    plan_.taps[rank_prefix(rank) + tap] = part;
  }

  [[nodiscard]] static AxisSizes local_sizes(AxisSizes sizes, const Ranges& ranges) {
    for (const auto& [unit, range] : ranges) sizes[unit.size() == 1 ? unit.front() : kUnnamed] = range.count;
    return sizes;
  }

  void add(const Node& node) {
    PARITY_CHECK(node.component != "dequantise", unsupported, "a quantised checkpoint cannot be divided among ranks");
    NodeShares shares = divide(single_, node, components_.component(node.component), rules_,
                               [&](const std::string& tap) { return held(tap); });
    const bool experts = layout_.ep > 1 && has_bank(node);
    if (experts) drop_weight_shares(shares);
    Node whole = node;
    for (const Share& share : shares.mixed) gather_operands(whole, share);
    for (const Share& share : shares.divided()) cut_operands(whole, share);
    if (experts) localise_experts(whole, shares.parallel);
    const bool partial = experts || !shares.summed.empty();
    for (int64_t rank = 0; rank < layout_.ranks(); ++rank) add_part(whole, shares, rank, partial, experts);
    for (const auto& [field, output] : node.outputs) {
      if (partial && required(node, field)) reduce(node, output.name, within(shares.parallel, single_.tap(output.name).axes));
      if (shares.gathered) regather(node, output.name, shares);
    }
  }

  /// The shares along units that the axes have.
  [[nodiscard]] static Shares within(Shares shares, const std::string& axes) {
    std::erase_if(shares, [&](const Share& share) { return find_unit(axes, share.unit) < 0; });
    return shares;
  }

  [[nodiscard]] static bool has_bank(const Node& node) {
    return std::any_of(node.inputs.begin(), node.inputs.end(), [](const auto& field) {
      return field.second.front().kind == Operand::Kind::bank;
    });
  }
  /// Experts are divided as wholes, so their weights are not.
  static void drop_weight_shares(NodeShares& shares) {
    for (Shares* list : {&shares.parallel, &shares.summed, &shares.mixed})
      std::erase_if(*list, [](const Share& share) { return share.unit == "F"; });
  }
  [[nodiscard]] bool required(const Node& node, const std::string& field) const {
    const Definition& definition = components_.component(node.component);
    return !definition.outputs[static_cast<size_t>(definition.output_index(field))].optional;
  }

  /// Replaces operands that are divided along a unit, of which the node needs the whole, by gathered ones.
  void gather_operands(Node& node, const Share& share) {
    for (auto& [field, list] : node.inputs) {
      for (Operand& operand : list) {
        PARITY_CHECK(operand.kind == Operand::Kind::tap, unsupported,
                     "{}: the weights of {} cannot be divided along {}", node.prefix, node.component, share.unit);
        if (find_share(held(operand.name), share.unit) == nullptr) continue;
        const std::string whole = operand.name + "_gathered";
        if (!shares_.contains(whole)) gather(node, operand.name, whole, operand.name, share);
        if (operand.axes.empty()) operand.axes = single_.tap(origin(operand.name)).axes;
        operand.name = whole;
      }
    }
  }

  /// Replaces undivided operands, of which the node needs a part, by parts.
  void cut_operands(Node& node, const Share& share) {
    for (auto& [field, list] : node.inputs) {
      for (Operand& operand : list) {
        if (operand.kind != Operand::Kind::tap || find_share(held(operand.name), share.unit) != nullptr) continue;
        if (find_unit(axes_in(operand), share.unit) < 0) continue;
        const std::string part = fmt::format("{}_share_{}", operand.name, share.unit);
        if (!shares_.contains(part)) cut(node, operand.name, part, share);
        if (operand.axes.empty()) operand.axes = single_.tap(origin(operand.name)).axes;
        operand.name = part;
      }
    }
  }
  [[nodiscard]] std::string axes_in(const Operand& operand) const {
    return operand.axes.empty() ? single_.tap(origin(operand.name)).axes : operand.axes;
  }
  /// The tap of the single plan from which a gathered or cut tap was made.
  [[nodiscard]] std::string origin(const std::string& tap) const {
    const auto found = origins_.find(tap);
    return found == origins_.end() ? tap : found->second;
  }

  void add_part(const Node& whole, const NodeShares& shares, int64_t rank, bool partial, bool experts) {
    const Shares divided = shares.divided();
    const Ranges own = ranges(divided, rank);
    const AxisSizes call = single_.sizes_of(whole);
    Node node = whole;
    node.prefix = rank_prefix(rank) + whole.prefix;
    node.rank = static_cast<int>(rank);
    node.sizes = local_sizes(whole.sizes, own);
    const int index = static_cast<int>(plan_.nodes.size());
    for (auto& [field, list] : node.inputs) {
      for (Operand& operand : list) localise(operand, divided, call, rank);
    }
    if (experts) take_experts(node, own_experts(whole, rank));
    if (partial && rank % layout_.group() != 0) node.inputs.erase("bias");  // added once
    for (auto& [field, output] : node.outputs) {
      const std::string tap = output.name;
      const bool summed = partial && required(whole, field);
      const std::string name = summed ? tap + "_partial" : shares.gathered ? tap + "_part" : tap;
      const Shares own_shares = within(shares.parallel, single_.tap(tap).axes);
      add_tap(name, tap, own_shares, call, rank, index);
      plan_.taps.at(rank_prefix(rank) + name).part->partial = partial;
      if (!summed) shares_[name] = own_shares;
      output = {Operand::Kind::tap, rank_prefix(rank) + name, local_axes(output.axes, divided)};
    }
    plan_.nodes.push_back(std::move(node));
  }

  /// Replaces the ids of experts by those of each rank, and banks by the rank's experts.
  void localise_experts(Node& node, const Shares& shares) {
    Operand& indices = node.inputs.at("indices").front();
    const std::string local = indices.name + "_local", base = indices.name;
    for (int64_t rank = 0; rank < layout_.ranks() && !shares_.contains(local); ++rank) {
      const Range own = own_experts(node, rank);
      Node ids = collective(node, "local_experts", local, rank);
      ids.sizes = local_sizes(node.sizes, ranges(shares, rank));
      ids.params = {{"first", own.first}, {"count", own.count}};
      ids.inputs["indices"] = {{Operand::Kind::tap, rank_prefix(rank) + base, indices.axes}};
      ids.outputs["out"] = {Operand::Kind::tap, rank_prefix(rank) + local, ""};
      add_tap(local, origin(base), shares, single_.sizes_of(node), rank, static_cast<int>(plan_.nodes.size()));
      TapInfo& info = plan_.taps.at(rank_prefix(rank) + local);
      info.part.reset();
      info.type = TapType::count;
      plan_.nodes.push_back(std::move(ids));
    }
    shares_[local] = shares;
    origins_[local] = origin(base);
    indices.name = local;
  }

  [[nodiscard]] Range own_experts(const Node& node, int64_t rank) const {
    int64_t count = 0;
    for (const auto& [field, list] : node.inputs) {
      if (list.front().kind == Operand::Kind::bank) count = single_.weights.at(list.front().name).members;
    }
    PARITY_CHECK(count % layout_.ep == 0, unsupported, "{} experts cannot be divided evenly among {} ranks", count,
                 layout_.ep);
    return {count / layout_.ep * (rank % layout_.ep), count / layout_.ep};
  }

  /// The rank's own operand in place of the whole one.
  void localise(Operand& operand, const Shares& divided, const AxisSizes& call, int64_t rank) {
    const std::string axes = operand.axes;
    operand.axes = local_axes(axes, divided);
    if (operand.kind == Operand::Kind::tap) {
      operand.name = local(operand.name, rank);
      return;
    }
    const WeightInfo& whole = single_.weights.at(operand.name);
    const AxisSizes sizes = sizes_in(call, axes, whole.shape);
    const Ranges own = ranges(divided, rank);
    const Box box = box_of(axes, sizes, own);
    if (!box.whole()) operand.name = rank_prefix(rank) + operand.name;
    WeightInfo& info = plan_.weights[operand.name];
    info = whole;
    if (box.whole()) return;
    info.part = box;
    info.whole = whole.shape;
    info.shape = shape_of(operand.axes, local_sizes(sizes, own));
  }

  /// Leaves the rank its own members of the banks.
  void take_experts(Node& node, const Range& own) {
    for (auto& [field, list] : node.inputs) {
      Operand& operand = list.front();
      if (operand.kind != Operand::Kind::bank) continue;
      WeightInfo info = plan_.weights.at(operand.name);
      plan_.weights.erase(operand.name);
      if (!operand.name.starts_with("ranks/")) operand.name = rank_prefix(node.rank) + operand.name;
      info.first_member = own.first;
      info.members = own.count;
      plan_.weights[operand.name] = info;
    }
  }

  [[nodiscard]] Node collective(const Node& of, const std::string& component, const std::string& tap,
                                int64_t rank) const {
    Node node;
    node.component = component;
    node.prefix = rank_prefix(rank) + tap;
    node.step = of.step;
    node.layer = of.layer;
    node.sizes = of.sizes;
    node.rank = static_cast<int>(rank);
    return node;
  }

  /// Adds the partial sums of a tap over the ranks of each group.
  void reduce(const Node& of, const std::string& tap, const Shares& shares) {
    const bool single = single_.tap(tap).type == TapType::single;
    for (int64_t rank = 0; rank < layout_.ranks(); ++rank) {
      Node node = collective(of, "all_reduce", tap, rank);
      node.sizes = local_sizes(of.sizes, ranges(shares, rank));
      if (single) node.rounding["all_reduce.sum"] = Precision::single;
      for (const int64_t peer : peers(rank, false))
        node.inputs["parts"].push_back({Operand::Kind::tap, rank_prefix(peer) + tap + "_partial", ""});
      node.outputs["out"] = {Operand::Kind::tap, rank_prefix(rank) + tap, ""};
      add_tap(tap, tap, shares, single_.sizes_of(of), rank, static_cast<int>(plan_.nodes.size()));
      plan_.nodes.push_back(std::move(node));
    }
    shares_[tap] = shares;
  }

  /// Gathers `part` along a share from all ranks that divide it, as `whole`; both are parts of `tap`.
  void gather(const Node& of, const std::string& part, const std::string& whole, const std::string& tap,
              const Share& share) {
    Shares rest = held(part);
    std::erase_if(rest, [&](const Share& other) { return other.unit == share.unit; });
    const std::string base = origin(tap);
    const std::string axes = gather_axes(single_.tap(base).axes, share.unit, is_ids(base));
    for (int64_t rank = 0; rank < layout_.ranks(); ++rank) {
      Node node = collective(of, gather_component(base), whole, rank);
      node.sizes = local_sizes(of.sizes, ranges(rest, rank));
      for (const int64_t peer : peers(rank, share.by == Share::By::sequences))
        node.inputs["parts"].push_back({Operand::Kind::tap, rank_prefix(peer) + part, local_axes(axes, {share})});
      node.outputs["out"] = {Operand::Kind::tap, rank_prefix(rank) + whole, axes};
      add_tap(whole, base, rest, single_.sizes_of(of), rank, static_cast<int>(plan_.nodes.size()));
      plan_.nodes.push_back(std::move(node));
    }
    shares_[whole] = rest;
    if (whole != base) origins_[whole] = base;
  }

  void regather(const Node& of, const std::string& tap, const NodeShares& shares) {
    for (const Share& share : shares.parallel) {
      if (share.by != Share::By::sequences) gather(of, tap + "_part", tap, tap, share);
    }
  }

  /// Cuts each rank's part out of a tap that all ranks hold.
  void cut(const Node& of, const std::string& tap, const std::string& part, const Share& share) {
    const std::string base = origin(tap);
    const std::string axes = gather_axes(single_.tap(base).axes, share.unit, is_ids(base));
    Shares shares = held(tap);
    shares.push_back(share);
    for (int64_t rank = 0; rank < layout_.ranks(); ++rank) {
      Node node = collective(of, gather_component(base), part, rank);
      const Ranges own = ranges(shares, rank);
      node.sizes = local_sizes(of.sizes, own);
      node.params["first_slot"] = own.at(share.unit).first;
      node.inputs["parts"] = {{Operand::Kind::tap, local(tap, rank), axes}};
      node.outputs["out"] = {Operand::Kind::tap, rank_prefix(rank) + part, local_axes(axes, {share})};
      add_tap(part, base, shares, single_.sizes_of(of), rank, static_cast<int>(plan_.nodes.size()));
      plan_.nodes.push_back(std::move(node));
    }
    shares_[part] = shares;
    origins_[part] = base;
  }
  [[nodiscard]] std::string gather_component(const std::string& tap) const {
    return is_ids(tap) ? "gather_ids" : "gather";
  }
  [[nodiscard]] bool is_ids(const std::string& tap) const { return is_integer(single_.tap(tap).type); }

  /// Aliases and caches of one rank.
  void add_names(int64_t rank) {
    for (const auto& [alias, tap] : single_.aliases) plan_.aliases[rank_prefix(rank) + alias] = rank_prefix(rank) + tap;
    for (const auto& [cache, parts] : single_.histories) {
      auto& own = plan_.histories[rank_prefix(rank) + cache];
      own = parts;
      for (HistoryPart& part : own) part.tap = rank_prefix(rank) + part.tap;
    }
  }

  const Plan& single_;
  const Layout& layout_;
  const ShardRules* rules_;
  const Registry& components_;
  Plan plan_;
  std::map<std::string, Shares> shares_;         // by tap of the single plan, or of one made from it
  std::map<std::string, std::string> origins_;  // tap of the single plan from which a tap was made
};

void require(const Plan& single, const Layout& layout) {
  PARITY_CHECK(layout.tp >= 1 && layout.ep >= 1 && layout.dp >= 1, usage, "a layout of {} by {} by {} ranks", layout.tp,
               layout.ep, layout.dp);
  PARITY_CHECK(layout.tp == 1 || layout.ep == 1 || layout.tp == layout.ep, unsupported,
               "{}: the ranks that divide the experts are those that divide the attention, so tp and ep must be equal",
               layout.text());
  const bool banks = std::any_of(single.weights.begin(), single.weights.end(),
                                 [](const auto& weight) { return weight.second.members > 0; });
  PARITY_CHECK(layout.ep == 1 || banks, unsupported, "{}: the model has no experts", layout.text());
}

}  // namespace

Plan sharded_plan(const Plan& single, const Layout& layout, const Registry& components) {
  if (layout.single()) return single;
  require(single, layout);
  const std::string package = layout.rules.empty() ? single.profile.substr(0, single.profile.find('-')) : layout.rules;
  const ShardRules* rules = layout.tp > 1 || layout.ep > 1 ? &find_rules(single.system, package) : nullptr;
  return Sharder(single, layout, layout.tp > 1 ? rules : nullptr, components).run();
}

}  // namespace parity
