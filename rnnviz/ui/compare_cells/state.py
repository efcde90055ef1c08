"""What a session remembers of the page that compares cells: the comparison, its run, and what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import streamlit as st

from rnnviz.learning.jobs import JOBS, Run
from rnnviz.network.comparison import comparison_plan
from rnnviz.presets.recipes import RECIPES
from rnnviz.settings import Setting, Value, without_hosting
from rnnviz.settings.comparison import COMPARISON, Comparison, read_comparison, write_comparison
from rnnviz.settings.recipe import RECIPE, Recipe, without_long_series
from rnnviz.texts import later
from rnnviz.ui.compare_cells.numbers import Results
from rnnviz.ui.form import FormState, keep, open_form, state_of
from rnnviz.ui.training.state import RUN, WITH_HELP
from rnnviz.wording import Message

PRESETS: Mapping[str, Recipe] = {name: recipe for name, recipe in RECIPES.items() if recipe.cells == "all"}
"""The recipes that are for all cells, by name."""

FIRST = next(iter(PRESETS))


@dataclass
class ComparisonState(FormState):
    """What a session remembers of the page.

    Attributes
    ----------
    settings : Comparison
    run_name : str
        Of the run that was started last; empty before.
    is_own : bool
        Whether this session started it: another's it only watches.
    run_of : Comparison or None
        What it was started for.
    results : Results or None
        What it has reached, once it was looked at.
    seconds : mapping of str to float
        A step's time by kind, as it was measured last.
    seconds_of : Comparison or None
        What it was measured for.
    """

    settings: Comparison
    run_name: str = ""
    is_own: bool = False
    run_of: Comparison | None = None
    results: Results | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    seconds_of: Comparison | None = None

    def row(self, name: str) -> Setting:
        return COMPARISON[name] if name in COMPARISON else RECIPE[name]

    def label(self, name: str) -> Message:
        return later(f"recipe.{name}")

    def help(self, name: str) -> Message | None:
        if name in COMPARISON:
            return later(f"help.compare.{name}")
        return later(f"help.recipe.{name}") if name in WITH_HELP else None

    def value(self, name: str) -> Value:
        return self.settings.value(name)

    def options(self, name: str) -> Sequence[str]:
        return self.row(name).choices

    def changed(self, name: str, value: Value | None) -> Comparison:
        if name == "preset":
            here = self.settings.recipe
            preset = str(value or here.preset)
            return replace(
                self.settings, recipe=replace(PRESETS[preset], preset=preset, seed=here.seed, series=here.series)
            )
        assert value is not None  # its menus always have a word
        return self.settings.choose(name, value)

    def accept(self, settings: Comparison, *, asked: bool = False) -> None:
        """Take a comparison that a plan can be made of."""
        del asked
        if settings.recipe.task != "series" or settings.recipe.series:
            comparison_plan(settings)
        self.end_unless(settings)
        self.settings, self.problems = settings, ()
        self.fall_silent()

    def adopt(self, query: Mapping[str, str]) -> None:
        own = without_hosting(query)
        name = own.pop(RUN, "")
        run = JOBS.find(name)
        settings, self.problems = read_comparison(own, PRESETS, FIRST)
        of = run.of if run is not None and isinstance(run.of, Comparison) else None
        if of is not None and replace(of, recipe=replace(of.recipe, series=())) == settings:
            settings = of  # its series is not in the address
        elif not settings.recipe.series:
            settings = replace(settings, recipe=replace(settings.recipe, series=self.settings.recipe.series))
        self.end_unless(settings)
        self.settings = settings
        if name not in ("", self.run_name) and (run is None or of == settings):
            self.run_name, self.is_own, self.run_of, self.results = name, False, settings, None
        self.fall_silent()

    def end_unless(self, settings: Comparison) -> None:
        """Stop the run unless it is for these settings, if it is this session's."""
        if settings != self.run_of:
            self.end()

    def end(self) -> None:
        """Stop the run, if it is this session's."""
        run = JOBS.find(self.run_name)
        if run is not None and self.is_own:
            run.stop()

    @property
    def address(self) -> dict[str, str]:
        run = self.run
        query = without_long_series(write_comparison(self.settings, PRESETS, FIRST))
        return query | ({RUN: run.name} if run else {})

    @property
    def first(self) -> Comparison:
        return Comparison(replace(PRESETS[FIRST], preset=FIRST))

    @property
    def run(self) -> Run | None:
        """The last run, where it was started for these settings and is still kept."""
        return JOBS.find(self.run_name) if self.run_of == self.settings else None


def open_comparison(page: str) -> ComparisonState:
    """The state of the page at the beginning of a run, with the address that the browser shows taken in."""
    known = comparison_of(page)
    if known is None:
        known = ComparisonState(Comparison(replace(PRESETS[FIRST], preset=FIRST)))
        keep(page, known)
        known.adopt(st.query_params.to_dict())
    state, _ = open_form(page, known)
    return state


def comparison_of(page: str) -> ComparisonState | None:
    """The state that this session has of the page, if it was there."""
    state = state_of(page)
    return state if isinstance(state, ComparisonState) else None
