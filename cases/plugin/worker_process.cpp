// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/plugin/worker_process.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases/plugin/process_table.hpp"
#include "cases/plugin/started_worker.hpp"
#include "core/found_error.hpp"
#include "golden/files/one_line.hpp"
#include "golden/files/strict_json.hpp"

namespace parity::cases {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;
constexpr size_t kKept = 2048;                      // bytes of output that an error shows
constexpr size_t kMostPrinted = size_t{64} << 20U;  // bytes of output of one call

std::string ending(int status) {
  if (WIFSIGNALED(status)) {
    if (WTERMSIG(status) == SIGSYS) return "was ended by SIGSYS: it made a system call that a kernel must not make";
    const char* name = sigabbrev_np(WTERMSIG(status));
    return fmt::format("was ended by SIG{}", name == nullptr ? "?" : name);
  }
  return fmt::format("ended with exit code {} before it answered", WEXITSTATUS(status));
}

std::vector<std::string> last_lines(const std::string& printed) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < printed.size();) {
    const size_t end = std::min(printed.find('\n', at), printed.size());
    if (end > at) lines.push_back(golden::one_line(printed.substr(at, end - at)));
    at = end + 1;
  }
  constexpr size_t kMost = 6;
  if (lines.size() > kMost) lines.erase(lines.begin(), lines.end() - kMost);
  return lines;
}

}  // namespace

WorkerProcess::WorkerProcess(const WorkerSource& source)
    : forks_(source.forks), starts_processes_(source.starts_processes) {
  std::optional<golden::CleanUpWaits> until_noted;  // not while another program is asked: that may take a minute
  if (forks_ < 0) until_noted.emplace();
  const StartedWorker started = forks_ < 0 ? start_worker(source.words) : fork_worker(forks_);
  process_ = started.process;
  group_.emplace(process_);
  socket_.emplace(started.socket);
  output_ = started.output;
}

WorkerProcess::~WorkerProcess() {
  kill_now();
  if (output_ >= 0) close(output_);
}

void WorkerProcess::drain() {
  std::array<char, 65536> buffer;
  for (ssize_t count = 0; (count = read(output_, buffer.data(), buffer.size())) > 0;) {
    printed_bytes_ += static_cast<size_t>(count);
    printed_.append(buffer.data(), static_cast<size_t>(count));
    if (printed_.size() > kKept) printed_.erase(0, printed_.size() - kKept);
    if (printed_bytes_ > kMostPrinted) return;
  }
}

std::string WorkerProcess::end() {
  // A process that ends by itself says how; one that only closed its socket is given a moment.
  constexpr int kPatience = 1000;  // ms: on a busy machine Python needs a while to end
  std::optional<int> status = reap(process_, forks_, false);
  for (int i = 0; !status && i < kPatience && forks_ < 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    status = reap(process_, forks_, false);
  }
  const bool ran = !status;
  kill(-process_, SIGKILL);
  if (ran) status = reap(process_, forks_, true);
  drain();
  group_.reset();
  socket_.reset();
  const bool killed = ran && WIFSIGNALED(*status) && WTERMSIG(*status) == SIGKILL;
  return killed ? "closed its socket before it answered" : ending(*status);
}

void WorkerProcess::kill_now() {
  if (!lives()) return;
  kill(-process_, SIGKILL);
  if (forks_ < 0) (void)reap(process_, forks_, true);  // who forked reaps the others
  drain();
  group_.reset();
  socket_.reset();
}

void WorkerProcess::condemn(const std::string& reason) {
  kill_now();
  const auto lines = last_lines(printed_);
  std::string message = fmt::format("the kernel's process {}", reason);
  for (size_t i = 0; i < lines.size(); ++i) message += fmt::format("{}{}", i == 0 ? ": " : " | ", lines[i]);
  std::vector<FoundError::Lines> findings;
  if (!lines.empty()) findings.push_back(lines);
  throw FoundError(ErrorCode::device, message, fmt::format("the kernel's process {}", reason), findings);
}

Json WorkerProcess::answer_in(const std::string& line) {
  try {
    golden::check_nesting(line);
  } catch (const Error& error) {
    condemn(fmt::format("answered with an invalid line: {}", error.what()));
  }
  Json answer = Json::parse(line, nullptr, false);
  if (!answer.is_object()) condemn("answered with a line that is not a JSON object");
  return answer;
}

Json WorkerProcess::ask(const Json& question, double timeout_s, std::span<const int> descriptors) {
  const std::string text = question.dump() + "\n";
  const auto deadline = Clock::now() + std::chrono::duration<double>(timeout_s);
  printed_.clear();
  printed_bytes_ = 0;
  if (socket_->receive() == LineSocket::State::open && socket_->has_rest())
    condemn("sent an answer without a question");
  size_t sent = 0;
  auto asked = Clock::now();
  while (true) {
    if (sent < text.size()) {
      const size_t before = sent;
      sent += socket_->send(std::string_view(text).substr(sent), sent == 0 ? descriptors : std::span<const int>{});
      if (sent > before) asked = Clock::now();
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) condemn(fmt::format("gave no answer within {} s", timeout_s));
    std::array<pollfd, 2> events{pollfd{socket_->descriptor(), POLLIN, 0}, pollfd{output_, POLLIN, 0}};
    if (sent < text.size()) events[0].events |= POLLOUT;
    if (poll(events.data(), output_ < 0 ? 1 : 2, static_cast<int>(std::min<int64_t>(left + 1, 1000))) < 0) continue;
    if (events[0].revents != 0) {
      const auto state = socket_->receive();
      if (const auto line = socket_->line()) {
        seconds_ = std::chrono::duration<double>(Clock::now() - asked).count();
        return answer_in(*line);
      }
      if (state == LineSocket::State::closed) condemn(end());
      if (state == LineSocket::State::too_long) condemn("answered with a line of more than a megabyte");
    }
    if (events[1].revents != 0) drain();
    if (printed_bytes_ > kMostPrinted) condemn(fmt::format("printed more than {} MiB", kMostPrinted >> 20U));
    if ((events[1].revents & POLLHUP) != 0 && (events[1].revents & POLLIN) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // it closed its output, and may still answer
  }
}

void WorkerProcess::freeze() {
  constexpr auto kPatience = std::chrono::seconds(5);
  const auto deadline = Clock::now() + kPatience;
  kill(-process_, SIGSTOP);
  while (true) {
    const auto states = thread_states(process_);
    if (states.empty() || states.front() == 'Z') condemn(end());
    if (std::all_of(states.begin(), states.end(), [](char state) { return state == 'T' || state == 't'; })) return;
    if (Clock::now() > deadline) condemn("cannot be stopped");
    std::this_thread::yield();
  }
}

void WorkerProcess::thaw() { kill(-process_, SIGCONT); }

void WorkerProcess::settle() const {
  constexpr auto kPatience = std::chrono::milliseconds(50);
  const auto runs = [](char state) { return state == 'R' || state == 'D'; };
  for (const auto deadline = Clock::now() + kPatience; Clock::now() < deadline;) {
    std::this_thread::sleep_for(std::chrono::microseconds(500));
    const auto states = thread_states(process_);
    if (std::none_of(states.begin(), states.end(), runs)) return;
  }
}

int64_t WorkerProcess::threads() const { return static_cast<int64_t>(thread_states(process_).size()); }

int64_t WorkerProcess::others() const {
  return starts_processes_ ? std::max<int64_t>(processes_of_group(process_) - 1, 0) : 0;
}

}  // namespace parity::cases
