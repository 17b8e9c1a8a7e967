# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Imports single files of a package whose other modules are not needed: these become empty stand-ins."""
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import pathlib
import sys


class Anything:
    """Stands for what a kernel's file imports and a case never uses; as a decorator it changes nothing."""

    def __getattr__(self, name):
        return Anything()

    def __call__(self, *arguments, **options):
        return arguments[0] if len(arguments) == 1 and callable(arguments[0]) else Anything()

    def __getitem__(self, key):
        return Anything()

    def __or__(self, other):
        return Anything()

    __ror__ = __or__

    def __bool__(self):
        return False

    def __mro_entries__(self, bases):
        return (object,)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, package: str, source: pathlib.Path, real: set[str], given: dict):
        self.package, self.source, self.real, self.given = package, source, real, given

    def find_spec(self, name, path, target=None):
        if name != self.package and not name.startswith(self.package + "."):
            return None
        file = self.source / (name.replace(".", "/") + ".py")
        if name in self.real:
            return importlib.util.spec_from_file_location(name, file)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        for key, value in self.given.get(module.__name__, {}).items():
            setattr(module, key, value)
        module.__getattr__ = lambda name: self.attribute(module.__name__, name)

    def attribute(self, module: str, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        full = f"{module}.{name}"
        return importlib.import_module(full) if full in self.real else Anything()


def install(package: str, source: pathlib.Path, real: set[str], given: dict) -> None:
    """`real` modules are the package's own files; of others, `given` says what they hold."""
    sys.meta_path.insert(0, Finder(package, source, real, given))
