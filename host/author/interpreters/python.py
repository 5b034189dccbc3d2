"""Python with everything that the sources of a gene import, but without the sources.

The component reads them from its standard input when it is called: a JSON object from paths to texts. So an edit of a
source changes data and no code, and nothing is compiled again.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import linecache
import os
import sys
import traceback

from componentize_py_types import Err
from wit_world import exports

# What the sources import, and what the standard library imports only when it is needed: after this program is frozen, no
# other module can be found.
IMPORTS = []
ENCODINGS = ["ascii", "charmap", "cp1252", "latin_1", "utf_16", "utf_16_be", "utf_16_le", "utf_8", "utf_8_sig"]

for name in [*IMPORTS, *(f"encodings.{encoding}" for encoding in ENCODINGS)]:
    try:
        importlib.import_module(name)
    except Exception:
        # Not every name is a module, and a source can be written to do without one.
        pass


class Sources(importlib.abc.MetaPathFinder, importlib.abc.ExecutionLoader):
    """Imports modules from texts in memory."""

    def __init__(self, texts):
        self.texts = texts

    def path_of(self, name):
        base = name.replace(".", "/")
        return next((path for path in (f"{base}/__init__.py", f"{base}.py") if path in self.texts), None)

    def find_spec(self, name, path=None, target=None):
        if self.path_of(name) is not None:
            return importlib.util.spec_from_loader(name, self)
        base = name.replace(".", "/") + "/"
        if any(path.startswith(base) for path in self.texts):
            spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [base]
            return spec
        return None

    def is_package(self, name):
        return self.path_of(name).endswith("/__init__.py")

    def get_filename(self, name):
        return self.path_of(name)

    def get_source(self, name):
        return self.texts[self.path_of(name)]


def gene():
    """The author's module."""
    texts = json.loads(sys.stdin.buffer.read())
    # So that a traceback shows these lines, and not those of files of the same names in the workspace.
    linecache.cache.update({path: (len(text), None, text.splitlines(True), path) for path, text in texts.items()})
    # No module comes from a file any more: all files that a gene sees are those of the workspace, also below /python.
    finders = [finder for finder in sys.meta_path if finder is not importlib.machinery.PathFinder]
    sys.meta_path[:] = [Sources(texts), *finders]
    return importlib.import_module("gene")


def answered(ask):
    """The answer of the gene. An exception is printed without the frames of this file and of the importer."""
    try:
        return ask(gene())
    except Err:
        raise
    except BaseException as error:
        if isinstance(error, ModuleNotFoundError):
            error.add_note(advice(error.name))
        hide_machinery(error)
        traceback.print_exception(error)
        sys.stderr.flush()
        os.abort()


def advice(name):
    """What to do about a module that was not found."""
    if name in IMPORTS:
        return f"`{name}` is neither in the standard library nor in the project, and a gene has no other modules."
    return f"Write `import {name}` as a statement and build again: a build freezes what is imported so."


def hide_machinery(error):
    """Removes the frames that are not the author's from an exception and what caused it."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        error.__traceback__ = without_machinery(error.__traceback__)
        error = error.__cause__ or error.__context__


def without_machinery(frame):
    if frame is None:
        return None
    file = frame.tb_frame.f_code.co_filename
    rest = without_machinery(frame.tb_next)
    if file == __file__ or file.startswith(("<frozen importlib", "/python/importlib/")):
        return rest
    frame.tb_next = rest
    return frame


if hasattr(exports, "Diagnosis"):

    class Diagnosis(exports.Diagnosis):
        def diagnose(self):
            return answered(lambda module: module.Diagnosis().diagnose())


if hasattr(exports, "Proposals"):

    class Proposals(exports.Proposals):
        def propose(self, diagnosis):
            return answered(lambda module: module.Proposals().propose(diagnosis))
