"""Refusals: each says what was given, what is needed and how to mend it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rnnviz.wording import Message

if TYPE_CHECKING:
    from rnnviz.maths.trace import Trace

__all__ = ["InputError", "StateOverflowError"]


class InputError(ValueError):
    """Something given to rnnviz cannot be used; the message says what is needed instead and how to mend it.

    Parameters
    ----------
    code : str
        Names the sentence. Another language has its own under ``error.<code>``.
    template : str
        The sentence in English, with slots; ``str`` of the error is this, filled.
    **slots : object
        Numbers, names and what was given; a `Message` or another refusal where a slot has words.

    Attributes
    ----------
    message : Message
        The sentence, to be said in any language.

    Examples
    --------
    >>> error = InputError("steps", "There {count:is|are} {count} {count:step|steps}; at most 2 are allowed.", count=3)
    >>> str(error), error.code, error.slots["count"]
    ('There are 3 steps; at most 2 are allowed.', 'steps', 3)
    """

    def __init__(self, code: str, template: str, /, **slots: object) -> None:
        words: dict[str, object] = {
            name: value.message if isinstance(value, InputError) else value for name, value in slots.items()
        }
        self.message: Message = Message(_PREFIX + code, template, **words)
        super().__init__(str(self.message))

    @property
    def code(self) -> str:
        """The name of its sentence."""
        return self.message.key.removeprefix(_PREFIX)

    @property
    def slots(self) -> Mapping[str, object]:
        """What fills its sentence."""
        return self.message.slots

    @classmethod
    def of(cls, message: Message) -> InputError:
        """The refusal that says a message which is at hand."""
        return InputError(message.key.removeprefix(_PREFIX), message.template, **message.slots)

    def within(self, code: str, template: str, /, **slots: object) -> InputError:
        """The same refusal in a longer sentence, of which it fills the slot `problem`."""
        return InputError(code, template, problem=self, **slots)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), str(self), self.__dict__)


class StateOverflowError(InputError):
    """A number of the forward pass grew past float64 (about 1.8e308).

    Attributes
    ----------
    step : int
        The first step (1..T) with a number that is not finite; it fills a slot of this name.
    trace : Trace
        The run up to the last finite step: ``step - 1`` steps, which may be none.
    """

    def __init__(self, code: str, template: str, /, *, step: int, trace: Trace, **slots: object) -> None:
        super().__init__(code, template, step=step, **slots)
        self.step = step
        self.trace = trace

    def within(self, code: str, template: str, /, **slots: object) -> StateOverflowError:
        """The same refusal in a longer sentence, with the step and the trace."""
        return StateOverflowError(code, template, step=self.step, trace=self.trace, problem=self, **slots)


_PREFIX = "error."


def _again(kind: type[InputError], text: str, content: Mapping[str, Any]) -> InputError:
    """An error out of a pickle, whose parameters are no longer what it was made of."""
    error = kind.__new__(kind, text)
    error.__dict__.update(content)
    return error
