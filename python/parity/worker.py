# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Serves Python functions as kernels to parity, over the protocol of docs/plugins.md.

usage: python3 -m parity.worker FILE_OR_MODULE::FUNCTION [--component C] [--types f32,bf16]
       python3 -m parity.worker --op FILE::NAMESPACE::NAME [--component C] [--types f32,bf16]

parity starts it, with a socket whose number is in PARITY_WORKER_FD. A program that runs already serves its own
functions by fork_server(). Needs numpy; PyTorch only for functions that want its tensors."""
import argparse
import functools
import importlib
import importlib.util
import json
import mmap
import os
import pathlib
import socket as sockets
import sys
import traceback
import typing

from parity.functions import BITS, NUMPY, Kernel, Refused

PROTOCOL = 1

class Unusable(Exception):
    """A word that names no kernel."""


class Memory:
    """A mapping of the judge's memory."""

    def __init__(self, descriptor: int, size: int, writable: bool):
        protection = mmap.PROT_READ | (mmap.PROT_WRITE if writable else 0)
        self.bytes = mmap.mmap(descriptor, size, prot=protection)
        os.close(descriptor)

    def view(self, operand: dict) -> tuple:
        """The operand as an array of its bits, and its type."""
        import numpy

        name = operand["dtype"]
        dtype = numpy.dtype(BITS.get(name) or NUMPY[name])
        if 0 in operand["shape"]:
            return numpy.empty(operand["shape"], dtype), name
        strides = [stride * dtype.itemsize for stride in operand["strides"]]
        return numpy.ndarray(operand["shape"], dtype, self.bytes, operand["offset"], strides), name


class Worker:
    """The kernels of one socket."""

    def __init__(self, kernels: typing.Sequence[Kernel], name: str = ""):
        self.kernels, self.name = kernels, name
        self.inputs = self.outputs = None

    def answer(self, question: dict, descriptors: list) -> dict:
        if question["do"] == "describe":
            kernels = [{"component": k.component, "types": list(k.types)} for k in self.kernels]
            return {"protocol": PROTOCOL, "name": self.name, "kernels": kernels}
        if question["do"] == "memory":
            self.inputs = Memory(descriptors[0], question["inputs"], False)
            self.outputs = Memory(descriptors[1], question["outputs"], True)
            descriptors.clear()
        elif question["do"] == "call":
            self.call(question)
        else:
            raise ValueError(f"unknown question {question['do']}")
        return {}

    def call(self, question: dict) -> None:
        of = [kernel for kernel in self.kernels if kernel.component == question["component"]]
        kernel = next((kernel for kernel in of if question["working"] in kernel.types), None)
        if kernel is None:
            raise ValueError(f"there is no kernel of {question['component']} in {question['working']}")
        operands: dict = {}
        for operand in question["inputs"]:
            operands.setdefault(operand["name"], []).append(self.inputs.view(operand))
        outputs = {operand["name"]: self.outputs.view(operand) for operand in question["outputs"]}
        kernel.call(operands, question["params"], outputs)


def reason(error: BaseException) -> str:
    """What went wrong, and the line of the function where it did."""
    frames = [] if isinstance(error, Unusable) else traceback.extract_tb(error.__traceback__)
    frames = [frame for frame in frames if frame.filename[:1] != "<" and "/importlib/" not in frame.filename]
    where = f" ({pathlib.Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    kind = "" if isinstance(error, Unusable) else f"{type(error).__name__}: "
    return f"{kind}{error}{where}"


def questions(connection: sockets.socket):
    """Each line of the socket, with the descriptors that came so far."""
    rest, descriptors = b"", []
    while True:
        while b"\n" in rest:
            line, rest = rest.split(b"\n", 1)
            yield json.loads(line), descriptors
        data, received, _, _ = sockets.recv_fds(connection, 1 << 16, 4)
        if not data:
            return
        rest += data
        descriptors += received


def serve(connection: sockets.socket, kernels: typing.Sequence[Kernel], name: str = "") -> None:
    """Answers questions until the socket ends."""
    worker = Worker(kernels, name)
    for question, descriptors in questions(connection):
        try:
            answer = {"ok": True, **worker.answer(question, descriptors)}
        except Refused as error:
            answer = {"ok": False, "refused": True, "error": str(error)}
        except Exception as error:  # a kernel may raise anything
            answer = {"ok": False, "error": reason(error)}
        if "id" in question:
            answer["id"] = question["id"]
        sys.stdout.flush()
        connection.sendall(json.dumps(answer).encode() + b"\n")


def forked(descriptors: list, connection: sockets.socket, kernels: typing.Sequence[Kernel], name: str) -> int:
    """Makes a worker of this process's fork, and returns its id."""
    theirs, out, error = descriptors
    sys.stdout.flush()
    process = os.fork()
    if process == 0:
        try:
            os.setpgid(0, 0)
            os.dup2(out, 1)
            os.dup2(error, 2)
            connection.close()
            serve(sockets.socket(fileno=theirs), kernels, name)
        finally:
            os._exit(0)
    os.setpgid(process, process)  # whichever is first
    for descriptor in descriptors:
        os.close(descriptor)
    descriptors.clear()
    return process


def fork_server(connection: sockets.socket, kernels: typing.Sequence[Kernel], name: str = "") -> None:
    """Forks a worker for each "fork" of parity --kernel fd:N, where N is the other end. Returns when that closes."""
    for question, descriptors in questions(connection):
        try:
            if question["do"] == "fork":
                answer = {"ok": True, "pid": forked(descriptors, connection, kernels, name)}
            else:
                answer = {"ok": True, "status": os.waitpid(question["pid"], 0)[1]}
        except OSError as error:
            answer = {"ok": False, "error": str(error)}
        connection.sendall(json.dumps(answer).encode() + b"\n")


def loaded(target: str):
    """A module by its file or its name."""
    if not target.endswith(".py"):
        return importlib.import_module(target)
    path = pathlib.Path(target)
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def kernel_of(function) -> Kernel:
    """What a declared kernel says of itself, else the function as it is."""
    return function.parity_worker_kernel() if hasattr(function, "parity_worker_kernel") else Kernel(function)


def kernels_of(target: str) -> list:
    """The function after "::", or all of the module that say what they compute."""
    module, _, names = target.partition("::")
    found = loaded(module)
    if names:
        if not hasattr(found, names.split(".")[0]):
            raise Unusable(f"{module} has no {names}")
        return [kernel_of(functools.reduce(getattr, names.split("."), found))]
    says = ("parity_component", "parity_worker_kernel")
    kernels = [kernel_of(value) for value in vars(found).values() if any(hasattr(value, name) for name in says)]
    if not kernels:
        raise Unusable(f"no function of {module} says what it computes; name one: {module}::FUNCTION=COMPONENT")
    return kernels


def op_of(target: str) -> Kernel:
    """A custom op; its schema says which operands and parameters it takes."""
    try:
        import torch
    except ModuleNotFoundError:
        raise Unusable(f"{sys.executable} has no PyTorch; let PARITY_PYTHON name one that has it") from None

    file, space, name = target.split("::")
    torch.ops.load_library(file)
    packet = getattr(getattr(torch.ops, space), name)
    arguments = packet.default._schema.arguments
    return Kernel(packet, name, ("f32", "bf16", "f16"), "torch", [a.name for a in arguments])


def main() -> None:
    parser = argparse.ArgumentParser(prog="parity.worker")
    parser.add_argument("target")
    parser.add_argument("--op", action="store_true")
    parser.add_argument("--component", default="")
    parser.add_argument("--types", default="")
    options = parser.parse_args()
    connection = sockets.socket(fileno=int(os.environ["PARITY_WORKER_FD"]))
    sys.modules.setdefault("parity.worker", sys.modules["__main__"])  # what kernels raise is ours
    types = [word for word in options.types.split(",") if word]
    try:
        kernels = [op_of(options.target)] if options.op else kernels_of(options.target)
        for kernel in kernels:
            kernel.component = options.component or kernel.component
            kernel.types = types or kernel.types
    except Exception as error:
        answer = json.dumps({"ok": False, "error": reason(error)}).encode()
        for _ in questions(connection):
            connection.sendall(answer + b"\n")
        return
    serve(connection, kernels, options.target)


if __name__ == "__main__":
    main()
