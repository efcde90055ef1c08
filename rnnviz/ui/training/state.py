"""What a session remembers of the training page: the recipe that its controls hold, and the runs of recipes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import streamlit as st

from rnnviz.learning.jobs import JOBS, Run
from rnnviz.learning.training import Checkpoint
from rnnviz.network.plan import plan_of
from rnnviz.presets.recipes import FIRST, RECIPES
from rnnviz.settings import Setting, Value, without_hosting
from rnnviz.settings.recipe import RECIPE, Recipe, read_recipe, without_long_series, write_recipe
from rnnviz.texts import later
from rnnviz.ui.form import FormState, keep, open_form, state_of
from rnnviz.wording import Message

WITH_HELP = ("steps", "gap", "largest", "clip", "truncation", "batch_size", "updates", "start")
"""Settings of a recipe that need a word."""
RUN = "run"
"""In an address: the name of the run whose results it shows."""
_LOOKS = 0.5
"""Seconds for which the networks that are looked into stay the same, for all that is drawn of them."""
_REMEMBERED = 8
"""Runs that a session can come back to."""


@dataclass
class RecipeState(FormState):
    """What a session remembers of the training page.

    Attributes
    ----------
    settings : Recipe
    runs : mapping of Recipe to str
        The name of the last run of each recipe, oldest first.
    drawn : str
        The state of the run when the whole page was last drawn.
    started : set of str
        The names of the runs that this session started: others it only watches.
    looked_run : str
        The run that was last looked into.
    looked_at : mapping of int to Checkpoint
        The networks of the run that are looked into, by their place.
    looked : float
        When they were chosen.
    chosen : mapping of str to object
        What of the pictures was chosen last, by the key of its widget: the moment, the cell in front and its value.
    """

    settings: Recipe
    runs: dict[Recipe, str] = field(default_factory=dict)
    drawn: str = ""
    started: set[str] = field(default_factory=set)
    looked_run: str = ""
    looked_at: dict[int, Checkpoint] = field(default_factory=dict)
    looked: float = 0.0
    chosen: dict[str, object] = field(default_factory=dict)

    def row(self, name: str) -> Setting:
        return RECIPE[name]

    def label(self, name: str) -> Message:
        return later(f"recipe.{name}")

    def help(self, name: str) -> Message | None:
        return later(f"help.recipe.{name}") if name in WITH_HELP else None

    def value(self, name: str) -> Value:
        return self.settings.value(name)

    def options(self, name: str) -> Sequence[str]:
        return RECIPE[name].choices

    def changed(self, name: str, value: Value | None) -> Recipe:
        if name == "preset":
            name = str(value or self.settings.preset)
            return replace(RECIPES[name], preset=name, seed=self.settings.seed, series=self.settings.series)
        assert value is not None  # its menus always have a word
        return self.settings.choose(name, value)

    def accept(self, settings: Recipe, *, asked: bool = False) -> None:
        """Take a recipe that a plan can be made of; the run of the one before ends."""
        del asked
        if settings.task != "series" or settings.series:
            plan_of(settings)
        if settings != self.settings:
            self.end()
        self.settings, self.problems = settings, ()
        self.fall_silent()

    def adopt(self, query: Mapping[str, str]) -> None:
        own = without_hosting(query)
        name, before = own.pop(RUN, ""), self.settings
        run = JOBS.find(name)
        self.settings, self.problems = read_recipe(own, RECIPES, FIRST)
        if run is not None and isinstance(run.of, Recipe) and replace(run.of, series=()) == self.settings:
            self.settings = run.of  # its series is not in the address
        elif not self.settings.series:
            self.settings = replace(self.settings, series=before.series)
        if before != self.settings:
            self.end(before)
        if name and (run is None or run.of == self.settings):
            self.remember(name)
        self.fall_silent()

    @property
    def address(self) -> dict[str, str]:
        run = self.run
        return without_long_series(write_recipe(self.settings, RECIPES, FIRST)) | ({RUN: run.name} if run else {})

    @property
    def first(self) -> Recipe:
        return replace(RECIPES[FIRST], preset=FIRST)

    @property
    def run(self) -> Run | None:
        """The run of the recipe that the page shows, where there was one and it is still kept."""
        return JOBS.find(self.runs.get(self.settings, ""))

    @property
    def last_run(self) -> Run | None:
        """The last run that was seen here, where it is still kept and reached anything."""
        run = JOBS.find(next(reversed(self.runs.values()), ""))
        return run if run is not None and any(lane.checkpoints for lane in run.lanes) else None

    def look(self, run: Run) -> Mapping[int, Checkpoint]:
        """The networks of a run as they are now, or were a moment ago: to look into them takes longer than a curve."""
        now = time.monotonic()
        if run.state != "running" or now - self.looked > _LOOKS or run.name != self.looked_run:
            self.looked_run = run.name
            lanes = enumerate(run.lanes)
            self.looked_at, self.looked = {place: lane.now for place, lane in lanes if lane.now}, now
        return self.looked_at

    def remember(self, name: str) -> None:
        """Keep the name of a run of the recipe that is shown."""
        self.runs.pop(self.settings, None)
        self.runs[self.settings] = name
        while len(self.runs) > _REMEMBERED:
            del self.runs[next(iter(self.runs))]

    def end(self, recipe: Recipe | None = None) -> None:
        """Stop the run of a recipe, of the one that is shown unless another is named, if it is this session's."""
        name = self.runs.get(recipe or self.settings, "")
        run = JOBS.find(name)
        if run is not None and name in self.started:
            run.stop()

    def play(self) -> None:
        """Go on with the run that is paused, or start one."""
        run = self.run
        if run is not None and run.state == "paused":
            run.go_on()
        elif run is None or run.is_over:
            new = JOBS.start(plan_of(self.settings), of=self.settings)
            self.started.add(new.name)
            self.remember(new.name)


def open_training(page: str) -> RecipeState:
    """The state of the page at the beginning of a run, with the address that the browser shows taken in."""
    known = recipe_state_of(page)
    if known is None:
        known = RecipeState(replace(RECIPES[FIRST], preset=FIRST))
        keep(page, known)
        known.adopt(st.query_params.to_dict())
    JOBS.warm()
    state, _ = open_form(page, known)
    return state


def recipe_state_of(page: str) -> RecipeState | None:
    """The state that this session has of the training page, if it was there."""
    state = state_of(page)
    return state if isinstance(state, RecipeState) else None
