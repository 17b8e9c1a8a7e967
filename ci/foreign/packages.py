# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Released packages, fetched with pip and unpacked below build/foreign; nothing of them is built or installed."""
import hashlib
import os
import pathlib
import subprocess
import sys
import tarfile
import zipfile

from machine import BUILD

# Name -> version and whether the source distribution (else the wheel) is taken.
PACKAGES = {"vllm": ("0.33.0", True), "liger-kernel": ("0.8.5", False), "sglang": ("0.5.23", False),
            "llama-cpp-python": ("0.3.36", True)}
# pip asks a source distribution's build system for its name. This one answers from PKG-INFO, and runs nothing.
BACKEND = '''import pathlib


def prepare_metadata_for_build_wheel(directory, settings=None):
    head = pathlib.Path("PKG-INFO").read_text(errors="replace").split("\\n\\n")[0].split("\\n")
    kept = [line for line in head if line.startswith(("Metadata-Version", "Name:", "Version:"))]
    field = dict(line.split(": ", 1) for line in kept)
    folder = pathlib.Path(directory) / f"{field['Name'].replace('-', '_')}-{field['Version']}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("\\n".join(kept) + "\\n")
    return folder.name


def get_requires_for_build_wheel(settings=None):
    return []


def build_wheel(*arguments):
    raise RuntimeError("packages are unpacked, not built")
'''


def write_backend() -> pathlib.Path:
    folder = BUILD / "nobuild"
    for name in ("setuptools/build_meta.py", "scikit_build_core/build.py"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(BACKEND)
        (path.parent / "__init__.py").touch()
    return folder


def fetch(name: str) -> pathlib.Path:
    """The folder with the package's files."""
    version, source = PACKAGES[name]
    target = BUILD / "src" / f"{name}-{version}"
    if target.exists():
        return target
    downloads = BUILD / "dl" / f"{name}-{version}"
    kind = ["--no-binary", ":all:", "--no-build-isolation", "--use-pep517"] if source else ["--only-binary", ":all:"]
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", *kind, f"{name}=={version}", "-d",
                    downloads], check=True, env={**os.environ, "PYTHONPATH": str(write_backend())})
    archive = next(downloads.iterdir())
    partial = target.with_suffix(".partial")
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(partial)
        partial.rename(target)
    else:
        with tarfile.open(archive) as opened:
            opened.extractall(partial, filter="data")
        next(partial.iterdir()).rename(target)
    return target


def digest(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
