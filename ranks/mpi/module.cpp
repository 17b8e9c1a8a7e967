// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The module libparity_mpi: MPI as a transport. Only this file sees mpi.h; the program loads it where mpirun started it.
// It has no symbol of the program, so its errors are those of the standard library.
#include <algorithm>
#include <climits>
#include <cstring>
#include <list>
#include <memory>
#include <stdexcept>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include "ranks/transport.hpp"

namespace parity::ranks {
namespace {

/// A message is one message of MPI, so its length is an int there.
constexpr size_t kMostBytes = INT_MAX;
constexpr int kTag = 1;

class MpiTransport final : public Transport {
 public:
  MpiTransport() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }

  void send(int to, std::span<const std::byte> head, std::span<const std::byte> body) override {
    std::erase_if(sent_, [](Sent& sent) { return sent.done(); });
    const size_t length = head.size() + body.size();
    if (length > kMostBytes) throw std::length_error("a message of more than 2 GiB; MPI takes no more");
    Sent& sent = sent_.emplace_back();
    sent.bytes.resize(length);
    std::copy(head.begin(), head.end(), sent.bytes.begin());
    std::copy(body.begin(), body.end(), sent.bytes.begin() + static_cast<int64_t>(head.size()));
    require(MPI_Isend(sent.bytes.data(), static_cast<int>(length), MPI_BYTE, to, kTag, MPI_COMM_WORLD, &sent.request),
            "MPI_Isend");
  }

  [[nodiscard]] Message poll() override {
    int there = 0;
    MPI_Message found = MPI_MESSAGE_NULL;
    MPI_Status status{};
    require(MPI_Improbe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &there, &found, &status), "MPI_Improbe");
    Message message;
    if (there == 0) return message;
    int length = 0;
    require(MPI_Get_count(&status, MPI_BYTE, &length), "MPI_Get_count");
    message.from = status.MPI_SOURCE;
    message.bytes.resize(static_cast<size_t>(length));
    require(MPI_Mrecv(message.bytes.data(), length, MPI_BYTE, &found, MPI_STATUS_IGNORE), "MPI_Mrecv");
    return message;
  }

  [[nodiscard]] std::vector<std::string> exchange(const std::string& own) override {
    constexpr size_t kLongest = 1024;
    if (own.size() >= kLongest) throw std::length_error("a text for all ranks is too long");
    std::vector<char> all(kLongest * static_cast<size_t>(size_));
    std::vector<char> mine(kLongest);
    std::copy(own.begin(), own.end(), mine.begin());
    require(MPI_Allgather(mine.data(), kLongest, MPI_CHAR, all.data(), kLongest, MPI_CHAR, MPI_COMM_WORLD),
            "MPI_Allgather");
    std::vector<std::string> texts;
    for (size_t r = 0; r < static_cast<size_t>(size_); ++r) texts.emplace_back(all.data() + r * kLongest);
    return texts;
  }

  void finish() override {
    for (Sent& sent : sent_) require(MPI_Wait(&sent.request, MPI_STATUS_IGNORE), "MPI_Wait");
    sent_.clear();
    require(MPI_Finalize(), "MPI_Finalize");
  }

  [[nodiscard]] std::string version() const override { return library_version(); }

  static std::string library_version() {
    std::vector<char> text(MPI_MAX_LIBRARY_VERSION_STRING);
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    std::string version(text.data());
    version = version.substr(0, version.find_first_of(",\n"));
    return version.starts_with("Open MPI v") ? "Open MPI " + version.substr(std::strlen("Open MPI v")) : version;
  }

 private:
  struct Sent {
    std::vector<std::byte> bytes;
    MPI_Request request = MPI_REQUEST_NULL;

    [[nodiscard]] bool done() {
      int finished = 0;
      require(MPI_Test(&request, &finished, MPI_STATUS_IGNORE), "MPI_Test");
      return finished != 0;
    }
  };

  static void require(int status, const char* what) {
    if (status == MPI_SUCCESS) return;
    std::vector<char> text(MPI_MAX_ERROR_STRING);
    int length = 0;
    MPI_Error_string(status, text.data(), &length);
    throw std::runtime_error(std::string(what) + ": " + text.data());
  }

  int rank_ = 0, size_ = 1;
  std::list<Sent> sent_;  // under way
};

}  // namespace
}  // namespace parity::ranks

extern "C" __attribute__((visibility("default"))) parity::ranks::Transport* parity_mpi_start() {
  return new parity::ranks::MpiTransport;
}

extern "C" __attribute__((visibility("default"))) const char* parity_mpi_version() {
  static const std::string version = parity::ranks::MpiTransport::library_version();
  return version.c_str();
}
