// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <limits>

#include "faults/captures/capture_damage_parts.hpp"
#include "golden/sources/declaration.hpp"

namespace parity::faults {

CapturePlace drawn(const CapturePaths& paths, Draws& draws) {
  if (paths.empty()) return std::nullopt;
  return paths[static_cast<size_t>(draws.below(static_cast<int64_t>(paths.size())))];
}

bool has_values(const std::string&, const CapturedTap& tap) { return !tap.values.empty() && tap.values.bytes() > 0; }
bool is_number(const std::string&, const CapturedTap& tap) {
  return !tap.values.empty() && is_float(tap.values.dtype()) && tap.values.view().count() >= 8;
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

CapturePlace misspell(CaptureContents& contents, Draws& draws) {
  const CapturePlace path = drawn(outputs_where(contents, has_values), draws);
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

/// Removes a tap that also exists in another call or layer.
CapturePlace lose(CaptureContents& contents, Draws& draws) {
  std::map<std::string, int> families;
  for (const std::string& path : contents.outputs()) ++families[golden::tap_of_every_place(path)];
  const CapturePlace path = drawn(
      outputs_where(contents, [&](const std::string& name,
                                  const CapturedTap&) { return families.at(golden::tap_of_every_place(name)) > 1; }),
      draws);
  if (path) contents.datasets.erase(*path);
  return path;
}

CapturePlace lose_any(CaptureContents& contents, Draws& draws) {
  const CapturePlace path = drawn(contents.outputs(), draws);
  if (path) contents.datasets.erase(*path);
  return path;
}

CapturePlace leave_one(CaptureContents& contents, Draws& draws) {
  const CapturePlace path = drawn(contents.outputs(), draws);
  if (path) leave_unfilled(contents.datasets.at(*path));
  return path;
}

/// Leaves all taps after one unfilled, in the order of the file, like a script that crashed.
CapturePlace die(CaptureContents& contents, Draws& draws) {
  const CapturePaths paths = contents.outputs();
  if (paths.size() < 2) return std::nullopt;
  const auto first = static_cast<size_t>(draws.below(static_cast<int64_t>(paths.size())));
  for (size_t i = first; i < paths.size(); ++i) leave_unfilled(contents.datasets.at(paths[i]));
  return "from " + paths[first] + " on";
}

CapturePlace fill_nothing(CaptureContents& contents, Draws&) {
  for (const std::string& path : contents.outputs()) leave_unfilled(contents.datasets.at(path));
  return "everything";
}

}  // namespace parity::faults
