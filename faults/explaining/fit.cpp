// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/explaining/fit.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <mutex>

#include <fmt/core.h>

#include "cases/parallel.hpp"

namespace parity::faults {
namespace {

class FitSearch {
 public:
  FitSearch(const Probe& probe, const std::vector<Fault>& before, Deadline& deadline)
      : probe_(probe), before_(before), deadline_(deadline), start_(measured(nullptr).value_or(probe.start())) {}

  void try_all(const Suspects& suspects) { static_cast<void>(distances_of(suspects)); }

  /// Tries every value, and then searches for the minimum where the values enclose one.
  void try_numbers(const std::vector<Unknown>& unknowns) {
    Suspects all;
    for (const Unknown& unknown : unknowns) {
      for (const double value : unknown.values) all.push_back(unknown.fault(value));
    }
    const auto distances = distances_of(all);
    auto first = distances.begin();
    for (const Unknown& unknown : unknowns) {
      const auto last = first + static_cast<int64_t>(unknown.values.size());
      const bool telling = probe_.elements() >= kFewest;
      if (telling && !unknown.integer && !deadline_.over() && !exact()) refine(unknown, {first, last});
      first = last;
    }
  }

  /// Whether some fit leaves no difference.
  [[nodiscard]] bool exact() const {
    return std::any_of(fits_.begin(), fits_.end(), [](const Fit& fit) { return fit.distance.unequal == 0.0; });
  }

  [[nodiscard]] std::vector<Fit> best_first() && {
    std::stable_sort(fits_.begin(), fits_.end(), [](const Fit& a, const Fit& b) { return score(a) < score(b); });
    return std::move(fits_);
  }

 private:
  using Distances = std::vector<std::optional<Distance>>;
  /// Fewest elements for a fitted number. Some number fits any few, so for fewer a tried value must give exact bits.
  static constexpr int64_t kFewest = 8;

  Distances distances_of(const Suspects& suspects) {
    Distances distances(suspects.size());
    std::atomic<int64_t> tried{0};
    cases::in_parallel(0, static_cast<int64_t>(suspects.size()), [&](int64_t i) {
      if (deadline_.over()) return;
      distances[static_cast<size_t>(i)] = measured(&suspects[static_cast<size_t>(i)]);
      ++tried;
    });
    for (size_t i = 0; i < suspects.size(); ++i) {
      if (distances[i]) keep({suspects[i], *distances[i]});
    }
    deadline_.leave_out(static_cast<int64_t>(suspects.size()) - tried);
    return distances;
  }

  [[nodiscard]] static double score(const Fit& fit) { return fit.distance.rms * (1e-3 + fit.distance.unequal); }

  [[nodiscard]] std::optional<Distance> measured(const Fault* fault) const {
    std::vector<Fault> besides = before_;
    if (fault != nullptr) besides.push_back(*fault);
    if (besides.empty()) return probe_.start();
    return probe_.distance(besides);
  }

  void keep(Fit fit) {
    const bool loses = fit.distance.rms > 2.0 * start_.rms;
    const bool chance = probe_.elements() < kFewest && fit.distance.unequal > 0.0;
    if (fit.distance.gains_on(start_) && !loses && !chance) fits_.push_back(std::move(fit));
  }

  [[nodiscard]] double rms_at(const Unknown& unknown, double value) const {
    const Fault fault = unknown.fault(value);
    const auto distance = measured(&fault);
    return distance ? distance->rms : std::numeric_limits<double>::infinity();
  }

  /// Searches between the neighbours of the best value by golden section.
  void refine(const Unknown& unknown, const Distances& distances) {
    std::vector<std::pair<double, double>> errors;  // sorted by value
    for (size_t i = 0; i < distances.size(); ++i) {
      if (distances[i]) errors.emplace_back(unknown.values[i], distances[i]->rms);
    }
    std::sort(errors.begin(), errors.end());
    const auto least = std::min_element(errors.begin(), errors.end(),
                                        [](const auto& x, const auto& y) { return x.second < y.second; });
    if (least == errors.end() || !(least->second < kLeastGain * start_.rms)) return;
    std::vector<double> values;
    for (const auto& [value, error] : errors) values.push_back(value);
    const auto best = static_cast<size_t>(least - errors.begin());
    const double low = values[best == 0 ? 0 : best - 1], high = values[std::min(best + 1, values.size() - 1)];
    const double found = minimum([&](double x) { return rms_at(unknown, x); }, low, values[best], high);
    const double error = rms_at(unknown, found);
    for (const double plain : plain_numbers(found)) {
      const Fault fault = unknown.fault(plain);
      const auto distance = measured(&fault);
      constexpr double kAsGood = 1.02;  // times the minimum error
      if (!distance || distance->rms > kAsGood * error) continue;
      keep({fault, *distance});
      return;
    }
  }

  [[nodiscard]] double minimum(const std::function<double(double)>& error, double low, double middle,
                               double high) const {
    const bool positive = low > 0.0;  // searches magnitudes instead of differences
    const auto to = [&](double x) { return positive ? std::log(x) : x; };
    const auto from = [&](double x) { return positive ? std::exp(x) : x; };
    double a = to(low), b = to(high);
    constexpr double kGolden = 0.6180339887498949;
    constexpr int kSteps = 40;  // 0.618^40 of the bracket is eight digits
    double x = b - kGolden * (b - a), y = a + kGolden * (b - a);
    double at_x = error(from(x)), at_y = error(from(y));
    for (int step = 0; step < kSteps && !deadline_.over(); ++step) {
      if (at_x <= at_y) {
        b = y, y = x, at_y = at_x;
        x = b - kGolden * (b - a);
        at_x = error(from(x));
      } else {
        a = x, x = y, at_x = at_y;
        y = a + kGolden * (b - a);
        at_y = error(from(y));
      }
    }
    const double found = from(at_x <= at_y ? x : y);
    return error(found) <= error(middle) ? found : middle;
  }

  const Probe& probe_;
  const std::vector<Fault>& before_;
  Deadline& deadline_;
  Distance start_;
  std::vector<Fit> fits_;
};

}  // namespace

std::vector<double> plain_numbers(double value) {
  std::vector<double> numbers;
  for (int digits = 1; digits <= 8; ++digits) {
    numbers.push_back(std::strtod(fmt::format("{:.{}e}", value, digits - 1).c_str(), nullptr));
    if (digits == 4) {
      for (const DType type : {DType::bf16, DType::f16}) numbers.push_back(round_to(type, value));
    }
  }
  numbers.push_back(value);
  return numbers;
}

std::vector<Fit> fits_of(const Probe& probe, const std::vector<Fault>& before, Deadline& deadline) {
  FitSearch search(probe, before, deadline);
  const Base& base = probe.base();
  for (auto node = probe.plan().nodes.rbegin(); node != probe.plan().nodes.rend(); ++node) {
    search.try_numbers(unknowns_of(base, *node));
    search.try_all(functions_of(base, *node));
    if (!search.exact()) search.try_all(results_of(base, *node));
    if (!search.exact()) search.try_all(operands_of(base, *node));
    if (search.exact()) break;
  }
  return std::move(search).best_first();
}

}  // namespace parity::faults
