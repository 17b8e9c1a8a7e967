# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Builds llama.cpp of a release of llama-cpp-python for CPUs, and the observer of its graphs, in FOLDER/llama.cpp.

usage: llama_cpp_build.py RELEASE FOLDER      in the environment FOLDER, which environments.py makes
FOLDER/llama.cpp gets: source, the unpacked release; build, its libraries; llama_cpp_dump. Needs cmake, ninja and a C++
compiler. `CMAKE_BUILD_PARALLEL_LEVEL` limits the number of compilers at a time."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import packages

HERE = pathlib.Path(__file__).resolve().parent
OFF = ("GGML_CUDA", "GGML_NATIVE", "GGML_OPENMP", "LLAMA_BUILD_COMMON", "LLAMA_BUILD_TESTS", "LLAMA_BUILD_EXAMPLES",
       "LLAMA_BUILD_TOOLS", "LLAMA_BUILD_SERVER", "LLAMA_BUILD_APP", "LLAMA_CURL")  # GGML_NATIVE: the same on every CPU


def release(version: str) -> pathlib.Path:
    """The folder of llama.cpp in the unpacked source distribution."""
    return packages.fetch("llama-cpp-python", version) / "vendor/llama.cpp"


def call(*command) -> None:
    """Ends with the command's last lines if it fails."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise SystemExit("\n".join(done.stdout.strip().splitlines()[-5:]))


def main(version: str, folder: pathlib.Path) -> None:
    source, build = release(version), folder / "build"
    folder.mkdir(exist_ok=True)
    (folder / "source").unlink(missing_ok=True)
    (folder / "source").symlink_to(source)
    call("cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
         *(f"-D{option}=OFF" for option in OFF))
    call("cmake", "--build", build, "--target", "llama")
    libraries = build / "bin"
    call("c++", "-std=c++20", "-O2", HERE / "adapters/llama_cpp_dump.cpp", "-I", source / "include",
         "-I", source / "ggml/include", "-L", libraries, f"-Wl,-rpath,{libraries}", "-lllama", "-lggml", "-lggml-base",
         "-o", folder / "llama_cpp_dump")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(sys.argv[1], pathlib.Path(sys.argv[2]) / "llama.cpp")
