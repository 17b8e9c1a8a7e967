// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// rms_norm.cu with a bug: its sum of squares leaves out what does not fill four elements.
// parity battery --kernel cu:examples/cuda/rms_norm_short_sum.cu --binding examples/cuda/rms_norm.json
extern "C" __global__ void rms_norm(const float* x, const float* weight, float* out, int width, float eps,
                                    float offset) {
  extern __shared__ float sums[];
  const float* row = x + static_cast<long long>(blockIdx.x) * width;
  float squares = 0.0f;
  for (int h = threadIdx.x; h < width / 4 * 4; h += blockDim.x) squares += row[h] * row[h];
  sums[threadIdx.x] = squares;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  const float scale = rsqrtf(sums[0] / width + eps);
  for (int h = threadIdx.x; h < width; h += blockDim.x)
    out[static_cast<long long>(blockIdx.x) * width + h] = row[h] * scale * (offset + weight[h]);
}
