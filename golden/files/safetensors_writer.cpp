// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <fstream>
#include <set>

#include "golden/files/safetensors.hpp"
#include "golden/files/strict_json.hpp"
#include "golden/files/temporary_file.hpp"

namespace parity::golden {
namespace {

const char* published_name(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return "F64";
    case DType::f32:
      return "F32";
    case DType::f16:
      return "F16";
    case DType::bf16:
      return "BF16";
    case DType::e4m3fn:
      return "F8_E4M3";
    case DType::e5m2:
      return "F8_E5M2";
    case DType::i64:
      return "I64";
    case DType::i32:
      return "I32";
    case DType::u8:
      return "U8";
    case DType::boolean:
      return "BOOL";
  }
  return "";
}

using Named = std::pair<std::string, TensorView>;

/// The tensors, largest element types first: each is then aligned without gaps, which some readers refuse.
std::vector<const Named*> aligned_order(const std::vector<Named>& tensors) {
  std::vector<const Named*> order;
  std::set<std::string> names;
  for (const Named& named : tensors) {
    PARITY_CHECK(names.insert(named.first).second, internal, "tensor {} is given twice", named.first);
    PARITY_CHECK(!named.second.empty() || named.second.count() == 0, internal, "tensor {} has no data", named.first);
    order.push_back(&named);
  }
  std::stable_sort(order.begin(), order.end(), [](const Named* a, const Named* b) {
    return std::pair(-size_of(a->second.dtype), a->first) < std::pair(-size_of(b->second.dtype), b->first);
  });
  return order;
}

std::string header_of(const std::vector<const Named*>& order) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  int64_t offset = 0;
  for (const Named* named : order) {
    const int64_t end = offset + named->second.count() * size_of(named->second.dtype);
    header[named->first] = {{"dtype", published_name(named->second.dtype)},
                            {"shape", named->second.shape},
                            {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // the data start at a multiple of 8
  return text;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, const std::vector<Named>& tensors) {
  const std::vector<const Named*> order = aligned_order(tensors);
  const std::string header = header_of(order);
  TemporaryFile file(path);
  std::ofstream stream(file.path(), std::ios::binary);
  const uint64_t length = header.size();
  stream.write(reinterpret_cast<const char*>(&length), sizeof length);
  stream.write(header.data(), static_cast<std::streamsize>(header.size()));
  for (const Named* named : order) {
    const TensorView& view = named->second;
    if (view.count() == 0) continue;
    const Tensor packed = view.contiguous() ? Tensor() : convert(view, view.dtype);
    const TensorView& source = packed.empty() ? view : packed.view();
    stream.write(reinterpret_cast<const char*>(source.data), source.count() * size_of(source.dtype));
  }
  stream.close();
  PARITY_CHECK(stream.good(), io, "{}: cannot be written; check the folder and the free space", path.string());
  file.commit();
}

}  // namespace parity::golden
