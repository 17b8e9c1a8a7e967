// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "ranks/nccl_communicator.hpp"

#include <algorithm>
#include <optional>

#include "ranks/nccl_library.hpp"

namespace parity::ranks {
namespace {

std::optional<NcclType> type_of(DType type) {
  if (type == DType::f32) return nccl_f32;
  if (type == DType::f64) return nccl_f64;
  if (type == DType::bf16) return nccl_bf16;
  return std::nullopt;
}

}  // namespace

NcclCommunicator::NcclCommunicator(Communicator& others, Place& gpu) : others_(others), gpu_(gpu) {
  static_cast<void>(nccl());
}

NcclCommunicator::~NcclCommunicator() {
  for (const auto& [group, handle] : groups_) nccl().leave(handle);
}

void* NcclCommunicator::joined(std::span<const int> group, int tag) {
  void*& handle = groups_[{group.begin(), group.end()}];
  if (handle != nullptr) return handle;
  NcclId id;
  if (rank() == group.front()) {
    require_nccl(nccl().make_id(&id), "ncclGetUniqueId");
    for (const int other : group.subspan(1)) send(other, tag, std::as_bytes(std::span(&id, 1)));
  } else {
    receive(group.front(), tag, std::as_writable_bytes(std::span(&id, 1)));
  }
  const auto seat = static_cast<int>(std::find(group.begin(), group.end(), rank()) - group.begin());
  gpu_.wait();  // the calling thread's GPU is now this one
  require_nccl(nccl().join(&handle, static_cast<int>(group.size()), id, seat), "ncclCommInitRank");
  return handle;
}

bool NcclCommunicator::sum(std::span<const int> group, int tag, DType type, Bytes values) {
  const auto known = type_of(type);
  if (!known) return false;
  if (values.empty()) return true;
  void* handle = joined(group, tag);
  const auto memory = gpu_.allocate(values.size());
  gpu_.write(memory.get(), values.data(), values.size());
  const size_t count = values.size() / static_cast<size_t>(size_of(type));
  require_nccl(nccl().all_reduce(memory.get(), memory.get(), count, *known, nccl_sum, handle, gpu_.stream()),
               "ncclAllReduce");
  gpu_.read(values.data(), memory.get(), values.size());
  return true;
}

}  // namespace parity::ranks
