"""An update that was clipped or that ended its run, in words and numbers: each sentence computed from what it did."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rnnviz.learning.forensics import Block, Forensics, Move, Reading
from rnnviz.learning.incident import Incident
from rnnviz.texts import say
from rnnviz.views.numbers import faded, power_of_ten, thousands
from rnnviz.views.sentences.gate_facts import percent
from rnnviz.views.tables import NOTHING

_ADDED = 1e-6
"""What torch adds to a gradient norm before it divides by it."""


def names_of(incidents: Sequence[Incident]) -> list[str]:
    """A name for each of some incidents: the cell, with its place in the plan where others are of its kind."""
    learners = {one.learner: one.this.network.cells[0].kind for one in incidents}
    kinds = list(learners.values())
    names = []
    for one in incidents:
        kind = learners[one.learner]
        name = say(f"step_one.cell.{kind}")
        if kinds.count(kind) > 1:
            name = say("forensics.cell.numbered", cell=name, number=one.learner + 1)
        names.append(say(f"forensics.kind.{one.kind}", name=name, number=thousands(one.this.update.number)))
    return names


def forensics_words(found: Forensics) -> dict[str, list[str]]:
    """What happened, sentence by sentence, by the question that is answered; those without an answer are left out."""
    answers = {
        "course": [*_before(found), *_effect(found)],
        "step": _steps(found),
        "weight": _weights(found),
        "singular": [*_singular(found), *_stretch(found)],
    }
    return {say(f"forensics.question.{name}"): said for name, said in answers.items() if said}


def lead_words(found: Forensics) -> str:
    """What makes the update worth a look."""
    incident, number = found.incident, thousands(found.incident.this.update.number)
    if found.overflow is None:
        norm, limit = incident.this.update.grad_norm, incident.limit or math.nan
        slots = {"norm": faded(norm), "limit": faded(limit), "factor": faded(limit / (norm + _ADDED))}
        return say(f"forensics.{incident.kind}", number=number, **slots)
    what, step = found.overflow.what, found.overflow.step
    if what == "loss" and not step:
        what = "losses"
    if what == "gradient" and not step:
        what = "unknown"
    largest = max(incident.this.gradient, key=lambda one: (not math.isfinite(one.largest), abs(one.largest)))
    named = {"weight": entry_name(found, largest.layer, largest.name, largest.place), "entry": faded(largest.largest)}
    return say(f"forensics.end.{what}", number=number, step=step, **named)


def _before(found: Forensics) -> list[str]:
    """How a run that ended came there."""
    incident, said = found.incident, list[str]()
    if incident.kind != "end":
        return said
    finite = [one for one in incident.history if one.finite and one.grad_norm > 0]
    if len(finite) > 2 and finite[-1].grad_norm > finite[0].grad_norm:
        first, last = finite[0], finite[-1]
        count = last.number - first.number
        ratio = (math.log10(last.grad_norm) - math.log10(first.grad_norm)) / count
        said.append(
            say(
                "forensics.growth", count=count, first=thousands(first.number), last=thousands(last.number),
                before=faded(first.grad_norm), after=faded(last.grad_norm), ratio=power_of_ten(ratio),
            )
        )  # fmt: skip
    if 0 < incident.best.number < incident.this.update.number:
        said.append(say("forensics.best", loss=faded(incident.best.loss), number=thousands(incident.best.number)))
    return said


def _effect(found: Forensics) -> list[str]:
    """What the update did to the loss of its own batch."""
    told = found.incident.told
    number, before, after = thousands(told.update.number), told.update.loss, told.loss_after
    if math.isnan(after):
        return [say("forensics.lost", number=number)]
    if not math.isfinite(before):
        return []
    if math.isinf(after):
        said = [say("forensics.beyond", number=number, before=faded(before))]
    elif after > before > 0:
        ratio = power_of_ten(math.log10(after) - math.log10(before))
        said = [say("forensics.rose", number=number, before=faded(before), after=faded(after), ratio=ratio)]
    elif after < before:
        return [say("forensics.fell", number=number, before=faded(before), after=faded(after))]
    else:
        return [say("forensics.same", number=number, after=faded(after))] if after == before else []
    return [*said, say("forensics.overshot", fall=faded(-told.promised))] if -math.inf < told.promised < 0 else said


def _weights(found: Forensics) -> list[str]:
    """Which weights the update moved."""
    number, said, move = thousands(found.incident.told.update.number), list[str](), found.largest
    if math.isfinite(move.part.largest) and move.part.largest:
        top = max(found.moves, key=lambda one: one.part.norm)
        if math.isfinite(top.share):
            array = array_name(found, top.part.layer, top.part.name)
            said.append(say("forensics.share", array=array, share=percent(top.share)))
        weight = entry_name(found, move.part.layer, move.part.name, move.part.place)
        slots = {"weight": weight, "gradient": faded(move.part.largest), "before": faded(move.before)}
        if math.isnan(move.after):
            said.append(say("forensics.weight.lost", number=number, **slots))
        else:
            said.append(say("forensics.weight", number=number, after=faded(move.after), **slots))
    return said


def _singular(found: Forensics) -> list[str]:
    """What became of the recurrent weights."""
    number = thousands(found.incident.told.update.number)
    before, after = max(found.blocks, key=lambda pair: _change(*pair))
    matrix = block_name(found, before)
    slots = {"matrix": matrix, "before": faded(before.sigma), "radius": faded(before.radius)}
    if after is None:
        return [say("forensics.singular.only", number=number, **slots)]
    if faded(after.sigma) == slots["before"] and faded(after.radius) == slots["radius"]:
        return [say("forensics.singular.same", number=number, **slots)]
    now = {"after": faded(after.sigma), "radius_after": faded(after.radius)}
    return [say("forensics.singular", number=number, **slots, **now)]


def _change(before: Block, after: Block | None) -> float:
    return before.sigma if after is None else abs(after.sigma - before.sigma)


def _steps(found: Forensics) -> list[str]:
    """Which step has the largest error and which one the largest contribution."""
    seen, steps, layer = found.seen, found.steps, found.layer
    said = _of_what(found)
    if seen is None:
        return said
    here = seen.layers[layer]
    names = {"network": network_words(seen.updates), "name": layered(found, say("forensics.error.name"), layer + 1)}
    matrix, total = layered(found, "W_hh", layer + 1), power_of_ten(here.total)
    if not np.isfinite(here.errors).any():
        return [*said, say("forensics.error.none", **names)]
    place, most = int(here.errors.argmax()), int(here.contributions.argmax())
    error, part = power_of_ten(float(here.errors[place])), power_of_ten(float(here.contributions[most]))
    if len(steps) == 1:
        said.append(say("forensics.error.one", step=steps[0], error=error, **names))
    else:
        said.append(say("forensics.error", step=steps[place], error=error, **names))
    if not np.isfinite(here.contributions).any():
        said.append(say("forensics.contribution.none", matrix=matrix))
    elif len(steps) == 1:
        said.append(say("forensics.contribution.one", matrix=matrix, total=total))
    else:
        slots = {"step": steps[most], "steps": len(steps), "part": part}
        said.append(say("forensics.contribution", matrix=matrix, total=total, **slots))
    return [*said, rounded_words(found)] if found.rounded else said


def rounded_words(found: Forensics) -> str:
    """That training lost a gradient to rounding; empty where it did not."""
    if not found.rounded:
        return ""
    exact, used = found.rounded
    return say("forensics.rounded", used=faded(used), exact=power_of_ten(exact))


def _stretch(found: Forensics) -> list[str]:
    """What the steps' Jacobians do to a change of the state."""
    seen, steps = found.seen, found.steps
    if seen is None or not np.isfinite(seen.layers[found.layer].stretches).any():
        return []
    here = seen.layers[found.layer]
    place = int(np.nanargmax(here.stretches))
    slots = {"state": layered(found, say("forensics.state"), found.layer + 1)}
    slots["most"] = power_of_ten(float(here.stretches[place]))
    if len(steps) == 1:
        return [say("forensics.stretch.one", **slots)]
    product = power_of_ten(here.product)
    return [say("forensics.stretch", step=steps[place], steps=len(steps), product=product, **slots)]


def _of_what(found: Forensics) -> list[str]:
    """Which part of which example the update learned from, where that is not all."""
    incident, steps, said = found.incident, found.steps, list[str]()
    example = incident.example
    if len(steps) == 1 < example.of:
        said.append(say("forensics.part.one", step=steps[0], of=example.of))
    elif len(steps) < example.of:
        said.append(say("forensics.part", first=steps[0], last=steps[-1], of=example.of))
    if incident.batch > 1 and math.isfinite(example.loss):
        said.append(say("forensics.example", batch=incident.batch, loss=faded(example.loss)))
    elif incident.batch > 1:
        said.append(say("forensics.example.beyond", batch=incident.batch))
    return said


# --- names ----------------------------------------------------------------------------------------------------------


def network_words(updates: int) -> str:
    """Which network of a run it is, by the updates that it has had."""
    return say("forensics.network", number=thousands(updates)) if updates else say("forensics.network.start")


def layered(found: Forensics, name: str, layer: int) -> str:
    """A name with its layer, where there are several."""
    if len(found.incident.this.network.cells) == 1:
        return name
    return say("forensics.of_layer", name=name, layer=layer)


def array_name(found: Forensics, layer: int, name: str) -> str:
    """An array of weights by its name, with its layer or the readout."""
    return layered(found, name, layer) if layer else say("forensics.of_readout", name=name)


def entry_name(found: Forensics, layer: int, name: str, place: Sequence[int]) -> str:
    """One weight by its array and place, as the screen counts."""
    entry = say("forensics.entry", name=name, place=", ".join(str(one + 1) for one in place))
    cells = found.incident.this.network.cells
    if layer and name != "h0" and len(cells[layer - 1].gate_names) > 1:
        cell = cells[layer - 1]
        entry = say("forensics.of_gate", name=entry, gate=cell.gate_names[place[0] // cell.hidden_size])
    return array_name(found, layer, entry)


def block_name(found: Forensics, block: Block) -> str:
    """The recurrent weights of a gate, or of a cell without gates."""
    name = say("forensics.of_gate", name="W_hh", gate=block.gate) if block.gate else "W_hh"
    return layered(found, name, block.layer)


# --- numbers --------------------------------------------------------------------------------------------------------


def weights_columns(found: Forensics) -> dict[str, Sequence[object]]:
    """A row for each array of weights: its entry with the largest gradient, before the update and after it.

    As text: a table on the page shows no number beyond 1e15 as others are.
    """
    moves: Sequence[Move] = found.moves
    return {
        say("forensics.column.array"): [array_name(found, one.part.layer, one.part.name) for one in moves],
        say("forensics.column.norm"): [faded(one.part.norm) for one in moves],
        say("forensics.column.entry"): [
            entry_name(found, one.part.layer, one.part.name, one.part.place) if one.part.largest else NOTHING
            for one in moves
        ],
        say("forensics.column.gradient"): [faded(one.part.largest) for one in moves],
        say("forensics.column.before"): [faded(one.before) for one in moves],
        say("forensics.column.after"): [faded(one.after) for one in moves],
        say("forensics.column.moved"): [faded(one.after - one.before) for one in moves],
    }


def networks_columns(found: Forensics) -> dict[str, Sequence[object]]:
    """The networks before and after on the same example, a column each, as text: they may be beyond float64."""
    layers = range(len(found.incident.this.network.cells))
    names = [say("forensics.row.loss")]
    for layer in layers:
        names += [layered(found, say(f"forensics.row.{row}"), layer + 1) for row in _ROWS]
    for block, _ in found.blocks:
        names += [say(f"forensics.block.{row}", matrix=block_name(found, block)) for row in ("sigma", "radius")]
    columns: dict[str, Sequence[object]] = {say("forensics.column.quantity"): names}
    for reading in found.readings:
        columns[network_words(reading.updates)] = _column(reading, len(layers))
    return columns


_ROWS = ("error", "contribution", "gradient", "state", "stretch", "product")


def _column(reading: Reading, layers: int) -> list[str]:
    with np.errstate(divide="ignore"):
        top = float(reading.losses.max())
        part = top + math.log10(float(np.sum(10.0 ** (reading.losses - top)))) if math.isfinite(top) else top
    texts = [power_of_ten(part)]
    for layer in range(layers):
        if not reading.layers:
            texts += [power_of_ten(math.nan)] * len(_ROWS)
            continue
        here = reading.layers[layer]
        values = (here.errors.max(), here.contributions.max(), here.total, math.log10(here.state) if here.state else
                  -math.inf, here.stretches.max(), here.product)  # fmt: skip
        texts += [power_of_ten(float(value)) for value in values]
    return texts + [text for block in reading.blocks for text in (faded(block.sigma), faded(block.radius))]
