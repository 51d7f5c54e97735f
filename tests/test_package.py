"""The package as a whole: one version, light imports, names that resolve, types that are shipped."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import surefit

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def public_modules() -> list[str]:
    """surefit, its certificates, and every package that `surefit.__all__` names."""
    packages = {info.name for info in pkgutil.iter_modules(surefit.__path__) if info.ispkg}
    return ["surefit", "surefit.certificates", *(f"surefit.{name}" for name in surefit.__all__ if name in packages)]


@functools.cache
def loaded_by(code: str) -> frozenset[str]:
    """The top-level modules that a fresh interpreter has loaded after `code`."""
    script = f"import sys\n{code}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    return frozenset(done.stdout.split())


def test_one_version():
    from surefit._core import base

    assert surefit.__version__ == PROJECT["version"]
    assert base.VERSION == PROJECT["version"]


def test_importing_surefit_loads_no_other_package():
    heavy = {"sklearn", "scipy", "pandas", "pyarrow", "dask", "matplotlib", "rich", "typer", "joblib", "numpy"}
    assert not heavy & loaded_by("import surefit")


@pytest.mark.parametrize("family", ["cluster", "decomposition", "linear_model"])
def test_a_family_loads_no_optional_package(family):
    """What scikit-learn's own base loads of them, where they are installed, is not ours to refuse."""
    optional = {"pandas", "polars", "pyarrow", "dask", "distributed", "matplotlib", "rich", "typer", "skops"}
    base = loaded_by("import sklearn.base\ntry:\n    import sklearn.callback\nexcept ImportError:\n    pass")
    assert not optional & (loaded_by(f"import surefit.{family}") - base)


@pytest.mark.parametrize("name", public_modules())
def test_every_public_name_resolves(name):
    module = importlib.import_module(name)
    assert len(module.__all__) == len(set(module.__all__))
    for public in module.__all__:
        assert getattr(module, public) is not None
    assert set(module.__all__) <= set(dir(module))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="surefit"):
        surefit.no_such_name  # noqa: B018


def test_types_are_shipped():
    from surefit import _native

    package = Path(surefit.__file__).parent
    assert (package / "py.typed").is_file()
    stubs = (package / "_native.pyi").read_text("utf-8")
    for name in dir(_native):
        if not name.startswith("_"):
            assert f"def {name}(" in stubs or f"class {name}:" in stubs or f"\n{name}: " in stubs
