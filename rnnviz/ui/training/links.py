"""From a network in training to the pages that show it: by the hash of its weights, with the recipe that makes them."""

from __future__ import annotations

from dataclasses import replace

from rnnviz.learning.snapshot import Shown
from rnnviz.learning.training import Checkpoint
from rnnviz.presets.recipes import FIRST, RECIPES
from rnnviz.sequences import write_number, write_sequence
from rnnviz.settings import ADDRESS_LIMIT, KINDS, address_length
from rnnviz.settings.carried import in_one
from rnnviz.settings.recipe import Recipe, write_recipe
from rnnviz.ui.links import CELL_PAGES
from rnnviz.weights import STORE, StoredNetwork

_ROOM = 200
"""Characters of an address that are left for what a page adds to it."""
_BESIDE = ("gradient_flow", "bptt_rtrl")
"""Pages that have all kinds of cells, and show the first unless told."""


def links_of(recipe: Recipe, kind: str, checkpoint: Checkpoint, shown: Shown) -> dict[str, dict[str, str]]:
    """The address of each page that shows a network of a run on a sequence of its test."""
    stored = STORE.put(StoredNetwork(checkpoint.cells, checkpoint.readout))
    again = replace(recipe, cells=kind, updates=max(checkpoint.update, 1))  # its last checkpoint is this very network
    made_by = in_one(write_recipe(again, RECIPES, FIRST))
    query = {"preset": "random", "weights": stored} | ({"recipe": made_by} if made_by else {})
    start = dict[str, str]()
    for layer, h0 in enumerate(checkpoint.h0s, start=1):
        prefix = "h0" if layer == 1 else f"{layer}.h0"
        start |= {f"{prefix}.{unit}": write_number(value) for unit, value in enumerate(h0.tolist(), 1) if value}
    for part in (start, {"x": write_sequence(shown.x)}):
        if address_length(query | part) < ADDRESS_LIMIT - _ROOM:
            query |= part
    in_front = {} if kind == KINDS[0] else {"cell": kind}
    return {CELL_PAGES[kind]: query} | dict.fromkeys(_BESIDE, in_front | query)
