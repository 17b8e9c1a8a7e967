# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Released packages, fetched with pip and unpacked below build/foreign; nothing of them is built or installed.

Engines and ci/foreign take the releases of these packages from here. Needs no package of Python."""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

BUILD = pathlib.Path(__file__).resolve().parent.parent / "build/foreign"
# Name -> version and whether the source distribution (else the wheel) is taken.
PACKAGES = {"vllm": ("0.33.0", True), "liger-kernel": ("0.8.5", False), "sglang": ("0.5.23", False),
            "llama-cpp-python": ("0.3.36", True)}
# pip's errors without network or index. Where an index answers with other versions only, the requirement is wrong.
UNREACHABLE = re.compile(r"ERROR: .*(\(from versions: none\)|HTTPS?ConnectionPool|ConnectTimeout|ReadTimeout|SSLError"
                         r"|Connection(Error| broken| aborted| reset)|ProxyError|HTTP error)")
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


class Unreachable(Exception):
    """No index with the package can be reached."""


def is_unreachable(said: str) -> bool:
    """Whether pip, which said this, failed because it reached no index."""
    return UNREACHABLE.search(said) is not None


def version_of(name: str) -> str:
    return PACKAGES[name][0]


def write_backend() -> pathlib.Path:
    folder = BUILD / "nobuild"
    for name in ("setuptools/build_meta.py", "scikit_build_core/build.py"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(BACKEND)
        (path.parent / "__init__.py").touch()
    return folder


def download(requirement: str, source: bool, folder: pathlib.Path) -> None:
    """Raises Unreachable, or RuntimeError with the last lines of pip."""
    kind = ["--no-binary", ":all:", "--no-build-isolation", "--use-pep517"] if source else ["--only-binary", ":all:"]
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", *kind, requirement, "-d", folder]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "PYTHONPATH": str(write_backend())})
    if done.returncode:
        last = "\n".join(done.stderr.strip().splitlines()[-5:])
        raise (Unreachable if is_unreachable(done.stderr) else RuntimeError)(f"pip cannot fetch {requirement}:\n{last}")


def fetch(name: str, version: str = "") -> pathlib.Path:
    """The folder with the package's files, of the release in PACKAGES if no other is given."""
    version, source = version or version_of(name), PACKAGES[name][1]
    target = BUILD / "src" / f"{name}-{version}"
    if target.exists():
        return target
    downloads = BUILD / "dl" / f"{name}-{version}"
    download(f"{name}=={version}", source, downloads)
    archive = next(downloads.iterdir())
    partial = target.with_name(f"{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)  # of a run that was interrupted
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(partial)
        partial.rename(target)
    else:
        with tarfile.open(archive) as opened:
            # Python 3.11.2 of Debian 12 has no filter.
            opened.extractall(partial, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        next(partial.iterdir()).rename(target)
        shutil.rmtree(partial)
    return target


def digest(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
