// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/edits/faulty_link.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "replay/ranks/ranked_run.hpp"

namespace parity::faults {
namespace {

using Message = std::vector<std::byte>;

void exchange_bytes(Message& message, size_t width) {
  for (size_t at = 0; at + width <= message.size(); at += width)
    std::reverse(message.begin() + static_cast<int64_t>(at), message.begin() + static_cast<int64_t>(at + width));
}

/// The first element at or after the middle that is not zero: one whose change shows.
size_t middle_of(const Message& message, size_t width) {
  size_t at = message.size() / width / 2 * width;
  const auto zero = [&](size_t element) {
    return std::all_of(message.begin() + static_cast<int64_t>(element),
                       message.begin() + static_cast<int64_t>(element + width),
                       [](std::byte b) { return b == std::byte{0}; });
  };
  while (at + 2 * width <= message.size() && zero(at)) at += width;
  return at;
}

/// The message as the receiver has it; `old` is the one before it on this link.
Message arrived(const FaultyMessage& fault, Message message, const Message& old) {
  const auto width = static_cast<size_t>(size_of(fault.type));
  const auto half = static_cast<int64_t>(message.size() / width / 2 * width);
  const size_t middle = middle_of(message, width);
  if (fault.how == "zero") return Message(message.size());
  if (fault.how == "stale") return old;
  if (fault.how == "truncated") std::fill(message.begin() + half, message.end(), std::byte{0});
  if (fault.how == "half_stale") std::copy(old.begin() + half, old.end(), message.begin() + half);
  if (fault.how == "shifted") std::rotate(message.begin(), message.end() - static_cast<int64_t>(width), message.end());
  if (fault.how == "bytes") exchange_bytes(message, width);
  if (fault.how == "bit") message[middle + width - 1] ^= std::byte{0x10};           // of the exponent
  if (fault.how == "mantissa_bit") message[middle + width - 2] ^= std::byte{0x40};  // half of the number
  if (fault.how == "last_bit") message[middle] ^= std::byte{0x01};
  for (size_t at = width - 1; fault.how == "negated" && at < message.size(); at += width)
    message[at] ^= std::byte{0x80};
  return message;
}

class FaultyLink final : public ranks::Communicator {
 public:
  FaultyLink(ranks::Communicator& inner, const Plan& plan, const std::vector<FaultyMessage>& messages) : inner_(inner) {
    const std::map<std::string, int> tags = replay::message_tags(plan);
    for (const FaultyMessage& message : messages) {
      if (message.to != inner.rank()) continue;
      faults_[{message.from, tags.at(message.tap)}] = message;
      if (message.how != "exchanged") continue;
      FaultyMessage back = message;
      std::swap(back.from, back.other);
      std::swap(back.tap, back.other_tap);
      faults_[{message.other, tags.at(message.other_tap)}] = back;
    }
    for (const auto& [key, fault] : faults_) {
      if (fault.other < 0) continue;
      other_tags_[key] = tags.at(fault.other_tap);
      others_.insert({fault.other, tags.at(fault.other_tap)});
    }
  }

  [[nodiscard]] int rank() const override { return inner_.rank(); }
  [[nodiscard]] int size() const override { return inner_.size(); }
  void send(int to, int tag, ranks::ConstBytes bytes) override { inner_.send(to, tag, bytes); }
  void fail(const std::string& why) noexcept override { inner_.fail(why); }

  void receive(int from, int tag, ranks::Bytes bytes) override {
    const Message right = taken(from, tag, bytes.size());
    if (others_.contains({from, tag})) kept_[{from, tag}] = right;
    const auto fault = faults_.find({from, tag});
    const Message arrived = fault == faults_.end() ? right : changed(fault->first, fault->second, right);
    std::copy(arrived.begin(), arrived.end(), bytes.begin());
    before_[{from, bytes.size()}] = right;
  }

 private:
  using Key = std::pair<int, int>;  // sender, tag

  /// The message as it was sent; one that was received early for another is taken from there.
  Message taken(int from, int tag, size_t size) {
    auto& early = early_[{from, tag}];
    if (!early.empty()) {
      Message message = std::move(early.front());
      early.erase(early.begin());
      return message;
    }
    Message message(size);
    inner_.receive(from, tag, message);
    return message;
  }

  Message changed(const Key& key, const FaultyMessage& fault, const Message& right) {
    if (fault.how == "other" || fault.how == "exchanged") {
      early_[key].push_back(right);  // the other one may ask for it
      const Key other{fault.other, other_tags_.at(key)};
      if (const auto kept = kept_.find(other); kept != kept_.end()) return kept->second;
      Message others = taken(other.first, other.second, right.size());
      early_[other].push_back(others);
      return others;
    }
    const auto before = before_.find({key.first, right.size()});
    const Message none = fault.how.ends_with("stale") ? right : Message(right.size());
    const Message& old = before == before_.end() ? none : before->second;
    return arrived(fault, right, old);
  }

  ranks::Communicator& inner_;
  std::map<Key, FaultyMessage> faults_;
  std::map<Key, int> other_tags_;
  std::set<Key> others_;         // messages that arrive in place of others
  std::map<Key, Message> kept_;  // those of them that are here: a tag has one message
  std::map<Key, std::vector<Message>> early_;
  std::map<std::pair<int, size_t>, Message> before_;  // key: sender, length
};

}  // namespace

const std::vector<std::string>& ways_to_arrive() {
  static const std::vector<std::string> ways{"zero",       "stale",   "shifted", "truncated",
                                             "half_stale", "bytes",   "bit",     "mantissa_bit",
                                             "last_bit",   "negated", "other",   "exchanged"};
  return ways;
}

std::unique_ptr<ranks::Communicator> faulty_link(ranks::Communicator& inner, const Plan& plan,
                                                 const std::vector<FaultyMessage>& messages) {
  return std::make_unique<FaultyLink>(inner, plan, messages);
}

}  // namespace parity::faults
