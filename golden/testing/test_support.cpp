// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/testing/test_support.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include "golden/files/safetensors.hpp"

namespace parity::golden::test {

namespace fs = std::filesystem;

const char* const kConfig = R"({"model_type": "minimax_m2", "hidden_size": 4, "rms_norm_eps": 1e-06})";

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_bytes(const fs::path& file, const std::string& bytes) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

Tensor random_bits(DType dtype, const Shape& shape, uint64_t seed) {
  Tensor result(dtype, shape);
  std::mt19937_64 random(seed);
  for (int64_t i = 0; i < result.bytes(); ++i) {
    const auto byte = static_cast<uint8_t>(random());
    result.view().data[i] = std::byte(dtype == DType::boolean ? byte & 1 : byte);
  }
  return result;
}

Tensor integers(const Shape& shape, int64_t first) {
  Tensor result(DType::i64, shape);
  for (int64_t i = 0; i < result.view().count(); ++i) result.i64()[i] = first + i;
  return result;
}

bool same_bits(const TensorView& a, const TensorView& b) {
  if (a.dtype != b.dtype || a.shape != b.shape) return false;
  if (a.count() == 0) return true;
  if (!a.contiguous() || !b.contiguous()) return false;
  return std::memcmp(a.data, b.data, static_cast<size_t>(a.count() * size_of(a.dtype))) == 0;
}

std::map<std::string, AttributeValue> root_attributes() {
  return {{"system", "minimax_m2"}, {"oracle", "transformers 5.1.0"},
          {"profile", "hf-5.1.0"},  {"attention", "eager"},
          {"dtype", "bf16"},        {"seed", int64_t{7}},
          {"torch", "2.11.0"},      {"experts", "eager"}};
}

fs::path write_golden(const fs::path& folder, const SmallGolden& options) {
  fs::create_directories(folder);
  ActivationWriter writer = ActivationWriter::create(folder / "activations.h5", options.root);
  const auto wanted = [&](const std::string& path) {
    return std::find(options.without.begin(), options.without.end(), path) == options.without.end();
  };
  const auto write = [&](const std::string& path, const Tensor& tensor, const TapLabels& labels) {
    if (wanted(path)) writer.write(path, tensor.view(), labels);
  };
  if (wanted("config")) writer.write_text("config", kConfig);
  int64_t slots = 0;
  for (const auto& [id, kind, tokens] : {std::tuple("000", "prefill", 3), {"001", "decode", 1}, {"002", "chunk", 2}}) {
    const std::string step = std::string("steps/") + id + "/";
    slots += tokens;
    writer.group_attribute(std::string("steps/") + id, "kind", kind);
    write(step + "tokens/input_ids", integers({2, tokens}), {"B,S", "input", "input"});
    write(step + "tokens/position_ids", integers({2, tokens}), {"B,S", "input", "input"});
    write(step + "tokens/attention_mask", integers({2, slots}), {"B,K", "input", "input"});
    write(step + "text/embed/out", convert(integers({2, tokens, 4}).view(), DType::bf16),
          {"B,S,H", "output", "token_embedding"});
    write(step + "text/layers/00/out", convert(integers({2, tokens, 4}, 9).view(), DType::bf16),
          {"B,S,H", "output", "residual_add"});
    if (wanted(step + "text/layers/00/in")) writer.link(step + "text/layers/00/in", step + "text/embed/out");
    if (wanted(step + "text/layers/01/in")) writer.link(step + "text/layers/01/in", step + "text/layers/00/out");
  }
  if (options.more) options.more(writer);
  writer.commit();
  if (!options.checkpoint) return folder;
  fs::create_directories(folder / "checkpoint");
  write_bytes(folder / "checkpoint" / "config.json", options.config);
  const Tensor weight = random_bits(DType::bf16, {4, 4}, 1);
  const Tensor bias = random_bits(DType::f32, {3}, 2);
  write_safetensors(folder / "checkpoint" / "model.safetensors",
                    {{"model.embed_tokens.weight", weight.view()}, {"model.norm.weight", bias.view()}});
  return folder;
}

void write_with_libhdf5(const fs::path& file, H5F_libver_t low, H5F_libver_t high,
                        const std::function<void(hid_t)>& body) {
  const libhdf5::Session session;
  const auto access = libhdf5::checked(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "properties");
  libhdf5::check(H5Pset_libver_bounds(access.get(), low, high), "bounds");
  libhdf5::check(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG), "close degree");
  auto handle = libhdf5::checked(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose, "file");
  body(handle.get());
  handle.close("file");
}

std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return {};
}

}  // namespace parity::golden::test
