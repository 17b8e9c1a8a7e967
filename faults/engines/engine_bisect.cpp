// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/engines/engine_bisect.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

#include "core/rounding.hpp"
#include "core/text.hpp"
#include "golden/files/temporary_folder.hpp"
#include "reference/reference.hpp"
#include "replay/spans/walk.hpp"

namespace parity::faults {
namespace {

using replay::Evaluator;

std::string end_of_first_call(const Plan& plan, const replay::Recording& inputs) {
  std::string end;
  for (const Node& node : plan.nodes) {
    if (node.step != plan.nodes.front().step) break;
    for (const auto& [field, output] : node.outputs) {
      const TapInfo& info = plan.tap(output.name);
      if (!is_integer(info.type) && !info.shape.empty() && inputs.has(output.name)) end = output.name;
    }
  }
  PARITY_CHECK(!end.empty(), usage,
               "the first call of the golden records no floating-point output; name a tap with --end");
  return end;
}

struct NodeDistance {
  double deviation = 0.0, noise = 0.0;  // root mean squares
};

NodeDistance distance(const Tensor& got, const replay::TapValue& right, DType dtype) {
  double apart = 0.0, noise = 0.0, size = 0.0;
  const int64_t count = got.view().count();
  for (int64_t i = 0; i < count; ++i) {
    const double rounded = right.rounded.f64()[i], exact = right.exact.f64()[i];
    if (!(std::isnan(got.f64()[i]) && std::isnan(rounded)) && got.f64()[i] != rounded)
      apart += std::isfinite(got.f64()[i] - rounded) ? std::pow(got.f64()[i] - rounded, 2)
                                                     : std::numeric_limits<double>::infinity();
    if (std::isfinite(rounded - exact)) noise += std::pow(rounded - exact, 2);
    if (std::isfinite(exact)) size += exact * exact;
  }
  const auto n = static_cast<double>(std::max<int64_t>(count, 1));
  // If the oracle's roundings cancel to nothing, one rounding of the tap is used as the noise.
  const double least = 0.5 * unit_roundoff(dtype) * std::sqrt(size / n);
  return {std::sqrt(apart / n), std::max({std::sqrt(noise / n), least, std::numeric_limits<double>::min()})};
}

/// Runs one engine on one golden at different cuts.
class Prober {
 public:
  Prober(const Engine& engine, const golden::Golden& golden, const Plan& plan, const replay::Recording& recording,
         const EngineOptions& options)
      : engine_(engine),
        golden_(golden),
        plan_(plan),
        recording_(recording),
        options_(options),
        evaluator_(reference::registry(), plan, golden.parameters()),
        route_(plan, options.end.empty() ? end_of_first_call(plan, recording) : checked(plan, options.end)) {
    if (options.share == Share::rest) right_ = route_.walk(evaluator_, recording, nodes(), Evaluator::Lanes::both);
    if (!options.keep.empty()) std::filesystem::create_directories(options.keep);
  }

  [[nodiscard]] const Route& route() const { return route_; }
  [[nodiscard]] int64_t nodes() const { return static_cast<int64_t>(route_.nodes().size()); }
  [[nodiscard]] const Node& node(int64_t at) const {
    return plan_.nodes[static_cast<size_t>(route_.nodes()[static_cast<size_t>(at)])];
  }
  [[nodiscard]] std::string name(int64_t cut) const { return cut == nodes() ? "the end" : node(cut).prefix; }
  [[nodiscard]] int64_t whole() const { return options_.share == Share::rest ? 0 : nodes(); }

  [[nodiscard]] std::optional<double> deviation_at(int64_t cut) const {
    const bool rest = options_.share == Share::rest;
    const auto lanes = rest ? Evaluator::Lanes::rounded : Evaluator::Lanes::both;
    const replay::Environment crossing = route_.walk(evaluator_, recording_, cut, lanes);
    const replay::Environment& right = rest ? right_ : crossing;
    std::vector<std::string> wanted;
    for (const auto& [tap, value] : right) {
      if (!is_integer(plan_.tap(tap).type)) wanted.push_back(tap);  // ids are judged by a contract instead
    }
    if (wanted.empty()) return std::nullopt;
    const golden::TemporaryFolder scratch;
    const std::filesystem::path folder = options_.keep.empty() ? scratch.path() : options_.keep;
    const auto in = folder / fmt::format("{:05}-in.h5", cut), out = folder / fmt::format("{:05}-out.h5", cut);
    std::filesystem::remove(out);
    write_boundary(golden_, plan_, route_, recording_, rest ? crossing : replay::Environment{}, wanted, in);
    if (!run_engine(engine_, in, out)) return std::nullopt;
    try {
      return with_context(fmt::format("engine's {}", out.string()), [&] { return compared(out, wanted, right); });
    } catch (const Error& error) {  // a damaged output file is also the engine's failure, not the golden's
      throw Error(ErrorCode::unsupported, error.what());
    }
  }

 private:
  static std::string checked(const Plan& plan, const std::string& end) {
    const TapInfo& info = plan.tap(end);
    PARITY_CHECK(info.producer >= 0 && !is_integer(info.type), usage,
                 "{} is not a computed floating-point tap; name another with --end", end);
    return end;
  }

  [[nodiscard]] double compared(const std::filesystem::path& out, const std::vector<std::string>& wanted,
                                const replay::Environment& right) const {
    const auto file = golden::ActivationFile::open(out);
    double worst = 0.0;
    for (const std::string& tap : wanted) {
      const golden::DatasetInfo& found = file.at(tap);
      const Shape& shape = plan_.tap(tap).shape;
      PARITY_CHECK(found.shape == shape, schema, "dataset {} has shape {}, expected {}; write the golden's shape", tap,
                   to_string(found.shape), to_string(shape));
      PARITY_CHECK(is_float(found.dtype), schema, "dataset {} holds {}, expected floating-point numbers", tap,
                   to_string(found.dtype));
      const NodeDistance d = distance(widen(file.read(tap)), right.at(tap), plan_.dtype_of(plan_.tap(tap).type));
      worst = std::max(worst, d.deviation / d.noise);
    }
    return worst;
  }

  const Engine& engine_;
  const golden::Golden& golden_;
  const Plan& plan_;
  const replay::Recording& recording_;
  const EngineOptions& options_;
  Evaluator evaluator_;
  Route route_;
  replay::Environment right_;
};

/// Returns the cut in `cuts` that is nearest to the middle of (low, high) and was not refused.
std::optional<int64_t> nearest_middle(const std::vector<int64_t>& cuts, const Located& at) {
  std::optional<int64_t> best;
  const auto off = [&](int64_t cut) { return std::abs(2 * cut - at.low - at.high); };
  for (const int64_t cut : cuts) {
    const bool tried = std::find(at.refused.begin(), at.refused.end(), cut) != at.refused.end();
    if (cut <= at.low || cut >= at.high || tried) continue;
    if (!best || off(cut) < off(*best)) best = cut;
  }
  return best;
}

}  // namespace

Located locate(int64_t nodes, const std::vector<int64_t>& coarse, int64_t whole, const ProbeAt& probe) {
  Located at{0, nodes, {}, {}};
  const auto wrong = [&](double deviation) { return !(deviation <= kWrongEnd); };
  const auto all = probe(whole);
  PARITY_CHECK(all.has_value(), usage,
               "the engine cannot run from the tokens to the end (it exits with 3), so nothing can be bisected");
  at.probes.push_back({whole, *all, wrong(*all)});
  if (!wrong(*all)) return {nodes, nodes, at.probes, {}};
  std::vector<int64_t> every;
  for (int64_t cut = 1; cut < nodes; ++cut) every.push_back(cut);
  for (const auto* cuts : {&coarse, static_cast<const std::vector<int64_t>*>(&every)}) {
    int in_a_row = 0;
    while (const auto cut = nearest_middle(*cuts, at)) {
      const auto deviation = probe(*cut);
      if (!deviation) {
        at.refused.push_back(*cut);
        if (cuts == &every && ++in_a_row == kPatience) break;
        continue;
      }
      in_a_row = 0;
      at.probes.push_back({*cut, *deviation, wrong(*deviation)});
      // A wrong probe means a fault in the engine's nodes after the cut (whole = 0) or before it (whole = nodes).
      (wrong(*deviation) == (whole == 0) ? at.low : at.high) = *cut;
    }
  }
  return at;
}

EngineBisection bisect_engine(const Engine& engine, const golden::Golden& golden, const Plan& plan,
                              const replay::Recording& recording, const EngineOptions& options) {
  const Prober prober(engine, golden, plan, recording, options);
  const Located at = locate(prober.nodes(), prober.route().layer_cuts(), prober.whole(),
                            [&](int64_t cut) { return prober.deviation_at(cut); });
  EngineBisection result;
  result.end = prober.route().end();
  result.nodes = prober.nodes();
  for (int64_t i = at.low; i < at.high; ++i)
    result.where.push_back(fmt::format("{} ({})", prober.node(i).prefix, prober.node(i).component));
  for (const BisectProbe& probe : at.probes) result.probes.emplace_back(probe, prober.name(probe.taken));
  for (const int64_t cut : at.refused) result.refused.push_back(prober.name(cut));
  return result;
}

std::optional<BisectProbe> probe_engine(const Engine& engine, const golden::Golden& golden, const Plan& plan,
                                        const replay::Recording& recording, const EngineOptions& options,
                                        const std::string& node) {
  const Prober prober(engine, golden, plan, recording, options);
  std::vector<std::string> names;
  for (int64_t cut = 0; cut <= prober.nodes(); ++cut) {
    names.push_back(prober.name(cut));
    if (names.back() != node) continue;
    const auto deviation = prober.deviation_at(cut);
    if (!deviation) return std::nullopt;
    return BisectProbe{cut, *deviation, !(*deviation <= kWrongEnd)};
  }
  throw Error(ErrorCode::usage, fmt::format("--probe '{}' is not a node before {}{}", node, prober.route().end(),
                                            did_you_mean(node, names)));
}

}  // namespace parity::faults
