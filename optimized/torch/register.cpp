// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Registers the kernels of the module libparity_torch, and loads it when one of them is called.
#include <dlfcn.h>

#include "core/registry.hpp"
#include "core/shipped.hpp"
#include "optimized/registry.hpp"
#include "optimized/torch/kernels.hpp"
#include "optimized/torch/torch.hpp"

namespace parity::torch_backend {

#ifdef PARITY_TORCH_MODULE

namespace {

/// Of the installed program, or of the build.
std::filesystem::path module_file() {
  const auto installed = program_folder() / "../lib/parity" / PARITY_TORCH_MODULE;
  std::error_code error;
  return std::filesystem::exists(installed, error) ? installed
                                                   : program_folder() / "../optimized" / PARITY_TORCH_MODULE;
}

const Kernels& kernels() {
  static const Kernels& instance = []() -> const Kernels& {
    void* module = dlopen(module_file().c_str(), RTLD_NOW | RTLD_LOCAL);
    const char* problem = module == nullptr ? dlerror() : "";
    PARITY_CHECK(module != nullptr, device, "the LibTorch backend cannot be loaded: {}; install LibTorch again: {}",
                 problem, kInstall);
    const auto get = reinterpret_cast<const Kernels& (*)()>(dlsym(module, "parity_torch_kernels"));
    PARITY_CHECK(get != nullptr, device, "{} is of another build; build again", PARITY_TORCH_MODULE);
    return get();
  }();
  return instance;
}

}  // namespace

bool built() {
  std::error_code error;
  return std::filesystem::exists(module_file(), error);  // packages of parity leave it out
}

void build_mask(int64_t queries, int64_t slots, DType type) { kernels().build_mask(queries, slots, type); }
void concatenate(const TensorView& past, const TensorView& fresh) { kernels().concatenate(past, fresh); }

void top_k(const TensorView& scores, const TensorView& values, const TensorView& ids) {
  kernels().top_k(scores, values, ids);
}

Delivery::Delivery(bool deliver) {
  try {
    before_ = kernels().deliver_results(deliver);
  } catch (const Error&) {
    switched_ = false;  // what cannot be loaded has no results
  }
}
Delivery::~Delivery() {
  if (switched_) kernels().deliver_results(before_);
}

std::string description() {
  if (!built()) return std::string("absent; install it: ") + kInstall;
  try {
    return std::string("LibTorch ") + kernels().version;
  } catch (const Error& error) {
    return error.what();
  }
}

namespace {

/// LibTorch's exceptions become ours: the first line, which says what it refuses.
template <class C, Kernel<C>* Kernels::*member>
void forward(const typename C::Inputs& in, const typename C::Params& params, const typename C::Outputs& out,
             Context& context) {
  try {
    (kernels().*member)(in, params, out, context);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    const std::string text = error.what();
    throw Error(ErrorCode::internal, fmt::format("LibTorch: {}", text.substr(0, text.find('\n'))));
  }
}

template <class C, Kernel<C>* Kernels::*member>
void add(Registry& registry, const std::string& suffix = "") {
  for (const char* type : {"f32", "bf16"}) registry.add<C>("torch", type + suffix, &forward<C, member>);
}

}  // namespace

void register_kernels(Registry& registry) {
  if (!built()) return;
  add<AttentionDense, &Kernels::attention_dense>(registry);
  add<AttentionDense, &Kernels::attention_dense_mask>(registry, "-mask");
  add<CacheAppend, &Kernels::cache_append>(registry);
  add<Dequantise, &Kernels::dequantise>(registry);
  add<IndexBlockScores, &Kernels::index_block_scores>(registry);
  add<IndexSelect, &Kernels::index_select>(registry);
  add<LightningAttention, &Kernels::lightning_attention>(registry);
  add<Linear, &Kernels::linear>(registry);
  add<MoeExperts, &Kernels::moe_experts>(registry);
  add<PartialRope, &Kernels::partial_rope>(registry);
  add<ResidualAdd, &Kernels::residual_add>(registry);
  add<RmsNorm, &Kernels::rms_norm>(registry);
  add<Router, &Kernels::router>(registry);
  add<VisionAttention, &Kernels::vision_attention>(registry);
}

#else

bool built() { return false; }
std::string description() { return std::string("absent; install it: ") + kInstall; }
void register_kernels(Registry&) {}
void build_mask(int64_t, int64_t, DType) { throw Error(ErrorCode::device, description()); }
void concatenate(const TensorView&, const TensorView&) { throw Error(ErrorCode::device, description()); }
void top_k(const TensorView&, const TensorView&, const TensorView&) { throw Error(ErrorCode::device, description()); }
Delivery::Delivery(bool deliver) : before_(deliver) {}
Delivery::~Delivery() { switched_ = before_; }

#endif

}  // namespace parity::torch_backend
