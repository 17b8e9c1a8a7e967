// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Instructions that wait for lanes of the warp (.sync). Instructions that name the same lanes meet, wherever they stand
// in the code.
#include <bit>

#include "optimized/ptx/machine/machine.hpp"

namespace parity::ptx {
namespace {

/// Whether two instructions are the same but for their operands.
bool alike(const Step& a, const Step& b) { return a.run == b.run && a.mode == b.mode && a.mode2 == b.mode2; }

}  // namespace

bool Warp::satisfied(const Fragment& fragment) const {
  const Step& step = step_at(*fragment.frame, fragment.pc);
  Mask there = 0;
  for (const Fragment& f : fragments) {
    const bool meets = f.state == Fragment::State::meeting && f.members == fragment.members;
    if (meets && alike(step_at(*f.frame, f.pc), step)) there |= f.mask;
  }
  return (fragment.members & live & ~there) == 0;
}

/// Lanes that waited for others execute their instruction now, which may be this one or an equal one elsewhere in the
/// text.
void Warp::count_party(const Step& step, const Fragment& fragment, bool another) {
  const Code& code = *fragment.frame->code;
  if (another) ++worker->counts[code.index][fragment.pc];
  if (worker->counting != nullptr)
    worker->counting->of(code, step).lanes += static_cast<uint64_t>(std::popcount(fragment.mask));
}

bool Warp::meet(const Step& step, Mask members) {
  parties.clear();
  if ((mask & ~members) != 0) {
    find(Finding::Kind::warp_divergence, step, static_cast<uint32_t>(std::countr_zero(mask & ~members)),
         fmt::format("a lane that the mask {:08x} does not name executes it", members));
    members |= mask;
  }
  parties.push_back({&step, registers, mask});
  Mask missing = members & live & ~mask;
  if (missing == 0) return true;
  for (const Fragment& f : fragments) {
    const bool meets = f.state == Fragment::State::meeting && f.members == members;
    if (meets && alike(step_at(*f.frame, f.pc), step)) missing &= ~f.mask;
  }
  if (missing != 0) {
    wait(Fragment::State::meeting, pc, 0, members);
    return false;
  }
  for (Fragment& f : fragments) {
    if (f.state != Fragment::State::meeting || f.members != members) continue;
    const Step& other = step_at(*f.frame, f.pc);
    if (!alike(other, step)) continue;
    parties.push_back({&other, f.frame->file.get(), f.mask});
    count_party(other, f, &other != &step);
    f.state = Fragment::State::ready;
    ++f.pc;
    if (f.frame == frame && f.pc > pc) limit_ = std::min(limit_, f.pc);
  }
  return true;
}

}  // namespace parity::ptx
