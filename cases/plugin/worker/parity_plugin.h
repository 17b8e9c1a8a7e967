/* SPDX-FileCopyrightText: The parity authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * C interface of kernels in a shared library: `parity battery --kernel lib:./k.so`. The library exports one function:
 *
 *   PARITY_PLUGIN const parity_plugin* parity_plugin_v1(void);
 *
 * It needs nothing else of parity. Tensors are those of DLPack. `parity plugin header` prints this file.
 */
#ifndef PARITY_PLUGIN_H_
#define PARITY_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__has_include) && !defined(DLPACK_DLPACK_H_)
#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#endif
#endif
#ifndef DLPACK_DLPACK_H_ /* the part of dlpack.h that is used here, with its names and layout */
#define DLPACK_DLPACK_H_
typedef enum { kDLCPU = 1, kDLCUDA = 2 } DLDeviceType;
typedef struct {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;
typedef enum { kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLBfloat = 4, kDLBool = 6 } DLDataTypeCode;
typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;
typedef struct {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides; /* in elements; never NULL here */
  uint64_t byte_offset;
} DLTensor;
#endif

#define PARITY_PLUGIN_VERSION 1
#ifdef __cplusplus
#define PARITY_PLUGIN extern "C" __attribute__((visibility("default")))
#else
#define PARITY_PLUGIN __attribute__((visibility("default")))
#endif

/* An operand. A list of tensors, or a bank of weights, is several operands of one name, `member` 0, 1, ... */
typedef struct {
  const char* name; /* "x", as `parity show COMPONENT` prints it */
  const char* axes; /* one letter or more for each dimension: "B,S,H" */
  const char* type; /* "bf16"; DLPack has no code for e4m3fn and e5m2, which come as 8-bit unsigned integers */
  int64_t member;
  DLTensor tensor; /* byte_offset is 0 */
} parity_operand;

typedef struct {
  const char* name;
  double real;     /* the value of any kind: 0 or 1 of a flag */
  int64_t integer; /* the value of a flag or a whole number */
} parity_parameter;

typedef struct parity_call {
  const char* component; /* "rms_norm" */
  const char* type;      /* working type: "f32", "bf16", "f16" */
  int64_t num_inputs;
  const parity_operand* inputs; /* cannot be written; optional operands that are absent have no entry */
  int64_t num_outputs;
  const parity_operand* outputs; /* every element has to be written */
  int64_t num_parameters;
  const parity_parameter* parameters; /* all parameters of the component */
  void* stream;                       /* cudaStream_t of tensors on a device; NULL on the host */
  char* error;                        /* text of what failed, with its 0; at most error_size bytes */
  size_t error_size;
} parity_call;

/* Computes the call. Returns 0, or another number after it wrote why to call->error. Nothing of the call outlives it. */
typedef int (*parity_run)(const parity_call* call);

typedef struct {
  const char* component; /* what it computes: a name that `parity list` prints */
  const char* types;     /* working types, by blanks: "f32 bf16" */
  parity_run run;
} parity_kernel;

typedef struct {
  int32_t version; /* PARITY_PLUGIN_VERSION */
  int32_t num_kernels;
  const parity_kernel* kernels;
  const char* name; /* of the library, with its version if it has one */
} parity_plugin;

/* The operand of this name (and member 0); NULL if the call has none. */
static inline const DLTensor* parity_find(const parity_operand* operands, int64_t count, const char* name) {
  int64_t i;
  for (i = 0; i < count; ++i) {
    if (strcmp(operands[i].name, name) == 0) return &operands[i].tensor;
  }
  return NULL;
}
static inline const DLTensor* parity_input(const parity_call* call, const char* name) {
  return parity_find(call->inputs, call->num_inputs, name);
}
static inline const DLTensor* parity_output(const parity_call* call, const char* name) {
  return parity_find(call->outputs, call->num_outputs, name);
}
/* The value of a parameter; 0 if the component has none of this name. */
static inline double parity_real(const parity_call* call, const char* name) {
  int64_t i;
  for (i = 0; i < call->num_parameters; ++i) {
    if (strcmp(call->parameters[i].name, name) == 0) return call->parameters[i].real;
  }
  return 0.0;
}
/* `return parity_fail(call, "rows are not contiguous");` */
static inline int parity_fail(const parity_call* call, const char* why) {
  size_t i = 0;
  for (; why[i] != 0 && i + 1 < call->error_size; ++i) call->error[i] = why[i];
  if (call->error_size > 0) call->error[i] = 0;
  return 1;
}
/* The number of elements. */
static inline int64_t parity_count(const DLTensor* tensor) {
  int64_t count = 1;
  int32_t axis;
  for (axis = 0; axis < tensor->ndim; ++axis) count *= tensor->shape[axis];
  return count;
}
/* Whether the elements lie one after the other, in the order of their indices. */
static inline int parity_contiguous(const DLTensor* tensor) {
  int64_t dense = 1;
  int32_t axis;
  for (axis = tensor->ndim - 1; axis >= 0; --axis) {
    if (tensor->shape[axis] != 1 && tensor->strides[axis] != dense) return parity_count(tensor) == 0;
    dense *= tensor->shape[axis];
  }
  return 1;
}

#endif /* PARITY_PLUGIN_H_ */
