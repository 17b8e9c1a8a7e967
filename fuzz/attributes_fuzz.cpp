// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The attributes of a capture. Each line of the input is "NAME=VALUE" and sets an attribute of the root; a leading dot
// sets it on the tap, a leading colon on the group `weights`.
#include <set>

#include "fuzz/fuzz.hpp"
#include "golden/files/activation_writer.hpp"
#include "golden/files/one_line.hpp"
#include "golden/files/temporary_folder.hpp"
#include "golden/sources/capture_attributes.hpp"
#include "golden/sources/declaration.hpp"

namespace parity::fuzz {
namespace {

using namespace golden;

struct Line {
  char of = ' ';
  std::string name, value;
};

std::vector<Line> lines_of(std::string_view input) {
  constexpr size_t kMost = 64;
  std::vector<Line> lines;
  std::set<std::string> names;
  while (!input.empty() && lines.size() < kMost) {
    const std::string_view text = input.substr(0, input.find('\n'));
    input.remove_prefix(std::min(text.size() + 1, input.size()));
    Line line;
    line.of = !text.empty() && (text.front() == '.' || text.front() == ':') ? text.front() : ' ';
    const std::string rest(text.substr(line.of == ' ' ? 0 : 1));
    line.name = one_line(rest.substr(0, rest.find('=')), 60);
    if (rest.find('=') != std::string::npos) line.value = rest.substr(rest.find('=') + 1);
    std::erase(line.value, '\0');
    const bool fresh = names.insert(line.of + line.name).second;
    if (fresh && !line.name.empty() && line.name != "format" && line.name != "axes" && line.name != "dtype")
      lines.push_back(line);
  }
  return lines;
}

}  // namespace

void try_input(std::string_view input) {
  static const TemporaryFolder folder;
  const auto path = folder / "capture.h5";
  const std::vector<Line> lines = lines_of(input);
  std::map<std::string, AttributeValue> root;
  for (const Line& line : lines) {
    if (line.of == ' ') root[line.name] = line.value;
  }
  std::filesystem::remove(path);  // a file that is replaced is flushed to the disk first, which takes milliseconds
  {
    ActivationWriter writer = ActivationWriter::create(path, root);
    const Tensor value(DType::f32, {2}, "N");
    writer.write("steps/000/x", value.view(), {"N", "output", "linear"});
    for (const Line& line : lines) {
      const bool written = line.name == "role" || line.name == "component";
      if (line.of == '.' && !written) writer.dataset_attribute("steps/000/x", line.name, line.value);
      if (line.of == ':') writer.group_attribute("weights", line.name, line.value);
    }
    writer.commit();
  }
  const ActivationFile file = ActivationFile::open(path);
  check_attributes(file, file);
  const Declaration declared = declaration_of(file);
  (void)declared.text();
  (void)declared.stated.text();
  for (const DatasetInfo& info : file.datasets()) {
    (void)declared.leaves_out(info.path, info.alias_of);
    (void)(is_computed(info) || is_lent(info));
    (void)nothing_of(info, declared);
  }
}

}  // namespace parity::fuzz
