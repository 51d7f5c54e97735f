"""Start and end of every command: what goes wrong becomes one line and an exit code."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

CERTIFICATE_FAILS, BAD_INPUT, INTERRUPTED = 1, 2, 130


def main(args: Sequence[str] | None = None) -> None:
    """The entry point: run a command and leave with its exit code."""
    code = run(args)
    if code == INTERRUPTED:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)  # an import cut short can leave Python set to die of the signal instead
    sys.exit(code)


def run(args: Sequence[str] | None = None) -> int:
    """Run a command; its exit code."""
    words = list(sys.argv[1:] if args is None else args)
    try:
        try:
            from surefit.cli.app import command
        except ImportError as error:
            if error.name not in ("typer", "rich"):
                raise
            return say(f'the command line needs {error.name}: pip install "surefit[cli]"', BAD_INPUT)
        code = int(command().main(args=words, prog_name="surefit", standalone_mode=False) or 0)
        return say("interrupted", code) if code == INTERRUPTED else code
    except KeyboardInterrupt:
        return say("interrupted", INTERRUPTED)
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        message = error.format_message()  # what the parser of arguments refuses; without arguments, the help
        if type(error).__name__ == "NoArgsIsHelpError":
            print(message, file=sys.stderr)
            return BAD_INPUT
        return say(f"{message.rstrip('.').replace('Value error, ', '')} (see surefit --help)", BAD_INPUT)


def guarded(body: Callable[[], int]) -> int:
    """The body of a command. What goes wrong with the input ends in one line; SUREFIT_DEBUG=1 shows the traceback."""
    from surefit._core.errors import SurefitError

    try:
        with warnings.catch_warnings():
            warnings.showwarning = _say_warning  # type: ignore[assignment]
            code = body()
            sys.stdout.flush()
            return code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        silence_stdout()
        return 0
    except (SurefitError, ValueError, TypeError, OSError, MemoryError) as error:
        if os.environ.get("SUREFIT_DEBUG"):
            raise
        return say(one_line(error), BAD_INPUT)


def silence_stdout() -> None:
    """Who read our output has gone: what is still to be printed goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def one_line(error: BaseException) -> str:
    """The message without line breaks."""
    lines: list[Any] = [line.strip() for line in str(error).splitlines() if line.strip()]
    return "; ".join(line.rstrip(";") for line in lines) or type(error).__name__


def _say_warning(message: Warning | str, *where: Any) -> None:
    """A warning as one line, without the place in the code."""
    warn(str(message))


def warn(message: str) -> None:
    print(f"surefit: warning: {' '.join(message.split())}", file=sys.stderr)


def say(line: str, code: int) -> int:
    print(f"surefit: {line}", file=sys.stderr)
    return code
