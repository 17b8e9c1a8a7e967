// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Watches over ranks of this one process: all name the rank that has died, is silent, or lets the others wait.
#include "ranks/watch.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

namespace parity::ranks {
namespace {

using std::chrono::milliseconds;

std::vector<Mesh> meshes(size_t size) {
  std::vector<Mesh> all(size);
  for (Mesh& mesh : all) mesh.resize(size);
  for (size_t a = 0; a < size; ++a) {
    for (size_t b = a + 1; b < size; ++b) {
      std::array<int, 2> ends{};
      EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
      all[a][b] = std::make_unique<LineSocket>(ends[0]);
      all[b][a] = std::make_unique<LineSocket>(ends[1]);
    }
  }
  return all;
}

/// Ranks and what they said at their end.
class Watched {
 public:
  Watched(size_t size, milliseconds patience)
      : said(size), meshes_(meshes(size)), watches_(size), patience_(patience) {}
  ~Watched() {
    for (auto& watch : watches_) {
      if (watch) watch->part();
    }
  }

  Watch& start(int rank) {
    const auto r = static_cast<size_t>(rank);
    const auto say = [this, r](const RankFailed& failure) { said[r] = failure.what(); };
    return *(watches_[r] = std::make_unique<Watch>(rank, std::move(meshes_[r]), patience_, Watch::Ends{say, {}}));
  }
  /// The process of a rank ends without a word.
  void kill(int rank) { meshes_[static_cast<size_t>(rank)].clear(); }

  /// What a rank says, once it has ended.
  std::string end_of(int rank) {
    Watch& watch = *watches_[static_cast<size_t>(rank)];
    try {
      for (int looks = 0; looks < 2000; ++looks) {
        watch.require_all();
        std::this_thread::sleep_for(milliseconds(10));
      }
    } catch (const RankFailed& failure) {
      EXPECT_EQ(said[static_cast<size_t>(rank)], failure.what());
      return failure.what();
    }
    return "it goes on";
  }

  std::vector<std::string> said;

 private:
  std::vector<Mesh> meshes_;
  std::vector<std::unique_ptr<Watch>> watches_;
  milliseconds patience_;
};

TEST(Watch, AllNameTheRankWhoseProcessHasEnded) {
  Watched ranks(4, milliseconds(20000));
  for (const int rank : {0, 1, 3}) ranks.start(rank);
  ranks.kill(2);
  for (const int rank : {0, 1, 3}) EXPECT_EQ(ranks.end_of(rank), "rank 2 of 4 failed: its process has ended");
}

TEST(Watch, AllNameTheRankThatSaysWhyItFails) {
  Watched ranks(3, milliseconds(20000));
  std::vector<Watch*> all;
  for (const int rank : {0, 1, 2}) all.push_back(&ranks.start(rank));
  all[0]->fail(0, "no\nmemory");
  for (const int rank : {1, 2}) EXPECT_EQ(ranks.end_of(rank), "rank 0 of 3 failed: no memory");
}

TEST(Watch, SilenceIsAFailure) {
  Watched ranks(3, milliseconds(300));
  for (const int rank : {0, 2}) ranks.start(rank);  // rank 1 is stopped: its streams are open
  for (const int rank : {0, 2})
    EXPECT_EQ(ranks.end_of(rank), "rank 1 of 3 failed: it has given no sign of life for 300 ms");
}

TEST(Watch, BlamesTheEndOfTheChainOfThoseWhoWait) {
  Watched ranks(4, milliseconds(400));
  std::vector<Watch*> all;
  for (const int rank : {0, 1, 2, 3}) all.push_back(&ranks.start(rank));
  all[0]->waits_for(1, false);
  all[1]->waits_for(3, false);
  all[2]->waits_for(0, false);  // rank 3 computes for ever
  for (const int rank : {0, 1, 2, 3})
    EXPECT_EQ(ranks.end_of(rank), "rank 3 of 4 failed: it has not sent what others wait for, for 400 ms");
}

TEST(Watch, ACircleIsBlamedOnItsLowestRank) {
  Watched ranks(3, milliseconds(400));
  std::vector<Watch*> all;
  for (const int rank : {0, 1, 2}) all.push_back(&ranks.start(rank));
  all[0]->waits_for(2, false);
  all[2]->waits_for(1, false);
  all[1]->waits_for(2, false);
  EXPECT_EQ(ranks.end_of(0), "rank 1 of 3 failed: it has not sent what others wait for, for 400 ms");
}

TEST(Watch, WhoWaitsForOrdersMayWaitForEver) {
  Watched ranks(2, milliseconds(200));
  ranks.start(0);
  Watch& server = ranks.start(1);
  server.waits_for(0, true);
  std::this_thread::sleep_for(milliseconds(800));
  EXPECT_NO_THROW(server.require_all());
}

TEST(Watch, WhoHasPartedMayEnd) {
  Watched ranks(2, milliseconds(20000));
  Watch& other = ranks.start(1);
  {
    Watch& first = ranks.start(0);
    first.part();
  }
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_NO_THROW(other.require_all());
}

}  // namespace
}  // namespace parity::ranks
