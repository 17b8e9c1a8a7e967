// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "ranks/build_id.hpp"

#include <cstring>

#include <fmt/format.h>
#include <link.h>

namespace parity::ranks {
namespace {

size_t padded(size_t length) { return (length + 3) / 4 * 4; }

/// The build id among the notes of a segment; empty if it is not there.
std::string id_in(const char* notes, size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head{};
    std::memcpy(&head, notes, sizeof head);
    const char* name = notes + sizeof head;
    const char* value = name + padded(head.n_namesz);
    if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
      std::string id;
      for (size_t i = 0; i < head.n_descsz; ++i) id += fmt::format("{:02x}", static_cast<unsigned char>(value[i]));
      return id;
    }
    const size_t whole = sizeof head + padded(head.n_namesz) + padded(head.n_descsz);
    if (whole > size) break;
    notes += whole;
    size -= whole;
  }
  return {};
}

/// Of the first object, which is the program.
int look(dl_phdr_info* program, size_t, void* result) {
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    const auto& segment = program->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* notes = reinterpret_cast<const char*>(program->dlpi_addr + segment.p_vaddr);
    if (std::string id = id_in(notes, segment.p_memsz); !id.empty()) *static_cast<std::string*>(result) = id;
  }
  return 1;
}

}  // namespace

std::string build_id() {
  std::string id = "unknown";
  dl_iterate_phdr(&look, &id);
  return id;
}

}  // namespace parity::ranks
