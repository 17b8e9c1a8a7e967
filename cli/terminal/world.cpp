// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/terminal/world.hpp"

#include <algorithm>
#include <set>

#include <omp.h>

#include "cli/terminal/progress.hpp"
#include "compare/ranks/rank_service.hpp"
#include "core/environment.hpp"
#include "golden/files/leftovers.hpp"
#include "optimized/backends.hpp"
#include "ranks/build_id.hpp"
#include "ranks/mpi_transport.hpp"
#include "ranks/nccl_communicator.hpp"
#include "ranks/nccl_library.hpp"

namespace parity::cli {
namespace {

using std::chrono::milliseconds;

/// Until a launcher ends the ranks that outlive another one: Open MPI sends SIGTERM, and SIGKILL a second later.
constexpr milliseconds kBeforeSigterm{800};

milliseconds timeout_of(const RunOptions& options) {
  constexpr double kMilliseconds = 1000.0;
  return milliseconds(static_cast<int64_t>(options.timeout_s * kMilliseconds));
}

/// Every process says it, whoever else is silent.
void say(const ranks::RankFailed& failure) {
  be_silent(false);
  complain(failure.what());
}

/// Ends this process when a rank has failed. Nothing that was judged so far is shown: there is no half report.
void leave() { golden::clean_up_and_end(broken); }

/// Ends every process, each with one line, if a rank runs another build than most; of two halves it is the one without
/// rank 0.
void require_one_build(ranks::Transport& transport) {
  const std::string own = fmt::format("parity {} (build {})", capture_environment().version, ranks::build_id());
  const std::vector<std::string> builds = transport.exchange(own);
  std::string most = builds.front();
  for (const std::string& build : builds) {
    if (std::count(builds.begin(), builds.end(), build) > std::count(builds.begin(), builds.end(), most)) most = build;
  }
  const auto odd = std::find_if(builds.begin(), builds.end(), [&](const std::string& build) { return build != most; });
  if (odd == builds.end()) return;
  say({static_cast<int>(odd - builds.begin()), transport.size(),
       fmt::format("this rank runs {}, other ranks run {}; start the same build on all ranks", *odd, most)});
  transport.exchange({});  // a launcher ends the others as soon as one process has left
  transport.finish();
  leave();
}

}  // namespace

compare::Ranks ranks_on_threads(const RunOptions& options) {
  return [timeout = timeout_of(options)](const replay::RankedWalk& walk, const auto&, const auto&) {
    return replay::walk_ranks(walk, timeout, [](const ranks::RankFailed& failure) {
      say(failure);
      leave();
    });
  };
}

replay::Wrap nccl_wrap(const RunOptions& options) {
  if (!options.nccl) return {};
  PARITY_CHECK(!options.layout.single(), usage, "--nccl needs several ranks; add --tp N, --ep N or --dp N");
  const optimized::Backend* cuda = optimized::find_backend("cuda");
  PARITY_CHECK(cuda != nullptr, device, "--nccl: this build has no backend cuda; build parity with CUDA");
  cuda->require();
  static_cast<void>(ranks::nccl_version());
  std::set<const Place*> gpus;
  const int64_t ranks = options.layout.ranks();
  for (int rank = 0; rank < ranks; ++rank) gpus.insert(&cuda->place(rank));
  const bool enough = ranks::launched_by_mpi() || static_cast<int64_t>(gpus.size()) == ranks;
  PARITY_CHECK(enough, device, "--nccl needs a GPU for each of {} ranks; this machine has {}", ranks, gpus.size());
  return [cuda](ranks::Communicator& others) {
    return std::make_unique<ranks::NcclCommunicator>(others, cuda->place(others.rank()));
  };
}

std::unique_ptr<World> World::join(const RunOptions& options) {
  if (options.layout.single() || !ranks::launched_by_mpi()) return nullptr;
  auto transport = ranks::mpi_transport();
  require_one_build(*transport);
  be_silent(transport->rank() != 0);
  const int size = transport->size();
  if (size != options.layout.ranks()) {
    transport->finish();
    throw Error(ErrorCode::usage,
                fmt::format("{} processes were started, but {} ranks are needed for {}; start one process per rank",
                            size, options.layout.ranks(), options.layout.text()));
  }
  return std::unique_ptr<World>(new World(std::move(transport), options));
}

World::World(std::unique_ptr<ranks::Transport> transport, const RunOptions& options)
    : threads_(std::max(omp_get_max_threads() / ranks::launched_here(transport->size()), 1)),
      transport_(std::move(transport)) {
  golden::take_time_before_sigterm(kBeforeSigterm);
  const auto exchange = [this](const std::string& own) { return transport_->exchange(own); };
  ranks::Mesh mesh = ranks::connected(transport_->rank(), transport_->size(), exchange);
  watch_.emplace(transport_->rank(), std::move(mesh), timeout_of(options) * 3 / 4, ranks::Watch::Ends{say, leave});
  communicator_.emplace(*transport_, *watch_);
}

World::~World() {
  try {
    if (rank() == 0) compare::dismiss_servers(*communicator_);
    transport_->finish();
  } catch (const std::exception& error) {
    communicator_->fail(error.what());
  }
  watch_->part();
  golden::take_time_before_sigterm({});
}

compare::Ranks World::walks() {
  return [this](const replay::RankedWalk& walk, const golden::Golden& golden, const compare::RunOptions& options) {
    const int all = omp_get_max_threads();  // which rank 0 has to itself between walks
    omp_set_num_threads(threads_);
    replay::RankResults results = compare::walk_in_processes(walk, golden, options, *communicator_);
    ranks::name_thread(-1);
    omp_set_num_threads(all);
    return results;
  };
}

void World::serve(const compare::RunOptions& judged) {
  omp_set_num_threads(threads_);
  ranks::name_thread(rank());
  compare::serve_walks(judged, *communicator_);
}

}  // namespace parity::cli
