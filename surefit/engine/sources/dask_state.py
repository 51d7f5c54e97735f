"""Parts of rows on Dask's workers that remember what the steps of a fit have made of them.

A message says which state of the fit it is for and what leads there from the state before; a part in that state
answers. A part that is in no known state (its worker died, it was moved or spilled) answers nothing, and is then sent
all that was done: the state is a function of the rows and the messages, and what is kept of it never changes a result.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from surefit.engine.sources.dask_blocks import DaskBlocks


@dataclass(frozen=True)
class Message:
    """`steps`: (method, arguments) that lead to state number `number`; `question`: what is asked there.

    `facts`, `rounds`: what all parts know, and the rounds before this one, with `steps` being those since. None: for a
    part in the state before.
    """

    facts: Any
    token: str
    number: int
    steps: tuple[tuple[Any, ...], ...]
    question: tuple[Any, ...]
    rounds: list[Any] | None = None


class KeptPart:
    """Rows, and the state they are in. `fields`: what is sent along when a part is moved."""

    fields: tuple[str, ...] = ()

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self.lock = threading.Lock()
        self.state: Any = None
        self.token, self.number = "", -1

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.fields}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    def new_state(self, facts: Any, rounds: list[Any]) -> Any:
        """The state after these rounds."""
        raise NotImplementedError

    def answer(self, message: Message) -> Any:
        """None: this part is in another state."""
        with self.lock:
            if (self.token, self.number) != (message.token, message.number):
                if message.facts is not None and message.rounds is not None:
                    self.state = self.new_state(message.facts, message.rounds)
                elif (self.token, self.number) != (message.token, message.number - 1):
                    return None
                self.token = ""  # in no state until all steps are done
                for name, *arguments in message.steps:
                    getattr(self.state, name)(*arguments)
                self.token, self.number = message.token, message.number
            name, *arguments = message.question
            return getattr(self.state, name)(*arguments)


def answered(message: Message, part: KeptPart) -> Any:
    return part.answer(message)


class Parts:
    """Parts of rows and the state they are in: steps are sent with the next question.

    `merges`: how two answers to a question become one, where they are not added.
    """

    def __init__(self, blocks: DaskBlocks, facts: Any, merges: Mapping[str, Callable[[Any, Any], Any]]) -> None:
        self.blocks, self.facts, self.merges = blocks, facts, merges
        self.token, self.number = uuid.uuid4().hex, -1
        self.rounds: list[Any] = []
        self._since: list[tuple[Any, ...]] = []  # steps since the last round, in order
        self._next: list[tuple[Any, ...]] = []

    def step(self, name: str, *arguments: Any) -> None:
        self._next.append((name, *arguments))

    def ask(self, name: str, *arguments: Any) -> Any:
        """The merged answer of all parts; where one has lost its state, all are told how to come to it."""
        return self.ask_each([(name, *arguments)])[0]

    def ask_each(
        self, questions: Sequence[tuple[Any, ...]], after: Sequence[Callable[[Any], Any]] | None = None
    ) -> list[Any]:
        """The merged answers to several questions of one kind; `after` is done to them where they were merged."""
        if self._next or self.number < 0:
            self.number += 1
        self._since += self._next
        steps, self._next = tuple(self._next), []
        out: list[Any] = [None] * len(questions)
        if self.number > 0:
            out = self._sent([Message(None, self.token, self.number, steps, one) for one in questions], after)
        lost = [number for number, answer in enumerate(out) if answer is None]
        if lost:
            known = self.facts, self.token, self.number, tuple(self._since)
            whole = [Message(*known, questions[number], list(self.rounds)) for number in lost]
            found = self._sent(whole, None if after is None else [after[number] for number in lost])
            for number, answer in zip(lost, found, strict=True):
                out[number] = answer
        return out

    def _sent(self, messages: list[Message], after: Sequence[Callable[[Any], Any]] | None) -> list[Any]:
        merge = partial(_merged, self.merges.get(messages[0].question[0], _added))
        last = None if after is None else [partial(_unless_lost, function) for function in after]
        return self.blocks.folds(answered, messages, merge, last)

    def round_done(self, made: Any, *after: tuple[Any, ...]) -> None:
        """The steps asked for so far come to what they have `made`, and what was done `after` it."""
        self._since = list(after)
        self.rounds.append(made)


def _merged(merge: Any, left: Any, right: Any) -> Any:
    return None if left is None or right is None else merge(left, right)


def _added(left: Any, right: Any) -> Any:
    return tuple(a + b for a, b in zip(left, right, strict=True)) if isinstance(left, tuple) else left + right


def _unless_lost(after: Callable[[Any], Any], answer: Any) -> Any:
    return None if answer is None else after(answer)
