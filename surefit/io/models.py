"""Models on disk. skops files hold arrays and names, never code: reading one cannot run what a stranger wrote.

joblib and pickle files can, so they are read only when the caller says that the file is trusted.
"""

from __future__ import annotations

import pickle
import zipfile
from pathlib import Path
from typing import Any

from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.optional import require
from surefit.io.estimators import trusted_types
from surefit.io.outputs import refuse_unwritable

PICKLES = (".joblib", ".pkl", ".pickle")


def writable_model(path: str | Path) -> Path:
    """The path, where a model can be written to it; asked before the fit."""
    path = _checked_suffix(Path(path).expanduser())
    refuse_unwritable(path, "the model")
    if path.suffix not in PICKLES:
        require("skops.io", extra="cli", purpose="Writing a .skops model")
    return path


def save(model: Any, path: str | Path) -> Path:
    """Write a fitted model: `.skops`, or `.joblib`, `.pkl`, `.pickle` where every reader trusts the writer."""
    path = _checked_suffix(path)
    if path.suffix in PICKLES:
        import joblib

        joblib.dump(model, path)
    else:
        require("skops.io", extra="cli", purpose="Writing a .skops model").dump(model, path)
    return path


def load(path: str | Path, *, trust: bool = False) -> Any:
    """Read a model. `trust`: also types that are unknown here, and pickles, which can run any code when read."""
    path = _checked_suffix(path)
    if not path.is_file():
        raise InvalidData(f"no model file {str(path)!r}")
    if path.suffix in PICKLES:
        return _load_pickle(path, trust)
    skops = require("skops.io", extra="cli", purpose="Reading a .skops model")
    ours = trusted_types()
    try:
        unknown = [name for name in skops.get_untrusted_types(file=path) if name not in ours]
        if unknown and not trust:
            raise InvalidParameter(
                f"{path} holds types that are not trusted: {', '.join(unknown)}. "
                "If you know who wrote it, say so: --trust (in Python trust=True)"
            )
        return skops.load(path, trusted=ours + unknown)
    except (zipfile.BadZipFile, EOFError, KeyError, UnicodeDecodeError) as error:
        raise InvalidData(f"{path} is no skops file, or it is cut short ({_words(error)})") from error


def _load_pickle(path: Path, trust: bool) -> Any:
    if not trust:
        raise InvalidParameter(
            f"{path} is a pickle, and reading one can run any code. If you know who wrote it: --trust "
            "(in Python trust=True); safer, keep models as .skops"
        )
    import joblib

    try:
        return joblib.load(path)
    except (pickle.UnpicklingError, EOFError, ValueError, KeyError, IndexError, AttributeError, ImportError) as error:
        raise InvalidData(f"{path} is no pickled model, or it is cut short ({_words(error)})") from error


def _checked_suffix(path: str | Path) -> Path:
    path = Path(path)
    if path.suffix not in (".skops", *PICKLES):
        raise InvalidParameter(f"a model file ends in .skops (or {', '.join(PICKLES)}); got {path.name!r}")
    return path


def _words(error: BaseException) -> str:
    return " ".join(str(error).split())[:100] or type(error).__name__
