"""The page that compares the cells: what stands above its numbers, the numbers, and the folds below them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from rnnviz.maths import InputError
from rnnviz.settings.recipe import is_whole
from rnnviz.texts import plain, say, say_error
from rnnviz.ui.compare_cells.controls import recipe_bar
from rnnviz.ui.compare_cells.numbers import (
    MOST_WORK,
    REPEATS,
    TIMED,
    Facts,
    Results,
    decays_of,
    facts_of,
    seconds_a_step,
)
from rnnviz.ui.compare_cells.run import results_of, run_panel, start_button
from rnnviz.ui.compare_cells.state import ComparisonState, comparison_of
from rnnviz.ui.components.copy_link import copy_link
from rnnviz.ui.explorer_panel import unusable
from rnnviz.ui.form import moved, refusal
from rnnviz.ui.panels import apart, chart, fold, table, wanted
from rnnviz.ui.shell import head
from rnnviz.views.charts.compare import reach_chart
from rnnviz.views.names import cell_name
from rnnviz.views.numbers import power_of_ten
from rnnviz.views.sentences.compare import (
    THRESHOLD,
    Decay,
    adjective_rows,
    cost_rows,
    gate_rows,
    learned_rows,
    loss_columns,
    notice,
    outcome,
    reach_row,
    time_row,
    untrained_rows,
)
from rnnviz.views.tables import html_table


def top(page: str, state: ComparisonState) -> None:
    """The button that copies the address, what of an address cannot be used, the recipes, and the buttons."""
    whole = is_whole(state.address, state.settings.recipe)
    beside, below = head()
    with beside:
        copy_link(whole=whole)
    if not whole:
        below.warning(say("compare.too_long"))
    unusable(state)
    recipe_bar(page, state)


@dataclass(frozen=True, eq=False)
class Known:
    """What the page knows of a comparison.

    Attributes
    ----------
    facts : Facts
    before : mapping of str to Decay, or None
        How the gradients decay at initialisation; None where it takes long and was not asked for.
    results : Results or None
        What its run has reached, once it is over.
    """

    facts: Facts
    before: Mapping[str, Decay] | None
    results: Results | None

    @property
    def after(self) -> Mapping[str, Decay] | None:
        """How the gradients decay after training."""
        return self.results.decays if self.results else None


def look(page: str, state: ComparisonState) -> Known | None:
    """All that is known; None where there is nothing to compare yet, with the reason."""
    of = state.settings
    if of.recipe.task == "series" and not of.recipe.series:
        st.info(say("compare.series"))
        return None
    try:
        facts = facts_of(of)
    except InputError as error:
        st.warning(plain(say_error(error), 400))
        return None
    why, large = say("compare.large", count=of.seeds * len(facts.costs)), facts.work > MOST_WORK
    followed = wanted(page, "reach compute", of, large=large, why=why)
    before = decays_of(of) if followed else None
    return Known(facts, before, results_of(state, facts, followed=followed))


def numbers(page: str, state: ComparisonState, known: Known) -> None:
    """What to notice, how the cells learn and how their gradients decay, and beside it the table of the cells."""
    facts, before, results = known.facts, known.before, known.results
    said = notice(facts.costs, before, facts.followed, is_sized=state.settings.sizing != "hidden")
    if results:
        said = outcome(results.learned, before, known.after, facts.followed, facts.solved)
    st.html(f"<style>{_STYLE}</style><p class='notice'>{said}</p>")
    with st.container(horizontal=True, vertical_alignment="center"):
        start_button(page, state)
        st.button(say("compare.measure"), key=f"{page} measure", on_click=_measure, args=(page,))
    refusal(state, "measure")
    kinds = list(facts.costs)
    rows = cost_rows(facts.costs, facts.steps)
    rows += [time_row(kinds, seconds(state)), reach_row(before, kinds, is_trained=False)]
    if results:
        rows += [reach_row(known.after, kinds, is_trained=True), *learned_rows(results.learned, facts.solved)]
    else:
        run = state.run
        rows += untrained_rows(kinds, facts.solved, running=run is not None and not run.is_over)
    left, right = st.columns([10, 11], gap="medium")
    with left:
        apart(page, "run", lambda: run_panel(page, state, facts))
        if before and any(len(one.norms) for one in before.values()):
            chart(reach_chart(before, known.after), key=f"{page} reach", said=said)
    with right:
        st.html(html_table(say("compare.table"), [say("compare.what"), *map(cell_name, kinds)], rows))


def seconds(state: ComparisonState) -> Mapping[str, float]:
    """A step's time by kind, where it was measured for these settings."""
    return state.seconds if state.seconds_of == state.settings else {}


def _measure(page: str) -> None:
    """The time of a step is to be measured (a Streamlit callback)."""
    state = comparison_of(page)
    if state is not None:
        moved(page)
        of = state.settings
        try:
            state.seconds, state.seconds_of = seconds_a_step(of), of
        except InputError as error:
            state.refuse("measure", error.message)


def folds(page: str, state: ComparisonState, known: Known) -> None:
    """The adjectives with their numbers, the gates, the losses, and how each number was found."""
    fold(page, "adjectives", say("compare.adjectives"), lambda: _adjectives(state, known), opened=True)
    before, results = known.before, known.results
    if before:
        fold(page, "gates", say("compare.gates"), lambda: _gates(before, known.after))
    if results:
        losses = loss_columns(results.learned)
        fold(page, "losses", say("compare.numbers"), lambda: table(losses, key=f"{page} losses table"))
    fold(page, "counted", say("compare.counted"), lambda: _counted(state, known))


def _adjectives(state: ComparisonState, known: Known) -> None:
    st.caption(say("compare.adjectives.about"))
    costs, results = known.facts.costs, known.results
    on = say(f"compare.on.{state.settings.recipe.task}", steps=known.facts.followed)
    updates = results.updates if results else None
    rows = adjective_rows(costs, known.before, known.after, seconds(state), on=on, updates=updates)
    st.html(html_table(say("compare.adjectives"), [say("compare.feature"), *map(cell_name, costs)], rows))


def _gates(before: Mapping[str, Decay], after: Mapping[str, Decay] | None) -> None:
    st.caption(say("compare.gates.about"))
    titles = [say("compare.gates.what"), say("compare.gates.before"), say("compare.gates.after")]
    st.html(html_table(say("compare.gates"), titles, gate_rows(before, after)))


def _counted(state: ComparisonState, known: Known) -> None:
    recipe = state.settings.recipe
    said = [say("compare.counted.parameters")]
    if recipe.start == "learned":
        said[0] += " " + say("compare.counted.start")
    said += [say("compare.counted.work"), say("compare.counted.state"), say("compare.counted.kept")]
    said.append(say("compare.counted.time", repeats=REPEATS, steps=TIMED))
    said.append(say("compare.counted.reach", share=power_of_ten(THRESHOLD)))
    if recipe.layers > 1:
        said[-1] += " " + say("compare.counted.layer")
    if known.facts.solved:
        said.append(say("compare.counted.solved", tested=known.facts.tested))
    st.markdown("\n".join(f"- {one}" for one in said))


_STYLE = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
