# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""CUDA kernels of llama.cpp, from the sources of llama-cpp-python."""
import torch
from torch.nn import functional

import nvcc
import packages
from cases import case

FOLDER = "vendor/llama.cpp/ggml/src/ggml-cuda/"
NONE = {"i64": 0}
THREE = {"fields": [{"i32": 0}] * 3}


def ptx(file):
    folder = packages.fetch("llama-cpp-python") / FOLDER
    return nvcc.compiled(folder / f"{file}.cu", [folder, folder.parent, folder.parents[1] / "include"], f"ggml-{file}")


def i64(*values):
    return [{"i64": value} for value in values]


UNARY = {"abs": torch.abs, "sgn": torch.sign, "neg": torch.neg, "step": lambda x: (x > 0).double(),
         "gelu": lambda x: functional.gelu(x, approximate="tanh"), "gelu_erf": functional.gelu,
         "gelu_quick": lambda x: x * torch.sigmoid(1.702 * x), "silu": functional.silu, "tanh": torch.tanh,
         "relu": functional.relu, "sigmoid": torch.sigmoid, "hardsigmoid": functional.hardsigmoid,
         "hardswish": functional.hardswish, "exp": torch.exp, "sqr": torch.square, "sin": torch.sin, "cos": torch.cos,
         "sqrt": torch.sqrt, "log": torch.log, "expm1": torch.expm1, "softplus": functional.softplus,
         "elu": functional.elu, "floor": torch.floor, "ceil": torch.ceil, "trunc": torch.trunc}


def add_unary(name, right):
    def run():
        x, y = torch.randn(300) * 3, torch.empty(300)
        if name in ("sqrt", "log"):
            x = x.abs() + 0.01
        nvcc.launch(ptx("unary"), rf"unary_op_kernel\w*\dop_{name}EfEEfEvPK", [2], [256], [x, y, {"i32": 300}])
        return ((y, right(x.double()), max(1e-6, 4e-7 * float(right(x.double()).abs().max()))),)

    run.__name__ = f"ggml_{name}"
    case("llama-cpp-python", FOLDER + "unary.cu")(run)


def add_gated(name):
    def run():
        x, gate, y = torch.randn(300) * 3, torch.randn(300), torch.empty(300)
        nvcc.launch(ptx("unary"), rf"unary_gated_op_kernel\w*\dop_{name}EfEEfEvPK", [2], [256],
                    [x, gate, y, *i64(300, 100, 100, 100)])
        return ((y, UNARY[name](x.double()) * gate.double(), 1e-5),)

    run.__name__ = f"ggml_gated_{name}"
    case("llama-cpp-python", FOLDER + "unary.cu")(run)


for _name, _right in UNARY.items():
    add_unary(_name, _right)
for _name in ("gelu", "gelu_erf", "gelu_quick", "silu", "relu", "sigmoid", "softplus"):
    add_gated(_name)


@case("llama-cpp-python", FOLDER + "norm.cu")
def ggml_norm():
    x = torch.randn(4, 200)
    want = functional.layer_norm(x.double(), (200,), eps=1e-6)
    y = torch.empty(4, 200)
    nvcc.launch(ptx("norm"), "Z8norm_f32ILi32", [4], [32], [x, y, {"i32": 200}, *i64(200, 800, 800), {"f32": 1e-6}])
    return ((y, want, 1e-5),)


@case("llama-cpp-python", FOLDER + "norm.cu")
def ggml_l2_norm():
    x, y = torch.randn(4, 200), torch.empty(4, 200)
    nvcc.launch(ptx("norm"), "l2_norm_f32ILi32", [4], [32], [x, y, {"i32": 200}, *i64(200, 800, 800), {"f32": 1e-6}])
    return ((y, functional.normalize(x.double(), dim=-1), 1e-6),)


@case("llama-cpp-python", FOLDER + "norm.cu")
def ggml_group_norm():
    x, y = torch.randn(4, 200), torch.empty(4, 200)
    nvcc.launch(ptx("norm"), "group_norm_f32ILi1024", [2], [1024],
                [x, y, {"i32": 400}, {"i32": 800}, {"f32": 1e-6}], 256)
    want = functional.layer_norm(x.double().view(2, 400), (400,), eps=1e-6).view(4, 200)
    return ((y, want, 1e-5),)


@case("llama-cpp-python", FOLDER + "norm.cu")
def ggml_rms_norm():
    x, y = torch.randn(4, 200), torch.empty(4, 200)
    rest = [NONE, *i64(0, 0, 0), THREE, THREE, THREE, THREE] * 2 + [{"f32": 1.0}]
    nvcc.launch(ptx("norm"), "rms_norm_f32ILi256ELb0ELb0ELb0", [4], [256],
                [x, y, {"i32": 200}, *i64(200, 800, 800), {"f32": 1e-6}, *rest], 128)
    d = x.double()
    return ((y, d * torch.rsqrt((d * d).mean(-1, keepdim=True) + 1e-6), 1e-5),)


@case("llama-cpp-python", FOLDER + "norm.cu")
def ggml_rms_norm_back():
    g, x, y = torch.randn(4, 200), torch.randn(4, 200), torch.empty(4, 200)
    nvcc.launch(ptx("norm"), "rms_norm_back_f32ILi32", [4], [32], [g, x, y, {"i32": 200}, {"f32": 1e-6}])
    d = x.double().requires_grad_()
    (want,) = torch.autograd.grad(d * torch.rsqrt((d * d).mean(-1, keepdim=True) + 1e-6), d, g.double())
    return ((y, want, 1e-5),)


@case("llama-cpp-python", FOLDER + "softmax.cu")
def ggml_softmax():
    x, y = torch.randn(4, 96), torch.empty(4, 96)
    sizes = i64(1) + [{"i32": 1}] + i64(96, 4, 4, 96, 4, 1, 1, 0, 0, 0, 1, 1) + [{"f32": v} for v in (0.5, 0, 1, 1)]
    nvcc.launch(ptx("softmax"), "soft_max_f32ILb1ELi0ELi0EfE", [4, 1, 1], [96], [x, NONE, NONE, y, {"fields": sizes}],
                (96 + 32) * 4)
    return ((y, (x.double() / 2).softmax(-1), 1e-6),)


@case("llama-cpp-python", FOLDER + "argmax.cu")
def ggml_argmax():
    x, y = torch.randn(5, 700), torch.empty(5, dtype=torch.int32)
    nvcc.launch(ptx("argmax"), "argmax_f32", [5], [704], [x, y, {"i64": 700}])
    return ((y.double(), x.argmax(-1).double(), 0),)


@case("llama-cpp-python", FOLDER + "softcap.cu")
def ggml_softcap():
    x, y = torch.randn(300) * 9, torch.empty(300)
    nvcc.launch(ptx("softcap"), "softcap_f32", [2], [256], [x, y, {"f32": 0.1}, {"f32": 10.0}, {"i32": 300}])
    return ((y, torch.tanh(x.double() * 0.1) * 10, 1e-5),)


@case("llama-cpp-python", FOLDER + "scale.cu")
def ggml_scale():
    x, y = torch.randn(300), torch.empty(300)
    nvcc.launch(ptx("scale"), "scale_f32IfE", [1], [256], [x, y, {"f32": 0.5}, {"f32": 2.0}, {"i64": 300}])
    return ((y, x.double() / 2 + 2, 1e-6),)
