// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/ranks/arrivals.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <optional>
#include <set>

namespace parity::compare {
namespace {

constexpr double kMost = 0.98;

/// One way: the value that element i has after it.
struct Way {
  std::string how;
  std::function<double(int64_t)> value;
};

bool near(double wanted, double found, double tolerance) {
  if (std::isnan(wanted) || std::isnan(found)) return std::isnan(wanted) && std::isnan(found);
  return wanted == found || std::abs(wanted - found) <= tolerance;
}

double share(const Arrived& arrived, const Way& way) {
  int64_t fits = 0;
  for (size_t i = 0; i < arrived.element.size(); ++i)
    fits += near(arrived.value[i], way.value(arrived.element[i]), arrived.tolerance[i]) ? 1 : 0;
  return static_cast<double>(fits) / static_cast<double>(arrived.element.size());
}

double with_bytes(const Tensor& tensor, int64_t i, const std::function<void(std::byte*, size_t)>& change) {
  const auto size = static_cast<size_t>(size_of(tensor.dtype()));
  std::byte element[8] = {};
  std::memcpy(element, tensor.view().data + static_cast<size_t>(i) * size, size);
  change(element, size);
  return load_element(tensor.dtype(), element);
}

/// `sent` and `instead` must outlive the ways.
std::vector<Way> ways_of(const Tensor& sent, const Instead& instead) {
  const TensorView* part = &sent.view();
  const int64_t count = part->count();
  std::vector<Way> ways{{"zeros", [](int64_t) { return 0.0; }}};
  for (const auto& other : instead) {
    const TensorView* view = &other.second.view();
    if (view->count() == count) ways.push_back({other.first, [view](int64_t i) { return view->value(i); }});
  }
  ways.push_back({"twice its values", [part](int64_t i) { return 2.0 * part->value(i); }});
  ways.push_back({"its values negated", [part](int64_t i) { return -part->value(i); }});
  for (const int64_t by : {1, -1}) {  // with the end at the beginning, or with a zero there
    ways.push_back(
        {"its values shifted by one element", [=](int64_t i) { return part->value((i - by + count) % count); }});
    ways.push_back({"its values shifted by one element",
                    [=](int64_t i) { return i - by >= 0 && i - by < count ? part->value(i - by) : 0.0; }});
  }
  ways.push_back({"its values in bf16", [part](int64_t i) { return round_to(DType::bf16, part->value(i)); }});
  ways.push_back({"its values with their bytes in reverse", [&sent](int64_t i) {
                    return with_bytes(sent, i,
                                      [](std::byte* first, size_t size) { std::reverse(first, first + size); });
                  }});
  return ways;
}

/// One flipped bit in each element; no way if a bit cannot explain one of them.
Arrival one_bit(const Arrived& arrived, const Tensor& sent) {
  constexpr size_t kFewest = 4;  // of more elements, some other way is likelier
  if (arrived.element.size() > kFewest) return {};
  Arrival result{"its values with one bit flipped", 1.0, 0, {}};
  const int64_t bits = 8 * size_of(sent.dtype());
  for (size_t i = 0; i < arrived.element.size(); ++i) {
    const double wanted = arrived.value[i], tolerance = arrived.tolerance[i];
    std::optional<double> nearest;
    for (int64_t bit = 0; bit < bits; ++bit) {
      const double flipped = with_bytes(sent, arrived.element[i],
                                        [&](std::byte* first, size_t) { first[bit / 8] ^= std::byte{1} << (bit % 8); });
      // A flip that the additions hide would fit any element.
      const bool shows = std::abs(flipped - sent.view().value(arrived.element[i])) > tolerance;
      const bool nearer = !nearest || std::abs(flipped - wanted) < std::abs(*nearest - wanted);
      if (shows && near(wanted, flipped, tolerance) && nearer) nearest = flipped;
    }
    if (!nearest) return {};
    result.value.push_back(*nearest);
  }
  return result;
}

/// The errors that the way predicts where there are none.
int64_t absent_errors(const Arrived& arrived, const Tensor& sent, const Way& way) {
  const std::set<int64_t> wrong(arrived.element.begin(), arrived.element.end());
  int64_t absent = 0;
  for (int64_t i = 0; i < sent.view().count(); ++i) {
    const double hidden = arrived.hides.empty() ? 0.0 : arrived.hides[static_cast<size_t>(i)];
    absent += !wrong.contains(i) && !near(sent.view().value(i), way.value(i), hidden) ? 1 : 0;
  }
  return absent;
}

}  // namespace

Arrival how_it_arrived(const Arrived& arrived, const Tensor& sent, const Instead& instead) {
  if (arrived.element.empty()) return {};
  Arrival best;
  for (const Way& way : ways_of(sent, instead)) {
    const double explains = share(arrived, way);
    if (explains < kMost || explains < best.explains) continue;
    const int64_t absent = absent_errors(arrived, sent, way);
    if (explains == best.explains && absent >= best.absent) continue;
    best = {way.how, explains, absent, {}};
    for (const int64_t element : arrived.element) best.value.push_back(way.value(element));
  }
  const bool certain = best.explains == 1.0 && best.absent == 0;
  const Arrival flipped = certain ? Arrival() : one_bit(arrived, sent);
  return flipped.how.empty() ? best : flipped;
}

}  // namespace parity::compare
