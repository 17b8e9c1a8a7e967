# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The few functions of NVIDIA's driver that a probe needs, called by ctypes."""
from __future__ import annotations

import ctypes as c

ERROR_LOG, ERROR_LOG_BYTES = 5, 6
LOG_BYTES = 4096


class Refused(Exception):
    """A form is not executed: the assembler or the machine says why."""


class Failed(Exception):
    """A device that cannot be asked, or that failed: no later answer is one."""


class Config(c.Structure):
    """CUlaunchConfig of the CUDA Driver API 13.0."""

    _fields_ = [("grid", c.c_uint * 3), ("block", c.c_uint * 3), ("shared", c.c_uint), ("stream", c.c_void_p),
                ("attributes", c.c_void_p), ("attribute_count", c.c_uint)]


class Driver:
    """One device and one stream."""

    def __init__(self) -> None:
        try:
            self.library = c.CDLL("libcuda.so.1")
        except OSError as error:
            raise Failed(f"no NVIDIA driver: {error}") from error
        device, context, self.stream = c.c_int(), c.c_void_p(), c.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", c.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", c.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.call("cuStreamCreate", c.byref(self.stream), 1)
        name = c.create_string_buffer(256)
        self.call("cuDeviceGetName", name, 256, device)
        self.name = name.value.decode()
        version = c.c_int()
        self.call("cuDriverGetVersion", c.byref(version))
        self.version = version.value

    def call(self, function: str, *arguments) -> None:
        status = getattr(self.library, function)(*arguments)
        if status != 0:
            text = c.c_char_p()
            self.library.cuGetErrorString(status, c.byref(text))
            raise Failed(f"{function}: {text.value.decode() if text.value else status}")

    def module(self, text: str) -> c.c_void_p:
        log, found = c.create_string_buffer(LOG_BYTES), c.c_void_p()
        options = (c.c_int * 2)(ERROR_LOG, ERROR_LOG_BYTES)
        values = (c.c_void_p * 2)(c.cast(log, c.c_void_p), LOG_BYTES)
        try:
            self.call("cuModuleLoadDataEx", c.byref(found), c.c_char_p(text.encode()), 2, options, values)
        except Failed as failed:
            said = log.value.decode(errors="replace").strip()
            if not said:
                raise
            raise Refused(said) from failed
        return found

    def memory(self, count: int) -> int:
        address = c.c_uint64()
        self.call("cuMemAlloc_v2", c.byref(address), c.c_size_t(count))
        return address.value

    def upload(self, data: bytes) -> int:
        address = self.memory(len(data))
        self.call("cuMemcpyHtoDAsync_v2", c.c_uint64(address), c.c_char_p(data), c.c_size_t(len(data)), self.stream)
        self.wait()
        return address

    def fill(self, address: int, byte: int, count: int) -> None:
        self.call("cuMemsetD8Async", c.c_uint64(address), c.c_ubyte(byte), c.c_size_t(count), self.stream)

    def download(self, address: int, count: int) -> bytes:
        data = c.create_string_buffer(count)
        self.call("cuMemcpyDtoHAsync_v2", data, c.c_uint64(address), c.c_size_t(count), self.stream)
        self.wait()
        return data.raw

    def wait(self) -> None:
        self.call("cuStreamSynchronize", self.stream)

    def ask(self, text: str, blocks: int, threads: int, read: list[bytes], written: list[int]) -> bytes:
        """Runs kernel `probe` with the addresses of `read`, then of `written` (bytes); gives the first of these."""
        function, module = c.c_void_p(), self.module(text)
        self.call("cuModuleGetFunction", c.byref(function), module, b"probe")
        addresses = [self.upload(data) for data in read] + [self.memory(size) for size in written]
        self.fill(addresses[len(read)], 0xA5, written[0])
        values = (c.c_uint64 * len(addresses))(*addresses)
        pointers = (c.c_void_p * len(addresses))(*(c.addressof(values) + 8 * at for at in range(len(addresses))))
        config = Config((blocks, 1, 1), (threads, 1, 1), 0, self.stream, None, 0)
        self.call("cuLaunchKernelEx", c.byref(config), function, pointers, None)
        found = self.download(addresses[len(read)], written[0])
        for address in addresses:
            self.call("cuMemFree_v2", c.c_uint64(address))
        self.call("cuModuleUnload", module)
        return found
