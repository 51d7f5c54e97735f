"""The program as the shell sees it: entry points, quick help, interrupts, missing packages."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

import surefit
from surefit.cli.run import run


def call(*words, code="from surefit.cli import main; main()", **options):
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def test_python_m_surefit():
    done = subprocess.run([sys.executable, "-m", "surefit", "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"surefit {surefit.__version__}\n")


def test_help_loads_nothing_heavy():
    code = (
        "import sys\nfrom surefit.cli.run import run\nrun(['--help'])\nrun(['compare', '--help'])\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    done = call(code=code)
    assert done.returncode == 0
    for command in ("compare", "fit", "certify", "predict", "--version", "--target", "--dataset"):
        assert command in done.stdout
    for heavy in ("sklearn", "numpy", "scipy", "pandas", "rich", "matplotlib", "pyarrow", "skops"):
        assert f"'{heavy}'" not in done.stderr


@pytest.mark.parametrize("missing", ["typer", "rich", "pandas", "skops", "matplotlib"])
def test_a_missing_package_is_told_with_the_command_that_installs_it(missing, tmp_path):
    (tmp_path / "t.csv").write_text("a,y\n" + "".join(f"{i},{i * i}\n" for i in range(40)))
    code = f"import sys; sys.modules[{missing!r}] = None\nfrom surefit.cli import main; main()"
    words = {
        "skops": ["fit", "Ridge", "t.csv", "--target", "y", "--out", "m.skops", "--quiet"],
        "matplotlib": ["compare", "t.csv", "--target", "y"],
    }.get(missing, ["compare", "t.csv", "--target", "y", "--no-report", "--folds", "2", "--repeats", "1"])
    done = call(*words, code=code, cwd=tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert f"needs {missing}" in done.stderr
    assert f'pip install "surefit[{"plot" if missing == "matplotlib" else "cli"}]"' in done.stderr


@pytest.mark.parametrize("wait", [0.5, 4.0])
def test_an_interrupt_is_one_line_and_exit_code_130(wait, tmp_path):
    code = "print('ready', flush=True)\nfrom surefit.cli import main; main()"
    words = ["compare", "--dataset", "digits", "--repeats", "50", "--no-report"]
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n" + code,
            *words,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == "surefit: interrupted\n"
    assert out == "" or "interrupted before it was finished" in " ".join(out.split())


def test_no_arguments_is_the_help(capsys):
    assert run([]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "Commands:" in err


def test_a_reader_who_leaves_is_no_error(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(f"{i},{i % 7}\n" for i in range(20000)))
    program = f"{sys.executable} -m surefit"
    done = subprocess.run(
        f"{program} fit PCA t.csv --out m.skops -q > /dev/null && {program} predict m.skops t.csv -q | head -n 1",
        shell=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.stdout == "pca0,pca1\n"
    assert done.stderr == ""


def test_a_reader_who_leaves_a_comparison_does_not_stop_its_files(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n" + "".join(f"{i},{i % 7},{i * i % 11}\n" for i in range(40)))
    words = "compare t.csv --target y --task regression --folds 2 --repeats 1 --time-budget 0 --no-report"
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m surefit {words} --out m.skops -q | true; echo ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("0\n", "")
    assert (tmp_path / "m.skops").stat().st_size > 0
