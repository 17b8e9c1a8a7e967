// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The sentence that names a wrong rank, sum or link.
#include <algorithm>

#include "compare/judging/verdict.hpp"
#include "compare/ranks/rank_checks.hpp"
#include "core/sharding/rank_names.hpp"

namespace parity::compare {
namespace {

/// What a rank does with the parts.
std::string verb_of(const Node& node, bool one) {
  if (adds_parts(node)) return one ? "adds" : "add";
  const char* done = node.component.starts_with("gather") ? "gathered" : "received";
  return fmt::format("{} {}", one ? "has" : "have", done);
}

const char* is_or_are(const std::vector<int64_t>& ranks) { return ranks.size() == 1 ? "is" : "are"; }

/// "all 8 terms were right when sent", or what is known of them.
std::string about_sent(const Node& node, Mode mode, const std::vector<Record>& records) {
  const auto& parts = node.inputs.at("parts");
  size_t right = 0, judged = 0;
  for (const Operand& part : parts) {
    for (const Record& record : records) {
      if (record.tap != part.name || record.mode != mode || record.status == Status::skipped) continue;
      ++judged;
      right += is_wrong(record) ? 0 : 1;
    }
  }
  const std::string name = fmt::format("{} {}", parts.size(), adds_parts(node) ? "terms" : "parts");
  if (judged < parts.size()) return fmt::format("not all of the {} were judged", name);
  if (right == parts.size()) return fmt::format("all {} were right when sent", name);
  return fmt::format("{} of the {} were right when sent", right, name);
}

/// What was received in words, for one rank or several.
std::string what_is_held(std::string how, bool one) {
  const auto say = [&](const std::string& phrase, const std::string& other) {
    if (const size_t at = how.find(phrase); at != std::string::npos) how.replace(at, phrase.size(), other);
  };
  say("its values", "the right values");
  if (!one) say("its own term", "their own terms");
  return how;
}

std::string plain_text(const RankFinding& finding) {
  std::string text = fmt::format("{} {} wrong", ranks_text(finding.wrong), is_or_are(finding.wrong));
  if (!finding.right.empty()) text += fmt::format(", {} {} right", ranks_text(finding.right), is_or_are(finding.right));
  return text;
}

}  // namespace

std::string RankChecks::link_text(const Record& first, const RankFinding& finding,
                                  const std::vector<Record>& records) const {
  const Plan& plan = evaluator_.plan();
  const Node& node = plan.nodes[static_cast<size_t>(plan.tap(first.tap).producer)];
  const LinkFinding& link = links_.at({first.mode, first.tap});
  const bool one = finding.wrong.size() == 1;
  const std::string sent = about_sent(node, first.mode, records);
  const std::string where = ranks_text(finding.wrong);
  if (finding.sender < 0 && one && !link.suspects.empty()) {
    std::vector<int64_t> senders;
    for (const Suspect& suspect : link.suspects) senders.push_back(suspect.sender);
    return fmt::format("{} adds a term that differs from what one of {} sent; {}", where, ranks_text(senders), sent);
  }
  if (finding.sender < 0) {
    const std::string which =
        fmt::format("the {}{} of {}", adds_parts(node) ? "sum" : "gathered tap", one ? "" : "s", where);
    if (link.how.empty()) return fmt::format("{} {} wrong; {}", which, one ? "is" : "are", sent);
    return fmt::format("{} {} {}; {}", which, one ? "contains" : "contain", what_is_held(link.how, one), sent);
  }
  const bool own = one && finding.sender == finding.wrong.front();
  const std::string part = own ? "its own part" : fmt::format("the part of rank {}", finding.sender);
  std::string text = fmt::format("{} {} {} {}; {}", where, verb_of(node, one), part,
                                 link.how.empty() ? "with other values" : "as " + link.how, sent);
  if (one && !own) text += fmt::format(": link {} -> {}", finding.sender, finding.wrong.front());
  return text;
}

std::optional<RankFinding> RankChecks::finding(const GoldenReport& report) const {
  if (!report.first_divergence || rank_of_tap(report.first_divergence->tap) < 0) return std::nullopt;
  const auto first = std::find_if(report.records.begin(), report.records.end(), [&](const Record& record) {
    return record.tap == report.first_divergence->tap && is_wrong(record);
  });
  if (first == report.records.end()) return std::nullopt;
  RankFinding finding;
  finding.tap = first->tap;
  for (const Record& record : report.records) {
    const bool same = record.mode == first->mode && rank_of_tap(record.tap) >= 0 &&
                      without_rank(record.tap) == without_rank(first->tap) && record.status != Status::skipped;
    if (same) (is_wrong(record) ? finding.wrong : finding.right).push_back(rank_of_tap(record.tap));
  }
  std::sort(finding.wrong.begin(), finding.wrong.end());
  std::sort(finding.right.begin(), finding.right.end());
  const auto link = links_.find({first->mode, first->tap});
  const auto odd = disagreements_.find({first->mode, first->tap});
  if (link != links_.end()) {
    finding.sender = link->second.sender;
    for (const int64_t rank : finding.wrong) {  // one message that all receive wrong is the sender's
      const auto other = links_.find({first->mode, rank_prefix(rank) + without_rank(first->tap)});
      if (other != links_.end() && other->second.sender != finding.sender) finding.sender = -1;
    }
  }
  const bool said = link != links_.end() && (link->second.beyond || odd == disagreements_.end());
  if (said) {
    finding.text = link_text(*first, finding, report.records);
  } else if (odd != disagreements_.end() && !odd->second.agreeing.empty()) {
    finding.text = fmt::format("{} {} from {}{}", ranks_text(odd->second.odd),
                               odd->second.odd.size() == 1 ? "differs" : "differ", ranks_text(odd->second.agreeing),
                               odd->second.agreeing.size() > 1 ? ", which agree bit by bit" : "");
  } else {
    finding.text = plain_text(finding);
  }
  return finding;
}

void RankChecks::name_rank(GoldenReport& report) const {
  report.ranks = finding(report);
  if (!report.ranks || report.first_divergence->explanation.empty()) return;
  const bool arrived_wrong = std::any_of(links_.begin(), links_.end(), [&](const auto& link) {
    return link.first.first != Mode::isolated && link.first.second == report.ranks->tap && link.second.beyond;
  });
  if (arrived_wrong)  // isolated nodes exchange nothing
    report.first_divergence->explanation =
        "a message between ranks: the sent values are right, the received values are wrong";
}

}  // namespace parity::compare
