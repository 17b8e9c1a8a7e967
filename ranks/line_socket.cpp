// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "ranks/line_socket.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.hpp"

namespace parity::ranks {
namespace {

constexpr int kPatience = 60000;  // ms, for the connections at the start

[[noreturn]] void refuse(const char* what) {
  throw Error(ErrorCode::device,
              fmt::format("ranks cannot be connected: {}: {}; allow TCP between them", what, std::strerror(errno)));
}

void wait_for(int descriptor, short events, const char* what) {
  pollfd waited{descriptor, events, 0};
  errno = ETIMEDOUT;
  if (poll(&waited, 1, kPatience) != 1) refuse(what);
}

}  // namespace

LineSocket::~LineSocket() { close(descriptor_); }

void LineSocket::send(const std::string& line, bool droppable) {
  if (droppable && !unsent_.empty()) return;
  unsent_ += line;
  unsent_ += '\n';
  flush();
}

bool LineSocket::flush() {
  while (!unsent_.empty()) {
    const ssize_t sent = ::send(descriptor_, unsent_.data(), unsent_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
    if (sent <= 0) return unsent_.clear(), true;  // nobody is there to read it
    unsent_.erase(0, static_cast<size_t>(sent));
  }
  return true;
}

std::vector<std::string> LineSocket::lines(bool& ended) {
  std::array<char, 4096> block{};
  ended = false;
  while (true) {
    const ssize_t count = recv(descriptor_, block.data(), block.size(), MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (count <= 0) {
      ended = true;
      break;
    }
    unread_.append(block.data(), static_cast<size_t>(count));
  }
  std::vector<std::string> found;
  for (size_t end = unread_.find('\n'); end != std::string::npos; end = unread_.find('\n')) {
    found.push_back(unread_.substr(0, end));
    unread_.erase(0, end + 1);
  }
  return found;
}

Listener listening(bool everywhere) {
  Listener listener;
  listener.descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener.descriptor < 0) refuse("socket");
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(everywhere ? INADDR_ANY : INADDR_LOOPBACK);
  auto* address = reinterpret_cast<sockaddr*>(&any);
  socklen_t length = sizeof any;
  if (bind(listener.descriptor, address, length) != 0) refuse("bind");
  if (listen(listener.descriptor, SOMAXCONN) != 0) refuse("listen");
  if (getsockname(listener.descriptor, address, &length) != 0) refuse("getsockname");
  listener.port = ntohs(any.sin_port);
  return listener;
}

int accepted(const Listener& listener) {
  wait_for(listener.descriptor, POLLIN, "nobody connects");
  const int descriptor = accept4(listener.descriptor, nullptr, nullptr, SOCK_CLOEXEC);
  if (descriptor < 0) refuse("accept");
  return descriptor;
}

int connected_to(const std::string& host, int port) {
  addrinfo wanted{};
  wanted.ai_family = AF_INET;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int status = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found);
  PARITY_CHECK(status == 0, device, "ranks cannot be connected: {}: {}", host, gai_strerror(status));
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool done = descriptor >= 0 && connect(descriptor, found->ai_addr, found->ai_addrlen) == 0;
  freeaddrinfo(found);
  if (!done) refuse(("connect to " + host).c_str());
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return descriptor;
}

void read_whole(int descriptor, char* bytes, size_t count) {
  while (count > 0) {
    wait_for(descriptor, POLLIN, "no greeting");
    const ssize_t got = recv(descriptor, bytes, count, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) refuse("recv");
    bytes += got;
    count -= static_cast<size_t>(got);
  }
}

void write_whole(int descriptor, const char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t sent = ::send(descriptor, bytes, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) refuse("send");
    bytes += sent;
    count -= static_cast<size_t>(sent);
  }
}

}  // namespace parity::ranks
