// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/ranks/link_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "compare/ranks/arrivals.hpp"
#include "core/sharding/rank_names.hpp"
#include "core/sharding/sent_rows.hpp"

namespace parity::compare {
namespace {

class Search {
 public:
  Search(const Exchange& exchange, const replay::Evaluator& evaluator, const replay::TapSource& values)
      : exchange_(exchange), evaluator_(evaluator), values_(values), right_(right_of(exchange, evaluator)) {
    for (int64_t i = 0; i < exchange.got.view().count(); ++i) {
      if (!fits(i, right_.value[static_cast<size_t>(i)])) wrong_.push_back(i);
    }
  }

  LinkFinding run() {
    if (wrong_.empty()) return {};
    LinkFinding found = exchange_.sum ? of_sum() : of_gathered();
    if (found.how.empty() && found.sender < 0 && found.suspects.empty()) found = of_all();
    found.beyond = true;
    return found;
  }

 private:
  [[nodiscard]] double got(int64_t i) const { return exchange_.got.view().value(i); }
  [[nodiscard]] double slack(int64_t i) const {
    if (!exchange_.sum) return 0.0;
    return 2.0 * right_.tolerance[static_cast<size_t>(i)] + unit_roundoff(exchange_.got.dtype()) * std::abs(got(i));
  }
  [[nodiscard]] bool fits(int64_t i, double value) const {
    if (std::isnan(value) || std::isnan(got(i))) return std::isnan(value) && std::isnan(got(i));
    return value == got(i) || std::abs(value - got(i)) <= right_.tolerance[static_cast<size_t>(i)];
  }

  /// What may have been sent in place of a part: those of other ranks, and what this rank sends elsewhere.
  [[nodiscard]] Instead instead_of(size_t sender) const {
    Instead result;
    const std::string own = exchange_.sent[sender], name = without_rank(own);
    std::set<std::string> seen{own};
    for (const Node& node : values_.plan().nodes) {
      if (!is_exchange(node)) continue;
      for (const Operand& part : node.inputs.at("parts")) {
        const bool other_rank = rank_of_tap(part.name) != exchange_.senders[sender];
        if (other_rank && without_rank(part.name) != name) continue;
        const bool as_long =
            element_count(values_.plan().tap(part.name).shape) == exchange_.parts[sender].view().count();
        if (!as_long || !values_.has(part.name)) continue;
        if (!seen.insert(part.name).second) continue;
        const std::string what = other_rank ? fmt::format("the part of rank {}", rank_of_tap(part.name))
                                            : "the part at " + without_rank(part.name);
        result.emplace_back(what, values_.read(part.name));
      }
    }
    return result;
  }

  struct Fit {
    size_t sender;
    Arrival arrival;
  };

  /// Leaves the fits that explain the most with the fewest errors that are not there.
  static void leave_likeliest(std::vector<Fit>& fits) {
    const auto likelier = [](const Fit& a, const Fit& b) {
      return std::pair(-a.arrival.explains, a.arrival.absent) < std::pair(-b.arrival.explains, b.arrival.absent);
    };
    const auto best = std::min_element(fits.begin(), fits.end(), likelier);
    if (best == fits.end()) return;
    const Fit first = *best;
    std::erase_if(fits, [&](const Fit& fit) { return likelier(first, fit); });
  }

  /// How much each element of a term may change before the sum shows it: any change of what this rank is not sent.
  [[nodiscard]] std::vector<double> hidden_in(size_t sender) const {
    const TensorView& part = exchange_.parts[sender].view();
    std::vector<double> hides(static_cast<size_t>(part.count()), std::numeric_limits<double>::infinity());
    const std::vector<bool> sent = sent_rows(sender);
    for (size_t i = 0; i < right_.tolerance.size(); ++i) {
      const int64_t term = term_of(exchange_, static_cast<int64_t>(i));
      const auto row = static_cast<size_t>(term / part.shape.back());
      if (sent.empty() || sent[row]) hides[static_cast<size_t>(term)] = 2.0 * right_.tolerance[i];
    }
    return hides;
  }

  /// Whether the rank is sent each row of the part; empty: it is sent the whole part.
  [[nodiscard]] std::vector<bool> sent_rows(size_t sender) const {
    const SentRowsOf chosen(values_.plan(), evaluator_.registry());
    const Node& node = *exchange_.node;
    if (!chosen.some(node)) return {};
    const TensorView& part = exchange_.parts[sender].view();
    const Tensor ids = chosen.by_ids(node) ? widen(exchange_.others.at(SentRowsOf::ids_tap(node))) : Tensor();
    std::vector<bool> sent(static_cast<size_t>(part.count() / part.shape.back()));
    for (const int64_t row : chosen.rows(node, sender, chosen.by_ids(node) ? &ids.view() : nullptr))
      sent[static_cast<size_t>(row)] = true;
    return sent;
  }

  /// One term of the sum is another: its error is that of the sum.
  LinkFinding of_sum() const {
    std::vector<Fit> fits;
    Arrived arrived;
    for (size_t s = 0; s < exchange_.parts.size(); ++s) {
      const TensorView& part = exchange_.parts[s].view();
      arrived.hides = hidden_in(s);
      arrived.element.clear();
      arrived.value.clear();
      arrived.tolerance.clear();
      for (const int64_t i : wrong_) {
        const int64_t term = term_of(exchange_, i);
        arrived.element.push_back(term);
        arrived.value.push_back(part.value(term) + got(i) - right_.value[static_cast<size_t>(i)]);
        arrived.tolerance.push_back(slack(i));
      }
      const Arrival arrival = how_it_arrived(arrived, exchange_.parts[s], instead_of(s));
      if (!arrival.how.empty()) fits.push_back({s, arrival});
    }
    leave_likeliest(fits);
    if (fits.size() > 1) leave_exact(fits);
    LinkFinding found;
    for (const Fit& fit : fits)
      found.suspects.push_back({exchange_.senders[fit.sender], fit.arrival.how, fit.arrival.explains});
    if (found.suspects.size() != 1) return found;
    return {found.suspects.front().sender, found.suspects.front().how, found.suspects.front().explains};
  }

  /// Leaves the fits that give the very bits of the sum, if some do.
  void leave_exact(std::vector<Fit>& fits) const {
    std::vector<Fit> exact;
    for (const Fit& fit : fits) {
      Exchange other = exchange_;
      other.parts[fit.sender] = convert(exchange_.parts[fit.sender].view(), exchange_.parts[fit.sender].dtype());
      const TensorView& part = other.parts[fit.sender].view();
      const auto size = static_cast<size_t>(size_of(part.dtype));
      for (size_t i = 0; i < wrong_.size(); ++i)
        store_element(part.dtype, part.data + static_cast<size_t>(term_of(exchange_, wrong_[i])) * size,
                      fit.arrival.value[i]);
      const std::vector<double> sum = rounded_of(other, evaluator_);
      if (std::all_of(wrong_.begin(), wrong_.end(), [&](int64_t i) { return sum[static_cast<size_t>(i)] == got(i); }))
        exact.push_back(fit);
    }
    if (!exact.empty()) fits = std::move(exact);
  }

  /// A part has its place, so its wrong elements tell whose it is.
  LinkFinding of_gathered() const {
    std::map<int64_t, Arrived> by_sender;
    const std::vector<SentAt> origins = origins_of(exchange_, evaluator_);
    for (const int64_t i : wrong_) {
      const SentAt& origin = origins[static_cast<size_t>(i)];
      Arrived& arrived = by_sender[origin.sender];
      arrived.element.push_back(origin.element);
      arrived.value.push_back(got(i));
      arrived.tolerance.push_back(0.0);
    }
    LinkFinding best;
    const auto all = static_cast<double>(wrong_.size());
    for (const auto& [s, arrived] : by_sender) {
      if (s < 0) continue;
      const auto at = static_cast<size_t>(s);
      const Arrival arrival = how_it_arrived(arrived, exchange_.parts[at], instead_of(at));
      const LinkFinding found{exchange_.senders[at], arrival.how, static_cast<double>(arrived.element.size()) / all};
      const bool own = found.sender == exchange_.receiver();
      if (best.sender < 0 || (!own && found.explains >= best.explains)) best = found;
    }
    constexpr size_t kExchanged = 2;
    if (by_sender.size() > kExchanged) return {};
    return best;
  }

  /// The terms of a sender, by element of the sum.
  [[nodiscard]] Tensor terms_of(size_t sender) const {
    Tensor terms(DType::f64, exchange_.got.shape(), exchange_.got.view().axes);
    for (int64_t i = 0; i < terms.view().count(); ++i)
      terms.f64()[i] = exchange_.parts[sender].view().value(term_of(exchange_, i));
    return terms;
  }

  /// All that was received is something else.
  [[nodiscard]] LinkFinding of_all() const {
    Instead wholes;
    for (size_t s = 0; s < exchange_.parts.size(); ++s) {
      if (exchange_.senders[s] == exchange_.receiver() && exchange_.sum)
        wholes.emplace_back("only its own term", terms_of(s));
    }
    for (const Node& node : values_.plan().nodes) {
      const bool same = node.component == exchange_.node->component && node.rank != exchange_.node->rank &&
                        without_rank(received_tap(node)) == without_rank(received_tap(*exchange_.node));
      if (!same || !is_exchange(node)) continue;
      const auto other = exchange_of(node, values_);
      if (!other || other->senders == exchange_.senders || other->got.shape() != exchange_.got.shape()) continue;
      wholes.emplace_back("what " + ranks_text(other->senders) + " exchanged", other->got);
    }
    Arrived arrived;
    for (const int64_t i : wrong_) {
      arrived.element.push_back(i);
      arrived.value.push_back(got(i));
      arrived.tolerance.push_back(slack(i));
    }
    Tensor right(DType::f64, exchange_.got.shape(), exchange_.got.view().axes);
    std::copy(right_.value.begin(), right_.value.end(), right.f64());
    const Arrival arrival = how_it_arrived(arrived, right, wholes);
    return {-1, arrival.how, arrival.explains};
  }

  const Exchange& exchange_;
  const replay::Evaluator& evaluator_;
  const replay::TapSource& values_;
  Right right_;
  std::vector<int64_t> wrong_;
};

}  // namespace

LinkFinding search_link(const Exchange& exchange, const replay::Evaluator& evaluator, const replay::TapSource& values) {
  return Search(exchange, evaluator, values).run();
}

}  // namespace parity::compare
