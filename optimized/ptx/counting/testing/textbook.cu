// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Kernels of textbooks whose cost is known; textbook.ptx is what nvcc makes of them:
//   nvcc -arch=sm_90 -ptx -lineinfo textbook.cu
// Sources: M. Harris, "An Efficient Matrix Transpose in CUDA C/C++" and "Optimizing Parallel Reduction in CUDA".
extern "C" {

/// Of a square of n columns, by blocks of 32 x 32 threads: loads along rows, stores down columns.
__global__ void transpose_naive(const float* from, float* to, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  to[x * n + y] = from[y * n + x];
}

/// Loads and stores along rows; a column of the tile lies in one bank.
__global__ void transpose_tiled(const float* from, float* to, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = from[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  to[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

/// A column of the tile lies in all banks.
__global__ void transpose_padded(const float* from, float* to, int n) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = from[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  to[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

/// One element in `stride`.
__global__ void copy_strided(const float* from, float* to, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i * stride];
}

/// Harris's kernel 2: neighbours first; strides of powers of two in shared memory.
__global__ void reduce_interleaved(const float* from, float* to) {
  __shared__ float sums[256];
  const int t = threadIdx.x;
  sums[t] = from[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int s = 1; s < blockDim.x; s *= 2) {
    const int i = 2 * s * t;
    if (i < blockDim.x) sums[i] += sums[i + s];
    __syncthreads();
  }
  if (t == 0) to[blockIdx.x] = sums[0];
}

/// Harris's kernel 3: halves first; neighbouring threads have neighbouring words.
__global__ void reduce_sequential(const float* from, float* to) {
  __shared__ float sums[256];
  const int t = threadIdx.x;
  sums[t] = from[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) sums[t] += sums[t + s];
    __syncthreads();
  }
  if (t == 0) to[blockIdx.x] = sums[0];
}
}
