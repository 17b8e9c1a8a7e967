// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/ranks/rank_service.hpp"

#include <nlohmann/json.hpp>

#include "compare/goldens/opened_run.hpp"
#include "ranks/process_communicator.hpp"

namespace parity::compare {
namespace {

using nlohmann::json;
using ranks::Communicator;

constexpr int kOrders = ranks::ProcessCommunicator::kOrders;
constexpr int kResults = -2;
constexpr int kTaken = -3;  // rank 0 has all results: until then the others wait for it, and find out if it hangs

void send_text(Communicator& communicator, int to, int tag, const std::string& text) {
  const uint64_t length = text.size();
  communicator.send(to, tag, std::as_bytes(std::span(&length, 1)));
  communicator.send(to, tag, std::as_bytes(std::span(text.data(), text.size())));
}

std::string receive_text(Communicator& communicator, int from, int tag) {
  uint64_t length = 0;
  communicator.receive(from, tag, std::as_writable_bytes(std::span(&length, 1)));
  std::string text(length, '\0');
  communicator.receive(from, tag, std::as_writable_bytes(std::span(text.data(), text.size())));
  return text;
}

ranks::Bytes bytes_of(const Tensor& tensor) { return {tensor.view().data, static_cast<size_t>(tensor.bytes())}; }

/// What rank 0 wants to be walked.
json order_of(const replay::RankedWalk& walk, const golden::Golden& golden, const RunOptions& options) {
  return {{"golden", std::filesystem::absolute(golden.folder()).string()},
          {"profile", options.profile},
          {"forced", walk.forced},
          {"plan", plan_key(walk.computation.plan)}};
}

replay::RankResults served(const json& order, const RunOptions& options, Communicator& communicator) {
  RunOptions own = options;
  own.profile = order.at("profile");
  const golden::Golden golden = golden::Golden::open(order.at("golden").get<std::string>());
  const OpenedRun opened(golden, own);
  const Plan plan = opened.plan();
  const replay::Recording goldens(golden.activations(), plan);
  const replay::Recording recording = opened.recording(goldens, plan);
  const CandidateValues candidate(golden, own, plan, {goldens, recording});
  PARITY_CHECK(candidate.computation != nullptr && plan_key(candidate.computation->plan) == order.at("plan"), internal,
               "{}: this rank would run another model or other options than rank 0; start all ranks with the same "
               "command and files",
               golden.folder().string());
  return candidate.walk_rank(order.at("forced"), communicator);
}

/// All results in two kinds of messages: what they are, then each tap's bytes.
void send_results(const replay::RankResults& results, Communicator& communicator) {
  json taps = json::array();
  for (const auto& [tap, value] : results.taps)
    taps.push_back({tap, parity::to_string(value.dtype()), value.shape(), value.view().axes});
  json links = json::array();
  for (const auto& [key, sent] : results.links)
    links.push_back({key.layer, key.component, key.rank, sent.messages, sent.bytes});
  send_text(communicator, 0, kResults, json{{"taps", taps}, {"refused", results.refused}, {"links", links}}.dump());
  for (const auto& [tap, value] : results.taps) communicator.send(0, kResults, bytes_of(value));
}

void receive_results(Communicator& communicator, int from, replay::RankResults& all) {
  const json results = json::parse(receive_text(communicator, from, kResults));
  for (const json& tap : results.at("taps")) {
    const Tensor value = Tensor::unwritten(parse_dtype(tap[1].get<std::string>()).value(), tap[2].get<Shape>(),
                                           tap[3].get<std::string>());
    communicator.receive(from, kResults, bytes_of(value));
    all.taps.emplace(tap[0].get<std::string>(), value);
  }
  for (const json& link : results.at("links")) all.links[{link[0], link[1], link[2]}] += {link[3], link[4]};
  for (const auto& [node, why] : results.at("refused").items()) all.refused.emplace(node, why.get<std::string>());
}

/// Runs `body`. What it throws is a failure of this rank, and ends all of them.
template <class Body>
void as_rank(Communicator& communicator, const Body& body) {
  try {
    body();
  } catch (const ranks::RankFailed&) {
    throw;
  } catch (const std::exception& error) {
    communicator.fail(ranks::reason_of(error));
    throw;
  }
}

}  // namespace

replay::RankResults walk_in_processes(const replay::RankedWalk& walk, const golden::Golden& golden,
                                      const RunOptions& options, Communicator& communicator) {
  replay::RankResults all;
  as_rank(communicator, [&] {
    const std::string order = order_of(walk, golden, options).dump();
    for (int rank = 1; rank < communicator.size(); ++rank) send_text(communicator, rank, kOrders, order);
    ranks::name_thread(0);  // from here on the others wait for this rank
    all = replay::walk_rank(walk, communicator);
    for (int rank = 1; rank < communicator.size(); ++rank) receive_results(communicator, rank, all);
    for (int rank = 1; rank < communicator.size(); ++rank) send_text(communicator, rank, kTaken, "");
  });
  return all;
}

void serve_walks(const RunOptions& options, Communicator& communicator) {
  as_rank(communicator, [&] {
    while (true) {
      const std::string order = receive_text(communicator, 0, kOrders);
      if (order.empty()) return;
      send_results(served(json::parse(order), options, communicator), communicator);
      static_cast<void>(receive_text(communicator, 0, kTaken));
    }
  });
}

void dismiss_servers(Communicator& communicator) {
  for (int rank = 1; rank < communicator.size(); ++rank) send_text(communicator, rank, kOrders, "");
}

std::string plan_key(const Plan& plan) {
  uint64_t key = 0xcbf29ce484222325ULL;  // FNV-1a
  const auto add = [&](const std::string& text) {
    for (const char c : text + '\n') key = (key ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  };
  add(plan.system + " " + plan.profile + " " + parity::to_string(plan.working));
  for (const Node& node : plan.nodes) {
    add(fmt::format("{} {} {}", node.component, node.prefix, node.rank));
    for (const auto& [field, list] : node.inputs) {
      for (const Operand& operand : list) add(field + " " + operand.name);
    }
  }
  for (const auto& [tap, info] : plan.taps) add(fmt::format("{} {} {}", tap, info.axes, parity::to_string(info.shape)));
  return fmt::format("{:016x}", key);
}

}  // namespace parity::compare
