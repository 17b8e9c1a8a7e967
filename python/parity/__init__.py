# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Checks whether a kernel, layer or engine computes a MiniMax model correctly, from Python: docs/python.md.

    import parity

    @parity.kernel("rms_norm")
    def mine(x, weight, *, eps, gain_offset): ...

    parity.judge(mine)

The program `parity` judges; this package only calls it. Names are loaded when they are used: `import parity`
alone needs neither numpy nor h5py.
"""

import importlib

_WHERE = {
    "kernel": "kernels",
    "Kernel": "kernels",
    "SignatureError": "kernels",
    "judge": "judging",
    "Verdict": "judging",
    "Broken": "judging",
    "NotJudged": "judging",
    "golden": "goldens",
    "Golden": "goldens",
    "NoTap": "goldens",
    "capture": "captures",
    "Capture": "captures",
    "explain": "recordings",
    "diff": "recordings",
    "bench": "benches",
    "signature": "signatures",
    "components": "signatures",
    "program": "program",
    "run": "program",
    "ProgramError": "program",
}
_MODULES = {"program"}
__all__ = sorted(set(_WHERE) - _MODULES)


def __getattr__(name: str):
    if name not in _WHERE:
        raise AttributeError(f"module 'parity' has no attribute {name!r}")
    module = importlib.import_module(f"parity.{_WHERE[name]}")
    return module if name in _MODULES else getattr(module, name)


def __dir__() -> list[str]:
    return sorted(list(globals()) + __all__)
