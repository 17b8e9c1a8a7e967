// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/capture_damage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compare/lost_taps.hpp"
#include "golden/declaration.hpp"

namespace parity::faults {
namespace {

using Place = std::optional<std::string>;
using Paths = std::vector<std::string>;

template <class Wanted>
Paths outputs_where(const CaptureContents& contents, const Wanted& wanted) {
  Paths paths = contents.outputs();
  std::erase_if(paths, [&](const std::string& path) { return !wanted(path, contents.datasets.at(path)); });
  return paths;
}

Place drawn(const Paths& paths, Draws& draws) {
  if (paths.empty()) return std::nullopt;
  return paths[static_cast<size_t>(draws.below(static_cast<int64_t>(paths.size())))];
}

bool has_values(const std::string&, const CapturedTap& tap) { return !tap.values.empty() && tap.values.bytes() > 0; }
bool is_number(const std::string&, const CapturedTap& tap) {
  return !tap.values.empty() && is_float(tap.values.dtype()) && tap.values.view().count() >= 8;
}

/// Values that a tolerance may call the same are no damage: a tenth of the tap's size, in the mean.
bool far_apart(const Tensor& a, const Tensor& b) {
  constexpr double kApart = 0.1;
  double errors = 0.0, squares = 0.0;
  for (int64_t i = 0; i < a.view().count(); ++i) {
    const double x = a.view().value(i), y = b.view().value(i);
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    errors += (x - y) * (x - y);
    squares += x * x;
  }
  return errors > kApart * kApart * squares;
}

void leave_unfilled(CapturedTap& tap) {
  tap.attributes[golden::kComputed] = "no";
  if (tap.values.empty()) return;
  tap.values = convert(tap.values.view(), tap.values.dtype());
  if (!is_float(tap.values.dtype())) return;
  for (int64_t i = 0; i < tap.values.view().count(); ++i)
    store_element(tap.values.dtype(), tap.values.view().data + i * size_of(tap.values.dtype()),
                  std::numeric_limits<double>::quiet_NaN());
}

void rename(CaptureContents& contents, const std::string& from, const std::string& to) {
  auto node = contents.datasets.extract(from);
  node.key() = to;
  contents.datasets.insert(std::move(node));
}

Place misspell(CaptureContents& contents, Draws& draws) {
  const Place path = drawn(outputs_where(contents, has_values), draws);
  if (!path) return path;
  const size_t end = path->rfind('/');
  const size_t begin = path->rfind('/', end - 1) + 1;
  std::string name = path->substr(begin, end - begin);
  const auto at = static_cast<size_t>(draws.below(static_cast<int64_t>(name.size())));
  switch (draws.below(3)) {
    case 0:
      name.erase(at, 1);
      break;
    case 1:
      name.insert(at, 1, name[at]);
      break;
    default:
      name += "_proj";
  }
  const std::string wrong = path->substr(0, begin) + name + path->substr(end);
  if (name.empty() || contents.datasets.contains(wrong)) return std::nullopt;
  rename(contents, *path, wrong);
  return *path + " as " + wrong;
}

/// A tap that another call or layer has too.
Place lose(CaptureContents& contents, Draws& draws) {
  std::map<std::string, int> families;
  for (const std::string& path : contents.outputs()) ++families[compare::tap_of_every_place(path)];
  const Place path = drawn(
      outputs_where(contents, [&](const std::string& name,
                                  const CapturedTap&) { return families.at(compare::tap_of_every_place(name)) > 1; }),
      draws);
  if (path) contents.datasets.erase(*path);
  return path;
}

Place lose_any(CaptureContents& contents, Draws& draws) {
  const Place path = drawn(contents.outputs(), draws);
  if (path) contents.datasets.erase(*path);
  return path;
}

Place leave_one(CaptureContents& contents, Draws& draws) {
  const Place path = drawn(contents.outputs(), draws);
  if (path) leave_unfilled(contents.datasets.at(*path));
  return path;
}

/// A script that died: what comes later in the file's order is as it was made.
Place die(CaptureContents& contents, Draws& draws) {
  const Paths paths = contents.outputs();
  if (paths.size() < 2) return std::nullopt;
  const auto first = static_cast<size_t>(draws.below(static_cast<int64_t>(paths.size())));
  for (size_t i = first; i < paths.size(); ++i) leave_unfilled(contents.datasets.at(paths[i]));
  return "from " + paths[first] + " on";
}

Place fill_nothing(CaptureContents& contents, Draws&) {
  for (const std::string& path : contents.outputs()) leave_unfilled(contents.datasets.at(path));
  return "everything";
}

/// Marked as computed, and nobody wrote it.
Place mark_unwritten(CaptureContents& contents, Draws& draws) {
  const Place path = drawn(outputs_where(contents, is_number), draws);
  if (!path) return path;
  leave_unfilled(contents.datasets.at(*path));
  contents.datasets.at(*path).attributes[golden::kComputed] = "yes";
  return path;
}

/// Another dataset that has this one's shape and type and clearly other values.
template <class Wanted>
Place take_from(CaptureContents& contents, Draws& draws, const Wanted& related) {
  const Place path = drawn(outputs_where(contents, is_number), draws);
  if (!path) return path;
  CapturedTap& tap = contents.datasets.at(*path);
  const Place other = drawn(outputs_where(contents,
                                          [&](const std::string& name, const CapturedTap& that) {
                                            return name != *path && related(name, *path) && !that.values.empty() &&
                                                   that.values.shape() == tap.values.shape() &&
                                                   that.values.dtype() == tap.values.dtype() &&
                                                   far_apart(tap.values, that.values);
                                          }),
                            draws);
  if (!other) return std::nullopt;
  tap.values = contents.datasets.at(*other).values;
  return *path + " of " + *other;
}

bool of_one_family(const std::string& a, const std::string& b) {
  return compare::tap_of_every_place(a) == compare::tap_of_every_place(b);
}

Place take_stale(CaptureContents& contents, Draws& draws) { return take_from(contents, draws, of_one_family); }
Place mix_up(CaptureContents& contents, Draws& draws) {
  return take_from(contents, draws, [](const std::string& a, const std::string& b) { return !of_one_family(a, b); });
}

Place leave_rows(CaptureContents& contents, Draws& draws) {
  const Place path = drawn(outputs_where(contents,
                                         [](const std::string& name, const CapturedTap& tap) {
                                           return has_values(name, tap) && tap.values.shape().size() > 1 &&
                                                  size_of(tap.values.dtype()) > 1;
                                         }),
                           draws);
  if (!path) return path;
  Tensor& values = contents.datasets.at(*path).values;
  values = convert(values.view(), values.dtype());
  const int64_t width = values.shape().back(), rows = values.view().count() / width;
  const int64_t row = draws.below(rows);
  const double unwritten = is_float(values.dtype()) ? std::numeric_limits<double>::quiet_NaN() : -0x1p62;
  for (int64_t i = row * width; i < (row + 1) * width; ++i)
    store_element(values.dtype(), values.view().data + i * size_of(values.dtype()), unwritten);
  return fmt::format("{}, row {}", *path, row);
}

Place leave_zeros(CaptureContents& contents, Draws& draws) {
  const Place path = drawn(outputs_where(contents, is_number), draws);
  if (!path) return path;
  Tensor& values = contents.datasets.at(*path).values;
  Tensor zeros(values.dtype(), values.shape(), values.view().axes);
  if (!far_apart(values, zeros)) return std::nullopt;
  values = zeros;
  return path;
}

Place cut_last_row(CaptureContents& contents, Draws& draws) {
  const Place path = drawn(outputs_where(contents,
                                         [](const std::string& name, const CapturedTap& tap) {
                                           return has_values(name, tap) && !tap.values.shape().empty() &&
                                                  tap.values.shape().back() > 1;
                                         }),
                           draws);
  if (!path) return path;
  Tensor& values = contents.datasets.at(*path).values;
  Shape shape = values.shape();
  --shape.back();
  values = Tensor(values.dtype(), shape, values.view().axes);
  return path;
}

/// Axes in another order, and nothing that says so.
Place transpose(CaptureContents& contents, Draws& draws) {
  const Place path = drawn(outputs_where(contents,
                                         [](const std::string& name, const CapturedTap& tap) {
                                           const Shape& shape = tap.values.shape();
                                           return is_number(name, tap) && shape.size() > 2 && shape[1] != shape[2];
                                         }),
                           draws);
  if (!path) return path;
  Tensor& values = contents.datasets.at(*path).values;
  TensorView view = values.view();
  std::swap(view.shape[1], view.shape[2]);
  std::swap(view.strides[1], view.strides[2]);
  values = convert(view, values.dtype());
  return path;
}

Place store_integers(CaptureContents& contents, Draws& draws) {
  const Place path = drawn(outputs_where(contents, is_number), draws);
  if (!path) return path;
  Tensor& values = contents.datasets.at(*path).values;
  values = Tensor(DType::i64, values.shape(), values.view().axes);
  return path;
}

/// The engine was given another prompt.
Place other_tokens(CaptureContents& contents, Draws& draws) {
  Paths paths;
  for (const auto& [path, tap] : contents.datasets) {
    if (path.ends_with("tokens/input_ids")) paths.push_back(path);
  }
  const Place path = drawn(paths, draws);
  if (!path) return path;
  Tensor& ids = contents.datasets.at(*path).values;
  ids = convert(ids.view(), ids.dtype());
  const int64_t at = draws.below(ids.view().count());
  ids.i64()[at] = ids.i64()[at] == 0 ? 1 : 0;
  return path;
}

/// Whole calls exchanged: each has the other's taps.
Place exchange_calls(CaptureContents& contents, Draws& draws) {
  Paths calls;
  for (const auto& [group, attributes] : contents.groups) {
    if (attributes.contains("kind") && attributes.at("kind") != "cache") calls.push_back(group);
  }
  if (calls.size() < 2) return std::nullopt;
  const auto one = static_cast<size_t>(draws.below(static_cast<int64_t>(calls.size())));
  const size_t other = (one + 1) % calls.size();
  bool any = false;
  for (auto& [path, tap] : contents.datasets) {
    if (!tap.output || !path.starts_with(calls[one])) continue;
    const auto that = contents.datasets.find(calls[other] + path.substr(calls[one].size()));
    if (that == contents.datasets.end()) continue;
    std::swap(tap.values, that->second.values);
    any = any || !tap.values.empty();
  }
  return any ? Place(calls[one] + " and " + calls[other]) : std::nullopt;
}

Place rename_call(CaptureContents& contents, Draws&) {
  Paths paths;
  for (const auto& [path, tap] : contents.datasets) {
    if (path.starts_with("steps/000/")) paths.push_back(path);
  }
  if (paths.empty()) return std::nullopt;
  for (const std::string& path : paths)
    rename(contents, path, "steps/077" + path.substr(std::string("steps/000").size()));
  return "steps/000 as steps/077";
}

template <size_t N>
Place set_root(CaptureContents& contents, const char* const (&values)[N], const char* name, Draws& draws) {
  const char* value = values[static_cast<size_t>(draws.below(static_cast<int64_t>(N)))];
  contents.root[name] = value;
  return fmt::format("{} = '{}'", name, value);
}

Place other_golden(CaptureContents& contents, Draws& draws) {
  constexpr const char* kNames[] = {"golden", "golden_sha256", "seed"};
  constexpr const char* kValues[] = {"4711", "another"};
  return set_root(contents, kValues, kNames[static_cast<size_t>(draws.below(3))], draws);
}

Place slip_in_marker(CaptureContents& contents, Draws& draws) {
  constexpr const char* kValues[] = {"declard", "yes", "Declared"};
  return set_root(contents, kValues, golden::kMarker, draws);
}

Place slip_in_declaration(CaptureContents& contents, Draws& draws) {
  const Place path = drawn(contents.outputs(), draws);
  if (!path) return path;
  contents.datasets.erase(*path);
  constexpr const char* kNames[] = {"not_computed_tap", "not_computed", "notcomputed_taps"};
  contents.root[kNames[static_cast<size_t>(draws.below(3))]] = *path;
  return path;
}

Place declare_everything_absent(CaptureContents& contents, Draws&) {
  for (const std::string& path : contents.outputs()) contents.datasets.erase(path);
  contents.root["not_computed_taps"] = "*";
  return "*";
}

Place declare_what_is_there(CaptureContents& contents, Draws& draws) {
  const Place path = drawn(contents.outputs(), draws);
  if (path) contents.root["not_computed_taps"] = *path;
  return path;
}

/// A copy of the golden, which the caller makes: nothing of its own is said.
Place copy_the_golden(CaptureContents& contents, Draws& draws) {
  contents.root.erase("attention");
  contents.root.erase("experts");
  if (draws.below(2) == 0) return "as it is";
  contents.root.erase("golden_sha256");
  return "golden_sha256 left out";
}

}  // namespace

const std::vector<CaptureDamage>& capture_damages() {
  using enum CaptureBase;
  static const std::vector<CaptureDamage> damages{
      {"misspelt", "a tap under a name that does not exist", any, misspell},
      {"missing", "a tap that another call or layer has", undeclared, lose},
      {"missing-declared", "a tap that is not declared absent", declared, lose_any},
      {"unfilled", "a tap that nobody filled", declared, leave_one},
      {"died", "a script that died half way", declared, die},
      {"empty", "nothing was filled", declared, fill_nothing},
      {"unwritten", "a tap marked as computed that was never written", declared, mark_unwritten},
      {"stale", "a tap of another call or layer", any, take_stale},
      {"mixed-up", "another tap's values", any, mix_up},
      {"unwritten-row", "a row that nobody wrote", any, leave_rows},
      {"zeros", "an array that was allocated and never written", any, leave_zeros},
      {"cut", "a row too few", any, cut_last_row},
      {"transposed", "axes in another order, unsaid", any, transpose},
      {"wrong-type", "numbers as integers", any, store_integers},
      {"other-tokens", "another prompt", any, other_tokens},
      {"calls-exchanged", "the taps of two calls exchanged", any, exchange_calls},
      {"call-renamed", "a call that the golden has not", any, rename_call},
      {"other-golden", "made for another golden", any, other_golden},
      {"identical", "the golden itself", undeclared, copy_the_golden, true},
      {"marker-misspelt", "a marker that is none", declared, slip_in_marker},
      {"declaration-misspelt", "a lack declared under a wrong attribute", declared, slip_in_declaration},
      {"all-absent", "everything declared absent", declared, declare_everything_absent},
      {"contradictory", "a tap filled and declared absent", declared, declare_what_is_there}};
  return damages;
}

}  // namespace parity::faults
