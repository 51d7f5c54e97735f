"""Commands run in the process of the tests, in a folder that each module fills."""

from __future__ import annotations

import pytest

from surefit.cli.run import run


@pytest.fixture
def surefit(home, monkeypatch, capsys):
    """Run a command in the folder `home`: (exit code, stdout, stderr)."""
    monkeypatch.chdir(home)

    def call(*words):
        code = run([str(word) for word in words])
        out, err = capsys.readouterr()
        return code, out, err

    return call
