"""Try an installed surefit: is it whole, does it fit, does it prove, does it refute? Run from outside the source tree.

python /path/to/tools/smoke.py
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib import metadata, resources
from pathlib import Path

import numpy as np

import surefit

SOURCE = Path(__file__).resolve().parent.parent


def main() -> None:
    where = Path(surefit.__file__).resolve()
    if SOURCE in where.parents and "site-packages" not in where.parts:
        sys.exit(f"this is the source tree, not an installed surefit: {where}")
    expect(metadata.version("surefit") == surefit.__version__, "the version of the wheel is that of the package")
    for name in ("py.typed", "_native.pyi"):
        expect(resources.files("surefit").joinpath(name).is_file(), f"{name} is in the wheel")

    from surefit.cluster import KMeans
    from surefit.decomposition import PCA
    from surefit.linear_model import LinearRegression, Ridge

    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)) + 5 * rng.integers(0, 3, size=(300, 1))
    y = X @ [1.0, -2.0, 0.5, 0.0] + 3
    for model in (LinearRegression(), Ridge(), PCA(2), KMeans(3, random_state=0)):
        certificate = surefit.certify(model.fit(X, y), X, y)
        expect(certificate.holds, f"{model} is certified")
    model = LinearRegression().fit(X, y)
    model.coef_ = model.coef_ + 0.1
    expect(not surefit.certify(model, X, y).holds, "a wrong LinearRegression is refused")

    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "surefit", "compare"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        expect(done.returncode == 0, f"surefit compare ends with 0; it said:\n{done.stderr}")
        expect((Path(folder) / "surefit-report.html").stat().st_size > 1000, "surefit compare writes its report")
    print(f"surefit {surefit.__version__} in {where.parent} works")


def expect(holds: bool, what: str) -> None:
    if not holds:
        sys.exit(f"smoke test failed: {what}")


if __name__ == "__main__":
    main()
