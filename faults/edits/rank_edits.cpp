// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/edits/rank_edits.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "core/sharding/rank_names.hpp"
#include "core/text.hpp"
#include "faults/edits/shard_edits.hpp"
#include "faults/edits/token_edits.hpp"

namespace parity::faults {
namespace {

using EditKind = RankEdit::Kind;

std::string substituted(std::string text, const std::string& what, const std::string& with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

std::string with_ranks(std::string text, const RankTarget& target, bool in_a_name) {
  const auto number = [&](int rank) { return in_a_name ? fmt::format("{:02}", rank) : fmt::format("{}", rank); };
  text = substituted(text, "{rank}", number(target.rank));
  text = substituted(text, "{peer}", number(target.peer));
  text = substituted(text, "{across}", number(target.across));
  return substituted(text, "{third}", number(target.third));
}

/// The rank of a number in the text; -1 if it is none.
int rank_in(const std::string& text) {
  int rank = -1;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), rank);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() ? rank : -1;
}

std::vector<Operand>& operands(Node& node, const std::string& field) {
  PARITY_CHECK(node.inputs.contains(field), usage, "{} reads no '{}'", node.component, field);
  return node.inputs.at(field);
}

void take(const RankEdit& edit, const Plan& clean, Node& node) {
  const size_t blank = edit.value.find(' ');
  const std::string kind = edit.value.substr(0, std::min(blank, edit.value.size()));
  const bool group = kind == "group", tap = kind == "tap";  // from the same seat of another group; of the same rank
  const std::string word = group || tap ? edit.value.substr(blank + 1) : edit.value;
  const int from = tap ? -1 : rank_in(word);
  for (Operand& operand : operands(node, edit.what)) {
    if (operand.kind != Operand::Kind::tap || !selects(edit.of, operand, node)) continue;
    const int64_t own = rank_of_tap(operand.name), rank = tap ? own : group ? own + from - node.rank : from;
    const std::string name = without_rank(tap ? rewired_tap({edit.what, word}, node) : operand.name);
    const std::string other = rank_prefix(rank) + name;
    PARITY_CHECK(
        clean.taps.contains(other), usage,
        "it reads {} of {}, which this layout does not have; name other ranks (fault:ID@RANK-PEER-THIRD-ACROSS) "
        "or change --tp, --ep, --cp or --dp",
        name, group ? std::string("another group of ranks") : fmt::format("rank {}", rank));
    PARITY_CHECK(clean.tap(other).shape == clean.tap(operand.name).shape, usage,
                 "{} of shape {} cannot be replaced by {} of shape {}", operand.name,
                 to_string(clean.tap(operand.name).shape), other, to_string(clean.tap(other).shape));
    operand.name = other;
  }
}

void append(const RankEdit& edit, const Plan& clean, Node& node) {
  auto& list = operands(node, edit.what);
  std::string tap = rewired_tap({edit.what, edit.value}, node);
  if (clean.aliases.contains(tap)) tap = clean.aliases.at(tap);
  const TapInfo &own = clean.tap(list.front().name), &other = clean.tap(tap);
  PARITY_CHECK(own.shape == other.shape, usage, "{} of shape {} cannot be added to tensors such as {} of shape {}", tap,
               to_string(other.shape), list.front().name, to_string(own.shape));
  list.push_back({Operand::Kind::tap, tap, list.front().axes});
}

/// Adds the message from rank `of` to the node's rank, if the node takes part in an exchange with it.
void message(const RankEdit& edit, const Plan& clean, const Node& node, Edited& result) {
  const auto& ways = ways_to_arrive();
  const size_t blank = edit.value.find(' ');  // "other 5"
  FaultyMessage fault;
  fault.how = edit.value.substr(0, blank);
  PARITY_CHECK(std::find(ways.begin(), ways.end(), fault.how) != ways.end(), usage,
               "'{}' is not a way in which a message can be wrong{}", fault.how, did_you_mean(fault.how, ways));
  fault.from = rank_in(edit.of);
  fault.to = node.rank;
  if (blank != std::string::npos) fault.other = rank_in(edit.value.substr(blank + 1));
  if (fault.from == fault.to || fault.other == fault.to || (fault.other >= 0 && fault.other == fault.from)) return;
  const auto parts = node.inputs.find("parts");
  if (parts == node.inputs.end()) return;
  const bool sum = node.component == "all_reduce";
  std::map<int64_t, Shape> sent;  // by rank
  for (const Operand& part : parts->second) {
    const TapInfo& info = clean.tap(part.name);
    const std::string tag = sum ? parts->second.front().name : part.name;
    fault.type = clean.dtype_of(info.type);
    sent[rank_of_tap(part.name)] = info.shape;
    if (rank_of_tap(part.name) == fault.from) fault.tap = tag;
    if (rank_of_tap(part.name) == fault.other) fault.other_tap = tag;
  }
  PARITY_CHECK(fault.other_tap.empty() || sent[fault.from] == sent[fault.other], usage,
               "ranks {} and {} send parts of different shapes", fault.from, fault.other);
  if (fault.tap.empty() || (fault.other >= 0 && fault.other_tap.empty())) return;
  result.messages.push_back(fault);
}

}  // namespace

RankTarget rank_target_of(const std::string& text) {
  RankTarget target;
  int* const places[] = {&target.rank, &target.peer, &target.third, &target.across};
  size_t at = 0;
  for (int* place : places) {
    if (at >= text.size()) break;
    const size_t end = std::min(text.find('-', at), text.size());
    *place = rank_in(text.substr(at, end - at));
    PARITY_CHECK(*place >= 0, usage, "'{}' names no ranks; write RANK-OTHER, for example 3-2", text);
    at = end + 1;
  }
  return target;
}

std::string placed_word(const std::string& id, const RankTarget& target) {
  return fmt::format("{}@{}-{}-{}-{}", id, target.rank, target.peer, target.third, target.across);
}

Fault at_ranks(const Fault& fault, const RankTarget& target) {
  Fault placed = fault;
  for (std::string& glob : placed.at) glob = with_ranks(glob, target, true);
  for (Edit& edit : placed.edits) {
    if (auto* map = std::get_if<MapInput>(&edit)) map->of = with_ranks(map->of, target, false);
    if (auto* rewire = std::get_if<Rewire>(&edit)) rewire->tap = with_ranks(rewire->tap, target, true);
    if (auto* own = std::get_if<RankEdit>(&edit)) {
      own->of = with_ranks(own->of, target, false);
      own->value = with_ranks(own->value, target, own->kind == EditKind::append);
    }
  }
  return placed;
}

const std::vector<EditKind>& rank_edit_kinds() {
  static const std::vector<EditKind> kinds{EditKind::take,    EditKind::append, EditKind::shard, EditKind::load,
                                           EditKind::experts, EditKind::slot,   EditKind::order, EditKind::message};
  return kinds;
}

const char* kind_name(EditKind kind) {
  switch (kind) {
    case EditKind::take:
      return "take";
    case EditKind::append:
      return "append";
    case EditKind::shard:
      return "shard";
    case EditKind::load:
      return "load";
    case EditKind::experts:
      return "experts";
    case EditKind::slot:
      return "slot";
    case EditKind::order:
      return "order";
    case EditKind::message:
      return "message";
  }
  return "?";
}

bool edits_messages(const Fault& fault) {
  return std::all_of(fault.edits.begin(), fault.edits.end(), [](const Edit& edit) {
    const auto* own = std::get_if<RankEdit>(&edit);
    return own != nullptr && own->kind == EditKind::message;
  });
}

bool selects(const std::string& of, const Operand& operand, const Node& node) {
  if (of.empty()) return true;
  const int64_t rank = rank_of_tap(operand.name);
  if (of == "own") return rank == node.rank;
  if (of == "others") return rank >= 0 && rank != node.rank;
  return rank == rank_in(of);
}

void make_rank_edit(const RankEdit& edit, const Plan& clean, Node& node, Edited& result) {
  switch (edit.kind) {
    case EditKind::take:
      return take(edit, clean, node);
    case EditKind::append:
      return append(edit, clean, node);
    case EditKind::slot:
      return make_slot_edit(edit, clean, node);
    case EditKind::order:
      return make_order_edit(edit, node);
    case EditKind::message:
      return message(edit, clean, node, result);
    default:
      return make_shard_edit(edit, node, result.plan);
  }
}

}  // namespace parity::faults
