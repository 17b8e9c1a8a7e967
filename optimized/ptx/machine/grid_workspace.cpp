// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/machine/grid_workspace.hpp"

#include <algorithm>
#include <array>

#include "optimized/ptx/machine/program.hpp"

namespace parity::ptx {
namespace {

bool reads_address(const Code& code) {
  return std::any_of(code.specials.begin(), code.specials.end(), [](const auto& special) {
    return special.first == Special::envreg1 || special.first == Special::envreg2;
  });
}

}  // namespace

GridWorkspace::GridWorkspace(const Program& program, Device& device) : device_(device) {
  if (std::none_of(program.codes().begin(), program.codes().end(), reads_address)) return;
  constexpr std::array<uint32_t, 2> kFresh{2 * sizeof(uint32_t), 0};
  address_ = device.upload(std::span<const uint32_t>(kFresh));
}

GridWorkspace::~GridWorkspace() {
  if (address_ != 0) device_.free(address_);
}

}  // namespace parity::ptx
