"""What was chosen, resolved: each value from the table, the preset, the choice or the sequence, once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any
from weakref import WeakKeyDictionary

from rnnviz.presets.table import preset_of
from rnnviz.sequences import alphabet
from rnnviz.settings import SETTINGS, Settings, Value, choices_of, settings_of
from rnnviz.settings.parts import (
    FORMS,
    BaseSettings,
    LearningSettings,
    NetworkSettings,
    ObjectiveSettings,
    ViewSettings,
)

FIRST_TEXT = "hello world"
"""The text that stands there until the reader types one."""


@dataclass(frozen=True, eq=False)
class Parts:
    """What was chosen, by what depends on it.

    Attributes
    ----------
    values : mapping of str to value
        Of every setting that the page has, for its controls.
    network : NetworkSettings
        The one in front.
    objective : ObjectiveSettings
    learning : LearningSettings
    view : ViewSettings
    """

    values: Mapping[str, Value]
    network: NetworkSettings
    objective: ObjectiveSettings
    learning: LearningSettings
    view: ViewSettings

    @property
    def base(self) -> BaseSettings:
        """What the arrays of the network are before they are edited."""
        return self.network.base


def parts_of(settings: Settings) -> Parts:
    """The parts of settings, which need not be canonical; what its kind of cell has no word for is the table's."""
    parts = _RESOLVED.get(settings)
    if parts is None:
        parts = _RESOLVED[settings] = _resolve(settings)
    return parts


_RESOLVED: WeakKeyDictionary[Settings, Parts] = WeakKeyDictionary()
"""Of all settings that some session holds; they go with these."""


def network_of(settings: Settings) -> NetworkSettings:
    """The part of settings that a network and its run depend on."""
    return parts_of(settings).network


def values_of(settings: Settings) -> Mapping[str, Value]:
    """The value of every setting: the table's default, the preset's, the chosen one, the sequence's sizes."""
    return parts_of(settings).values


def text_of(settings: Settings) -> str:
    """The text that a sequence of characters is made of."""
    return settings.text or FIRST_TEXT


def kinds_drawn(settings: Settings) -> tuple[str, ...]:
    """The kinds of cell that a page draws: the one in front, and those beside it where they are shown together."""
    return settings.kinds if parts_of(settings).view.together == "all" else (settings.kind,)


def _resolve(settings: Settings) -> Parts:
    values = _values(settings)
    own, words = settings_of(settings.kind), {name: choices_of(name, settings.kind) for name in SETTINGS}
    of_cell: dict[str, Any] = {
        name: value if not words[name] or value in words[name] else own[name].default
        for name, value in values.items()
        if name in own
    }
    shown: dict[str, Any] = {"t": settings.t, "layer": settings.layer, "sequence": settings.sequence}
    return Parts(
        values=values,
        network=NetworkSettings(
            _base(settings, of_cell), of_cell["output_activation"], settings.edits, settings.clamps
        ),
        objective=ObjectiveSettings(**_of(ObjectiveSettings, of_cell)),
        learning=LearningSettings(**_of(LearningSettings, of_cell)),
        view=ViewSettings(**_of(ViewSettings, of_cell), **shown),
    )


def _values(settings: Settings) -> dict[str, Value]:
    table = {name: setting.default for name, setting in settings_of(*settings.kinds).items()}
    values = table | dict(preset_of(settings).values) | dict(settings.chosen)
    if settings.x is not None:
        values |= {"steps": len(settings.x), "input_size": len(settings.x[0]), "sequences": len(settings.batch)}
    elif values["input"] == "text":
        text = text_of(settings)
        values |= {"steps": len(text), "input_size": len(alphabet(text))}
    return values


def _base(settings: Settings, values: Mapping[str, Any]) -> BaseSettings:
    rule = "own" if settings.x is not None else values["input"]
    resolved = {
        "kind": settings.kind, "preset": settings.preset, "weights": settings.weights,
        "form": tuple((name, values[name]) for name in FORMS if name in values),
        "gate_biases": tuple(
            (name.removeprefix("bias_"), float(value)) for name, value in values.items() if name.startswith("bias_")
        ),
        "input": rule, "batch": settings.batch, "text": text_of(settings) if rule == "text" else "",
        "c0": values.get("c0"),
    }  # fmt: skip
    return BaseSettings(**{**_of(BaseSettings, values), **resolved})


def _of(part: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that a part has fields for."""
    return {field.name: values[field.name] for field in fields(part) if field.name in values}
