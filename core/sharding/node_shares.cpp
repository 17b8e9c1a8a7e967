// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/sharding/node_shares.hpp"

#include <algorithm>

namespace parity {
namespace {

enum class Role : uint8_t { none, parallel, summed, mixed };

/// The token of a field's axes that stands for token `index` of `count` plan tokens: '*' stands for several.
std::string component_token(const std::string& field_axes, size_t index, size_t count) {
  const auto tokens = split_axes(field_axes);
  const auto star = static_cast<size_t>(std::find(tokens.begin(), tokens.end(), "*") - tokens.begin());
  if (star == tokens.size() || index < star) return tokens.at(index);
  const size_t several = count + 1 - tokens.size();
  return index < star + several ? "*" : tokens.at(index + 1 - several);
}

/// Which role the unit has in a field, as the component declares it.
Role role_in(const Traits& traits, const std::string& field_axes, const std::string& axes, const Unit& unit) {
  const int index = find_unit(axes, unit);
  if (index < 0) return Role::none;
  const std::string token = component_token(field_axes, static_cast<size_t>(index), split_axes(axes).size());
  const auto declared = [&](const char* letters) {
    const std::string_view all(letters);
    const bool own = all.find(token.back()) != std::string_view::npos;
    return own || (token == "*" && unit.size() == 1 && all.find(unit.front()) != std::string_view::npos);
  };
  if (declared(traits.parallel) || declared(traits.heads)) return Role::parallel;
  return declared(traits.summed) ? Role::summed : Role::mixed;
}

void add(Shares& shares, const Share& share) {
  if (find_share(shares, share.unit) == nullptr) shares.push_back(share);
}

/// All divisions of the node's operands.
Shares operand_shares(const Plan& plan, const Node& node, const RuleOf& rule_for,
                      const std::function<Shares(const std::string&)>& held, bool& gathered) {
  Shares shares;
  for (const auto& [field, list] : node.inputs) {
    for (const Operand& operand : list) {
      if (operand.kind == Operand::Kind::tap) {
        for (const Share& share : held(operand.name)) add(shares, share);
      } else if (const ShardRule* rule = rule_for(operand)) {
        add(shares, share_of(plan, node, operand, *rule));
        gathered = gathered || rule->gathered;
      }
    }
  }
  return shares;
}

/// The heads of other operands that belong to divided heads.
void add_partners(const Plan& plan, const Node& node, const Traits& traits, Shares& shares) {
  const std::string heads = traits.heads;
  const bool divided = std::any_of(shares.begin(), shares.end(), [&](const Share& share) {
    return share.by == Share::By::heads && heads.find(share.unit) != std::string::npos;
  });
  if (!divided) return;
  const AxisSizes sizes = plan.sizes_of(node);
  for (const auto& [field, list] : node.inputs) {
    for (const char letter : heads) {
      const Unit unit(1, letter);
      if (find_unit(axes_of(plan, list.front()), unit) >= 0) add(shares, {unit, Share::By::heads, sizes.at(letter)});
    }
  }
}

/// Whether an output has the unit, or the query heads to which divided key heads belong.
bool holds(const std::string& axes, const Traits& traits, const Unit& unit) {
  const std::string heads = traits.heads;
  if (heads.find(unit) == std::string::npos) return find_unit(axes, unit) >= 0;
  return std::any_of(heads.begin(), heads.end(), [&](char head) { return find_unit(axes, {head}) >= 0; });
}

/// The role of a unit in a node, from the operands that are divided along it and can be: others are needed whole.
Role role_of(const Plan& plan, const Node& node, const Definition& definition, const Unit& unit) {
  Role role = Role::none;
  for (const FieldInfo& field : definition.inputs) {
    const auto list = node.inputs.find(field.name);
    if (list == node.inputs.end()) continue;
    const Role own = role_in(definition.traits, field.axes, axes_of(plan, list->second.front()), unit);
    if (own == Role::none || own == Role::mixed || own == role) continue;
    role = role == Role::none ? own : Role::mixed;
  }
  for (const FieldInfo& field : definition.outputs) {
    const auto output = node.outputs.find(field.name);
    if (output == node.outputs.end() || field.optional) continue;
    const bool present = holds(axes_of(plan, output->second), definition.traits, unit);
    if (present != (role == Role::parallel)) return Role::mixed;
  }
  return role;
}

/// Whether a field's operands can be divided along the unit.
bool divisible(const Plan& plan, const Definition& definition, const std::string& field, const Operand& operand,
               const Unit& unit) {
  const FieldInfo& info = definition.inputs[static_cast<size_t>(definition.input_index(field))];
  const Role role = role_in(definition.traits, info.axes, axes_of(plan, operand), unit);
  return role == Role::parallel || role == Role::summed;
}

}  // namespace

Ranges Share::ranges(const Layout& layout, int64_t rank) const {
  const int64_t group = layout.group();
  if (by == By::heads) return {heads_of(extent, rank % group, group, "axis " + unit)};
  if (by == By::chunks) return {chunk_of(extent, rank % group, group)};
  if (by == By::tokens) {
    const Ranges own = zigzag_of(extent, rank / group % layout.cp, layout.cp);
    return run < 0 ? own : Ranges{own.at(static_cast<size_t>(run))};
  }
  PARITY_CHECK(extent % layout.dp == 0, unsupported, "{} sequences cannot be divided among {} data-parallel groups",
               extent, layout.dp);
  return {chunk_of(extent, rank / (group * layout.cp), layout.dp)};
}

const Share* find_share(const Shares& shares, const Unit& unit) {
  const auto found = std::find_if(shares.begin(), shares.end(), [&](const Share& s) { return s.unit == unit; });
  return found == shares.end() ? nullptr : &*found;
}

Shares one_run(Shares shares, const Share& share, size_t run) {
  std::erase_if(shares, [&](const Share& other) { return other.unit == share.unit; });
  shares.push_back(share);
  shares.back().run = static_cast<int>(run);
  return shares;
}

std::string run_name(const std::string& tap, size_t run) { return fmt::format("{}_run_{}", tap, run); }

bool numbers_queries(const Definition& definition, const Node& node) {
  return definition.defaults.contains("query_slot") && !node.inputs.contains("positions");
}

ParamMap sliced_params(const Definition& definition, ParamMap params, const AxisSizes& call, const Unit& unit,
                       int64_t first) {
  if (unit == "S" && definition.defaults.contains("query_slot")) {
    params.insert({"query_slot", definition.defaults.at("query_slot")});
    int64_t& slot = std::get<int64_t>(params.at("query_slot"));
    if (slot < 0) slot = call.at('K') - call.at('S');
    slot += first;
  }
  if (unit == "V" && definition.defaults.contains("first_word")) {
    params["first_word"] = first;
    params["vocabulary"] = call.at('V');
  }
  return params;
}

Shares NodeShares::divided() const {
  Shares all = parallel;
  all.insert(all.end(), summed.begin(), summed.end());
  return all;
}

std::string axes_of(const Plan& plan, const Operand& operand) {
  return operand.axes.empty() && operand.kind == Operand::Kind::tap ? plan.tap(operand.name).axes : operand.axes;
}

Share share_of(const Plan& plan, const Node& node, const Operand& weight, const ShardRule& rule) {
  const auto tokens = split_axes(weight.axes);
  const bool second = rule.cut == Cut::columns || rule.cut == Cut::inputs;
  const std::string token = tokens.at(second ? 1 : 0);
  const bool letter = rule.cut == Cut::heads || rule.cut == Cut::inputs;
  const Unit unit = letter ? token.substr(0, 1) : rule.cut == Cut::halves ? token.substr(1) : token;
  const int64_t extent = plan.weights.at(weight.name).shape.at(second ? 1 : 0);
  if (letter) return {unit, Share::By::heads, plan.sizes_of(node).at(unit.front())};
  return {unit, Share::By::chunks, rule.cut == Cut::halves ? extent / 2 : extent};
}

NodeShares divide(const Plan& plan, const Node& node, const Definition& definition, const RuleOf& rule_for,
                  const std::function<Shares(const std::string& tap)>& held) {
  NodeShares result;
  Shares shares = operand_shares(plan, node, rule_for, held, result.gathered);
  add_partners(plan, node, definition.traits, shares);
  for (const Share& share : shares) {
    const Role role = role_of(plan, node, definition, share.unit);
    const bool divided = role == Role::parallel || role == Role::summed;
    if (divided) (role == Role::parallel ? result.parallel : result.summed).push_back(share);
    for (const auto& [field, list] : node.inputs) {
      if (!divided || !divisible(plan, definition, field, list.front(), share.unit))
        result.whole[field].push_back(share);
    }
  }
  return result;
}

}  // namespace parity
