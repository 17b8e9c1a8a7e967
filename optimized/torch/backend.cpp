// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Backend "torch": the kernels of the module libparity_torch, which is loaded when one of them is called.
#include <dlfcn.h>

#include "core/shipped.hpp"
#include "optimized/backends.hpp"
#include "optimized/torch/kernels.hpp"
#include "optimized/torch/torch.hpp"

namespace parity::torch_backend {

#ifdef PARITY_TORCH_MODULE

namespace {

/// Returns the module of the installed program, or of the build.
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
    PARITY_CHECK(get != nullptr, device, "{} belongs to another build; build again", PARITY_TORCH_MODULE);
    return get();
  }();
  return instance;
}

}  // namespace

bool built() {
  std::error_code error;
  return std::filesystem::exists(module_file(), error);  // packages of parity leave the module out
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
    switched_ = false;  // without the module there are no results to deliver
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

/// Turns LibTorch's exceptions into ours, with the first line of the message, which names the mistake.
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
void add(optimized::BackendKernels& kernels, const std::string& suffix = "") {
  for (const char* type : {"f32", "bf16"}) kernels.add<C>(type + suffix, &forward<C, member>);
}

}  // namespace

void register_kernels(optimized::BackendKernels& registered) {
  if (!built()) return;
  add<AttentionDense, &Kernels::attention_dense>(registered);
  add<AttentionDense, &Kernels::attention_dense_mask>(registered, "-mask");
  add<CacheAppend, &Kernels::cache_append>(registered);
  add<Dequantise, &Kernels::dequantise>(registered);
  add<IndexBlockScores, &Kernels::index_block_scores>(registered);
  add<IndexSelect, &Kernels::index_select>(registered);
  add<LightningAttention, &Kernels::lightning_attention>(registered);
  add<Linear, &Kernels::linear>(registered);
  add<MoeExperts, &Kernels::moe_experts>(registered);
  add<PartialRope, &Kernels::partial_rope>(registered);
  add<ResidualAdd, &Kernels::residual_add>(registered);
  add<RmsNorm, &Kernels::rms_norm>(registered);
  add<Router, &Kernels::router>(registered);
  add<VisionAttention, &Kernels::vision_attention>(registered);
}

#else

bool built() { return false; }
std::string description() { return std::string("absent; install it: ") + kInstall; }
void register_kernels(optimized::BackendKernels&) {}
void build_mask(int64_t, int64_t, DType) { throw Error(ErrorCode::device, description()); }
void concatenate(const TensorView&, const TensorView&) { throw Error(ErrorCode::device, description()); }
void top_k(const TensorView&, const TensorView&, const TensorView&) { throw Error(ErrorCode::device, description()); }
Delivery::Delivery(bool deliver) : before_(deliver) {}
Delivery::~Delivery() { switched_ = before_; }

#endif

}  // namespace parity::torch_backend

namespace parity::optimized {

Backend torch_backend() {
  namespace library = parity::torch_backend;
  const auto require = [] {
    PARITY_CHECK(library::built(), device, "this build has no LibTorch; {}", library::kInstall);
  };
  return {"torch", false, &on_host, +require, &library::description, &library::register_kernels};
}

}  // namespace parity::optimized
