// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/plugin/line_socket.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.hpp"

namespace parity::cases {
namespace {

constexpr size_t kMostDescriptors = 4;
constexpr size_t kLongestLine = size_t{1} << 20U;

}  // namespace

LineSocket::LineSocket(int descriptor) : descriptor_(descriptor) {
  (void)fcntl(descriptor_, F_SETFL, fcntl(descriptor_, F_GETFL) | O_NONBLOCK);
}

LineSocket::~LineSocket() { close(descriptor_); }

std::array<int, 2> LineSocket::pair() {
  std::array<int, 2> ends{};
  PARITY_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0, device,
               "cannot create a socket ({}); close some files", std::strerror(errno));
  return ends;
}

size_t LineSocket::send(std::string_view text, std::span<const int> descriptors) const {
  iovec bytes{const_cast<char*>(text.data()), text.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostDescriptors * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(part), descriptors.data(), descriptors.size_bytes());
  }
  const ssize_t count = sendmsg(descriptor_, &message, MSG_NOSIGNAL);
  return count < 0 ? 0 : static_cast<size_t>(count);
}

LineSocket::State LineSocket::receive() {
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t count = recv(descriptor_, buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return State::open;
    if (count <= 0) return State::closed;
    read_.append(buffer.data(), static_cast<size_t>(count));
    if (read_.size() > kLongestLine) return State::too_long;
  }
}

std::optional<std::string> LineSocket::line() {
  const size_t end = read_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = read_.substr(0, end);
  read_.erase(0, end + 1);
  return line;
}

}  // namespace parity::cases
