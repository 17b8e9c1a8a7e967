// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/counters/counters_growth.hpp"

#include <map>

#include "core/error.hpp"

namespace parity::reports {
namespace {

using Numbers = std::map<std::string, uint64_t>;

/// What may not grow, by name. Lanes are left out: more of them in one instruction cost nothing.
Numbers numbers_of(const ptx::Cost& cost) {
  Numbers numbers{{"instructions", cost.instructions},
                  {"barriers", cost.barriers},
                  {"local sectors", cost.local.sectors},
                  {"shared wavefronts", cost.shared.wavefronts},
                  {"shared conflicts", cost.shared.conflicts()}};
  for (size_t i = 0; i < ptx::kTraffics; ++i) {
    const std::string name = to_string(static_cast<ptx::Traffic>(i));
    const ptx::SectorCount& count = cost.global.at(i);
    numbers[name + " requests"] = count.requests;
    numbers[name + " requests that are not coalesced"] = count.requests - count.coalesced;
    numbers[name + " sectors"] = count.sectors;
  }
  for (const auto& [shape, count] : cost.multiply_adds) numbers["multiply-adds " + shape] = count;
  return numbers;
}

std::map<std::string, Numbers> by_line(const ptx::Counters& counters) {
  std::map<std::string, ptx::Cost> costs;
  for (const ptx::LineCost& line : counters.lines) costs[place_of(line)] += line.cost;
  std::map<std::string, Numbers> result;
  for (const auto& [place, cost] : costs) result[place] = numbers_of(cost);
  return result;
}

uint64_t value_in(const Numbers& numbers, const std::string& name) {
  const auto found = numbers.find(name);
  return found == numbers.end() ? 0 : found->second;
}

bool grows(uint64_t before, uint64_t after, double most) {
  return static_cast<double>(after) > static_cast<double>(before) * (1 + most);
}

void check_alike(const ptx::Counters& before, const ptx::Counters& after) {
  PARITY_CHECK(before.kernel == after.kernel, usage,
               "counters of {} cannot be compared with those of {}; compare the same kernel", after.kernel,
               before.kernel);
  const bool samples = !before.run.empty() || !after.run.empty();  // all blocks of another grid do the same work
  PARITY_CHECK(!samples || (before.blocks == after.blocks && before.run == after.run), usage,
               "{}: {} of {} thread blocks ran now, but {} of {}, or other ones, in the baseline; count the same "
               "launch and --sample",
               after.kernel, after.blocks_run(), after.blocks, before.blocks_run(), before.blocks);
}

}  // namespace

std::string place_of(const ptx::LineCost& line) {
  const ptx::Position& at = line.position;
  if (at.line == 0) return fmt::format("PTX line {}", at.ptx_line);
  return fmt::format("{}:{}", at.file.substr(at.file.rfind('/') + 1), at.line);
}

std::vector<Growth> grown(const ptx::Counters& before, const ptx::Counters& after, double most) {
  check_alike(before, after);
  const Numbers old = numbers_of(before.counted());
  const auto lines_before = by_line(before), lines_after = by_line(after);
  std::vector<Growth> result;
  for (const auto& [name, value] : numbers_of(after.counted())) {
    Growth growth{name, value_in(old, name), value, {}, 0, 0};
    if (!grows(growth.before, growth.after, most)) continue;
    uint64_t largest = 0;
    for (const auto& [place, numbers] : lines_after) {
      const auto earlier = lines_before.find(place);
      const uint64_t was = earlier == lines_before.end() ? 0 : value_in(earlier->second, name);
      const uint64_t is = value_in(numbers, name);
      if (is <= was || is - was <= largest) continue;
      largest = is - was;
      growth.line = place;
      growth.line_before = was;
      growth.line_after = is;
    }
    result.push_back(growth);
  }
  if (before.unique && after.unique) {
    if (grows(before.unique->read, after.unique->read, most))
      result.push_back({"unique bytes read", before.unique->read, after.unique->read, {}, 0, 0});
    if (grows(before.unique->written, after.unique->written, most))
      result.push_back({"unique bytes written", before.unique->written, after.unique->written, {}, 0, 0});
  }
  return result;
}

std::string describe(const Growth& growth) {
  std::string text = fmt::format("{} grew from {} to {}", growth.counter, growth.before, growth.after);
  if (growth.line.empty()) return text;
  return text + fmt::format("; most of it at {}, from {} to {}", growth.line, growth.line_before, growth.line_after);
}

}  // namespace parity::reports
