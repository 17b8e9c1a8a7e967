# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Builds llama.cpp of a release of llama-cpp-python for CPUs, and the observer of its graphs, in FOLDER/llama.cpp.

usage: llama_cpp_build.py RELEASE FOLDER      in the environment FOLDER, which environments.py makes
FOLDER/llama.cpp gets: source, the unpacked release; build, its libraries; llama_cpp_dump; built, which states what
these were made of. Nothing is done if they are up to date. Needs cmake, ninja and a C++ compiler.
`CMAKE_BUILD_PARALLEL_LEVEL` limits the number of compilers at a time.
exit status: 0 built; 77 no index has the release or there is no network; 1 anything else"""

from __future__ import annotations

import hashlib
import pathlib
import subprocess
import sys

import packages
from processes import ABSENT, LAST_LINES

HERE = pathlib.Path(__file__).resolve().parent
DUMP = HERE / "adapters/llama_cpp_dump.cpp"
SOURCES = (pathlib.Path(__file__).resolve(), DUMP, HERE / "adapters/llama_cpp_input.hpp")
# The instructions beyond x86-64's own. A CPU without one of them ends with SIGILL; on CPUs with more, results are the
# same, because GGML_NATIVE is off. Listed, because CMake leaves all of them out where SOURCE_DATE_EPOCH is set. Other
# architectures ignore these options.
ON = ("GGML_SSE42", "GGML_AVX", "GGML_AVX2", "GGML_BMI2", "GGML_FMA", "GGML_F16C")
OFF = ("GGML_NATIVE", "GGML_CUDA", "GGML_OPENMP", "LLAMA_BUILD_COMMON", "LLAMA_BUILD_TESTS", "LLAMA_BUILD_EXAMPLES",
       "LLAMA_BUILD_TOOLS", "LLAMA_BUILD_SERVER", "LLAMA_BUILD_APP")


def call(*command) -> None:
    """Ends with the command's last lines if it fails."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    except FileNotFoundError:
        raise SystemExit(f"{words[0]} is not installed; building llama.cpp needs it") from None
    if done.returncode:
        last = "\n".join(done.stdout.strip().splitlines()[1 - LAST_LINES :])
        raise SystemExit(f"{words[0]} ended with {done.returncode}:\n{last}")


def compile_all(source: pathlib.Path, folder: pathlib.Path) -> None:
    build, libraries = folder / "build", folder / "build/bin"
    call("cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
         *(f"-D{option}=ON" for option in ON), *(f"-D{option}=OFF" for option in OFF))
    call("cmake", "--build", build, "--target", "llama")
    call("c++", "-std=c++20", "-O2", DUMP, "-I", source / "include", "-I", source / "ggml/include", "-L", libraries,
         f"-Wl,-rpath,{libraries}", "-lllama", "-lggml", "-lggml-base", "-o", folder / "llama_cpp_dump")


def state_of(version: str, source: pathlib.Path) -> str:
    """What is built, in words: the release, where its files are, and the texts that turn them into programs."""
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in SOURCES)).hexdigest()
    return f"llama-cpp-python {version}\n{source}\n{digest}\n"


def is_built(state: str, folder: pathlib.Path) -> bool:
    stamp = folder / "built"
    return ((folder / "llama_cpp_dump").exists() and (folder / "source").exists() and stamp.exists()
            and stamp.read_text(encoding="utf-8") == state)


def main(version: str, folder: pathlib.Path) -> None:
    try:
        source = packages.fetch("llama-cpp-python", version) / "vendor/llama.cpp"
    except packages.Unreachable as error:
        print(error, file=sys.stderr)
        raise SystemExit(ABSENT) from None
    state = state_of(version, source)
    if is_built(state, folder):
        return
    folder.mkdir(exist_ok=True)
    (folder / "built").unlink(missing_ok=True)  # a build that fails is none
    (folder / "source").unlink(missing_ok=True)
    (folder / "source").symlink_to(source)
    compile_all(source, folder)
    (folder / "built").write_text(state, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(sys.argv[1], pathlib.Path(sys.argv[2]) / "llama.cpp")
