// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A libcublasLt.so.13 that computes on this processor, with the memory of the driver that is loaded: a stand-in too. It does
// what the library's documentation says of the calls that we make, column by column, and refuses all others.
#include <bit>
#include <cstring>
#include <vector>

#include <dlfcn.h>

#include "optimized/cublaslt/library.hpp"

#define PARITY_LIBRARY_ENTRY extern "C" __attribute__((visibility("default")))

namespace lt = parity::optimized::cublaslt;

namespace {

enum Status : int { done = 0, not_initialized = 1, invalid_value = 7, execution_failed = 13, not_supported = 15 };

struct Matmul {
  int32_t transpose_a = 0;
  uint32_t epilogue = 1;  // none
  const void* bias = nullptr;
};
struct Layout {
  int type = 0;
  uint64_t rows = 0, columns = 0;
  int64_t leading = 0;
  [[nodiscard]] size_t element() const { return type == lt::data_bf16 ? 2 : 4; }
  [[nodiscard]] size_t bytes() const {
    return (static_cast<size_t>(leading) * (columns - 1) + static_cast<size_t>(rows)) * element();
  }
};
struct Preference {
  uint64_t workspace = 0;
  uint32_t reductions = 7, alignment[4]{256, 256, 256, 256};
};

/// A function of the driver that the program has loaded.
template <class Function>
Function of_driver(const char* name) {
  return reinterpret_cast<Function>(dlsym(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), name));
}

bool read(std::vector<std::byte>& to, const void* from, size_t bytes, void* stream) {
  static const auto copy = of_driver<int (*)(void*, uint64_t, size_t, void*)>("cuMemcpyDtoHAsync_v2");
  static const auto wait = of_driver<int (*)(void*)>("cuStreamSynchronize");
  to.resize(bytes);
  return copy(to.data(), std::bit_cast<uint64_t>(from), bytes, stream) == 0 && wait(stream) == 0;
}
bool write(void* to, const std::vector<std::byte>& from, void* stream) {
  static const auto copy = of_driver<int (*)(uint64_t, const void*, size_t, void*)>("cuMemcpyHtoDAsync_v2");
  static const auto wait = of_driver<int (*)(void*)>("cuStreamSynchronize");
  return copy(std::bit_cast<uint64_t>(to), from.data(), from.size(), stream) == 0 && wait(stream) == 0;
}

float number(const std::vector<std::byte>& from, size_t i, size_t element) {
  uint32_t bits = 0;
  std::memcpy(reinterpret_cast<std::byte*>(&bits) + (4 - element), from.data() + i * element, element);
  return std::bit_cast<float>(bits);  // bf16 is the upper half of binary32
}
void store(std::vector<std::byte>& to, size_t i, size_t element, float sum) {
  uint32_t bits = std::bit_cast<uint32_t>(sum);
  constexpr uint32_t kInfinity = 0x7F800000U;
  const bool nan = (bits & ~(uint32_t{1} << 31U)) > kInfinity;
  if (element == 2) bits = nan ? bits | 0x400000U : bits + 0x7FFFU + (bits >> 16U & 1U);  // to nearest, ties to even
  std::memcpy(to.data() + i * element, reinterpret_cast<const std::byte*>(&bits) + (4 - element), element);
}

/// D (m, n) = A^T B, where A is (k, m) and B is (k, n).
bool fits(const Matmul& of, const Layout& a, const Layout& b, const Layout& c, const Layout& d) {
  const bool types = a.type == b.type && b.type == d.type && std::memcmp(&c, &d, sizeof c) == 0;
  const bool shapes = a.rows == b.rows && d.rows == a.columns && d.columns == b.columns;
  const auto leads = [](const Layout& x) { return x.leading >= static_cast<int64_t>(x.rows); };
  const bool bias = (of.epilogue == lt::adds_bias) == (of.bias != nullptr);
  return types && shapes && leads(a) && leads(b) && leads(d) && bias && of.transpose_a == lt::transposed;
}

template <class Value>
int set(Value& to, const void* from, size_t bytes) {
  if (bytes != sizeof to) return invalid_value;
  std::memcpy(&to, from, bytes);
  return done;
}

template <class Made>
int destroy(void* made) {
  delete static_cast<Made*>(made);  // NOLINT(cppcoreguidelines-owning-memory)
  return done;
}

}  // namespace

PARITY_LIBRARY_ENTRY int cublasLtCreate(void** handle) {
  static int made = 0;
  *handle = &made;
  return done;
}
PARITY_LIBRARY_ENTRY size_t cublasLtGetVersion() { return 130000; }
PARITY_LIBRARY_ENTRY const char* cublasLtGetStatusString(int status) {
  return status == not_supported ? "the stand-in of cuBLASLt supports no such product"
                                 : "the stand-in of cuBLASLt is called against the documentation";
}
PARITY_LIBRARY_ENTRY int cublasLtMatmulDescCreate(void** made, int compute, int scale) {
  *made = new Matmul;  // NOLINT(cppcoreguidelines-owning-memory)
  return compute == lt::compute_f32 && scale == lt::data_f32 ? done : not_supported;
}
PARITY_LIBRARY_ENTRY int cublasLtMatmulDescSetAttribute(void* of, int what, const void* value, size_t bytes) {
  auto& matmul = *static_cast<Matmul*>(of);
  if (what == lt::transpose_a) return set(matmul.transpose_a, value, bytes);
  if (what == lt::epilogue) return set(matmul.epilogue, value, bytes);
  return what == lt::bias_pointer ? set(matmul.bias, value, bytes) : not_supported;
}
PARITY_LIBRARY_ENTRY int cublasLtMatmulDescDestroy(void* of) { return destroy<Matmul>(of); }
PARITY_LIBRARY_ENTRY int cublasLtMatrixLayoutCreate(void** made, int type, uint64_t rows, uint64_t columns,
                                                    int64_t leading) {
  *made = new Layout{type, rows, columns, leading};  // NOLINT(cppcoreguidelines-owning-memory)
  return rows > 0 && columns > 0 ? done : invalid_value;
}
PARITY_LIBRARY_ENTRY int cublasLtMatrixLayoutDestroy(void* of) { return destroy<Layout>(of); }
PARITY_LIBRARY_ENTRY int cublasLtMatmulPreferenceCreate(void** made) {
  *made = new Preference;  // NOLINT(cppcoreguidelines-owning-memory)
  return done;
}
PARITY_LIBRARY_ENTRY int cublasLtMatmulPreferenceSetAttribute(void* of, int what, const void* value, size_t bytes) {
  auto& preference = *static_cast<Preference*>(of);
  if (what == lt::workspace_bytes) return set(preference.workspace, value, bytes);
  if (what == lt::reductions) return set(preference.reductions, value, bytes);
  const bool known = what >= lt::alignment_a && what <= lt::alignment_d;
  return known ? set(preference.alignment[what - lt::alignment_a], value, bytes) : not_supported;
}
PARITY_LIBRARY_ENTRY int cublasLtMatmulPreferenceDestroy(void* of) { return destroy<Preference>(of); }

/// The algorithm holds the alignments that it was chosen for.
PARITY_LIBRARY_ENTRY int cublasLtMatmulAlgoGetHeuristic(void* handle, void* of, void* a, void* b, void* c, void* d,
                                                        void* preference, int wanted, lt::Heuristic* results,
                                                        int* found) {
  const auto layout = [](void* x) -> const Layout& { return *static_cast<Layout*>(x); };
  if (handle == nullptr || wanted < 1) return invalid_value;
  if (!fits(*static_cast<Matmul*>(of), layout(a), layout(b), layout(c), layout(d))) return not_supported;
  *results = {};
  for (size_t i = 0; i < 4; ++i) results->algorithm.data[i] = static_cast<Preference*>(preference)->alignment[i];
  *found = 1;
  return done;
}

PARITY_LIBRARY_ENTRY int cublasLtMatmul(void* handle, void* of, const void* alpha, const void* a, void* a_is,
                                        const void* b, void* b_is, const void* beta, const void* c, void* c_is, void* d,
                                        void* d_is, const lt::Algorithm* algorithm, void*, size_t, void* stream) {
  const auto& matmul = *static_cast<Matmul*>(of);
  const auto &left = *static_cast<Layout*>(a_is), &right = *static_cast<Layout*>(b_is),
             &out = *static_cast<Layout*>(d_is);
  if (handle == nullptr || algorithm == nullptr) return invalid_value;
  if (!fits(matmul, left, right, *static_cast<Layout*>(c_is), out)) return not_supported;
  const void* const addresses[]{a, b, c, d};
  for (size_t i = 0; i < 4; ++i)
    if (std::bit_cast<uint64_t>(addresses[i]) % algorithm->data[i] != 0) return invalid_value;
  if (*static_cast<const float*>(alpha) != 1.0F || *static_cast<const float*>(beta) != 0.0F) return not_supported;
  const size_t element = out.element();
  std::vector<std::byte> as, bs, ds, bias;
  if (!read(as, a, left.bytes(), stream) || !read(bs, b, right.bytes(), stream) || !read(ds, d, out.bytes(), stream))
    return execution_failed;
  if (matmul.bias != nullptr && !read(bias, matmul.bias, out.rows * element, stream)) return execution_failed;
  for (size_t j = 0; j < out.columns; ++j) {
    for (size_t i = 0; i < out.rows; ++i) {
      float sum = 0.0F;
      for (size_t k = 0; k < left.rows; ++k)
        sum += number(as, i * static_cast<size_t>(left.leading) + k, element) *
               number(bs, j * static_cast<size_t>(right.leading) + k, element);
      if (!bias.empty()) sum += number(bias, i, element);
      store(ds, j * static_cast<size_t>(out.leading) + i, element, sum);
    }
  }
  return write(d, ds, stream) ? done : execution_failed;
}
