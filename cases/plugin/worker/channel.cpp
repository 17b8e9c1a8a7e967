// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/plugin/worker/channel.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <sys/socket.h>

namespace parity::worker {
namespace {

constexpr size_t kMostDescriptors = 4;

void take_descriptors(msghdr& message, std::vector<int>& descriptors) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    const size_t before = descriptors.size();
    descriptors.resize(before + count);
    std::memcpy(descriptors.data() + before, CMSG_DATA(part), count * sizeof(int));
  }
}

}  // namespace

std::optional<nlohmann::json> Channel::question(std::vector<int>& descriptors) {
  size_t end = 0;
  while ((end = read_.find('\n')) == std::string::npos) {
    std::array<char, 65536> buffer;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostDescriptors * sizeof(int))> control;
    iovec bytes{buffer.data(), buffer.size()};
    msghdr message{};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t count = recvmsg(socket_, &message, MSG_CMSG_CLOEXEC);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    take_descriptors(message, descriptors);
    read_.append(buffer.data(), static_cast<size_t>(count));
  }
  const std::string line = read_.substr(0, end);
  read_.erase(0, end + 1);
  return nlohmann::json::parse(line);
}

void Channel::answer(const nlohmann::json& message) const {
  const std::string line = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  for (size_t at = 0; at < line.size();) {
    const ssize_t count = send(socket_, line.data() + at, line.size() - at, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return;  // the judge is gone; the next question says so
    at += static_cast<size_t>(count);
  }
}

}  // namespace parity::worker
