"""Whatever a page says can be said in a second language: each refusal has a code, and its slots hold no words."""

from __future__ import annotations

import ast
import pickle
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from rnnviz import ElmanCell, InputError, StateOverflowError, run, run_stack
from rnnviz.settings import Problem, parse_address
from rnnviz.texts import ENGLISH, LANGUAGES, group, later, say, say_error, say_message, speak
from rnnviz.texts.en import TEXTS
from rnnviz.wording import Message
from tests.views.toy import ROOT, SOURCES, TOY, Sentence, refusals, sentences, slots_of, toy

# Where a key or a template comes from elsewhere: the classes themselves, the texts, and the title of a cell.
MADE_ELSEWHERE = {"rnnviz/maths/errors.py", "rnnviz/texts/__init__.py"}
FOUND = [
    one
    for file in SOURCES
    if str(file.relative_to(ROOT)) not in MADE_ELSEWHERE
    for one in sentences(file.read_text(encoding="utf-8"), str(file.relative_to(ROOT)))
]
WRITTEN = [one for one in FOUND if one.key and one.template]


@pytest.fixture
def toy_language(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(LANGUAGES, "toy", TOY)
    speak("toy")
    yield
    speak(ENGLISH)


def test_the_scan_finds_refusals_messages_and_longer_sentences() -> None:
    assert len(FOUND) > 180
    keys = {one.key for one in FOUND}
    assert {"error.objective.classes", "error.setting.not_here", "error.layer", "error.overflow.first"} <= keys


def test_every_sentence_is_written_out_where_it_is_made() -> None:
    """But for a cell's title, which a cell of one's own has too."""
    missing = [one.place for one in FOUND if not (one.key and one.template)]
    assert [place.partition(":")[0] for place in missing] == ["rnnviz/maths/cells/protocol.py"]


def test_a_key_has_one_sentence() -> None:
    templates: dict[str | None, set[str | None]] = {}
    for one in WRITTEN:
        templates.setdefault(one.key, set()).add(one.template)
    assert [key for key, found in templates.items() if len(found) > 1] == []
    assert [one.key for one in WRITTEN if not str(one.key).startswith(("error.", "run."))] == []


@pytest.mark.parametrize("one", WRITTEN, ids=lambda one: f"{one.place} {one.key}")
def test_a_sentence_gets_its_slots(one: Sentence) -> None:
    """No more than these, but for the step of an overflow and what several sentences share."""
    asked = slots_of(str(one.template))
    assert asked <= set(one.slots)
    assert {name for name in set(one.slots) - asked if name != "step"} <= one.shared


@pytest.mark.parametrize("one", WRITTEN, ids=lambda one: f"{one.place} {one.key}")
def test_no_slot_is_given_words(one: Sentence) -> None:
    """Words stand in templates; a phrase that varies has a message of its own."""
    given = [value for value in one.slots.values() if value is not None]
    inside = [part for value in given if not isinstance(value, ast.Call) for part in ast.walk(value)]
    assert [part for part in inside if isinstance(part, ast.JoinedStr | ast.IfExp)] == []
    assert [value for value in given if isinstance(value, ast.Constant) and isinstance(value.value, str)] == []


def test_no_page_says_an_error_in_english() -> None:
    """``str`` of an error is its English sentence: pages use `say_error`, or keep the message."""
    found = []
    for file in [*ROOT.glob("rnnviz/ui/**/*.py"), *ROOT.glob("rnnviz/views/**/*.py"), *ROOT.glob("pages/*.py")]:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        caught = {node.name for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.name}
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Name(id="str"), args=[ast.Name(id=name)]) if name in caught:
                    found.append(f"{file.relative_to(ROOT)}:{node.lineno}")
                case ast.FormattedValue(value=ast.Name(id=name)) if name in caught:
                    found.append(f"{file.relative_to(ROOT)}:{node.lineno}")
    assert found == []


def lacks(texts: Mapping[str, str]) -> list[str]:
    """What a language has no text for, or one that does not fit its slots, by key."""
    wanted = TEXTS | refusals()
    return [key for key, text in wanted.items() if key not in texts or slots_of(texts[key]) - slots_of(text)]


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != ENGLISH])
def test_a_language_has_all_texts(language: str) -> None:
    assert lacks(LANGUAGES[language]) == []


def test_the_check_of_languages_sees() -> None:
    assert lacks(TOY) == []
    assert lacks({key: text for key, text in TOY.items() if key != "error.layer"}) == ["error.layer"]
    assert lacks(TOY | {"explorer.step": "{x}"}) == ["explorer.step"]
    assert len(lacks(TEXTS)) == len(refusals()) > 180


def test_english_is_there() -> None:
    assert LANGUAGES[ENGLISH] is TEXTS
    assert list(LANGUAGES) == sorted(path.stem for path in Path(ROOT, "rnnviz/texts").iterdir() if path.stem[0] != "_")


def grown(layers: int = 1) -> StateOverflowError:
    cell, x = ElmanCell([[1.0]], [[1e200]], [0.0], [0.0], activation="identity"), np.ones((5, 1))
    with pytest.raises(StateOverflowError) as caught:
        _ = run(cell, x) if layers == 1 else run_stack([cell] * layers, x)
    return caught.value


def test_a_refusal_has_a_code_and_slots() -> None:
    error = grown()
    assert (error.code, error.slots["step"], error.slots["steps"], error.slots["last"]) == ("overflow.later", 3, 5, 2)
    assert str(error) == say_error(error)
    assert str(error).startswith("The pre-activation a of unit 1 overflows float64 (about 1.8e308) at step 3 of 5.")


def test_a_refusal_in_another_is_said_in_the_same_language(toy_language: None) -> None:
    """All the way down: the layer, the overflow, the number that overflowed."""
    error = grown(layers=2)
    said = say_error(error)
    assert say_message(error.message) == said
    assert said.startswith(toy("Layer 1: The pre-activation "))
    assert f"{toy('pre-activation')} a {toy('of unit')} 1 " in said
    assert str(error).startswith("Layer 1: The pre-activation a of unit 1 ")  # for programs, as ever


def test_a_longer_sentence_stays_an_overflow() -> None:
    error = grown(layers=2)
    assert (type(error), error.code, error.step, error.trace.steps) == (StateOverflowError, "layer", 3, 2)
    assert isinstance(error.slots["problem"], Message)  # and no error, which would keep all that it was raised in


def test_a_refusal_survives_a_pickle() -> None:
    """A worker process sends it."""
    error, again = grown(), pickle.loads(pickle.dumps(grown()))
    assert (type(again), str(again), again.message, again.step) == (type(error), str(error), error.message, 3)
    assert again.trace.steps == 2
    plain = pickle.loads(pickle.dumps(InputError("here", "Not {what}.", what="this")))
    assert (str(plain), plain.code, dict(plain.slots)) == ("Not this.", "here", {"what": "this"})


def test_what_an_address_has_is_said_in_another_language(toy_language: None) -> None:
    _, (problem,) = parse_address({"stepps": "3"}, ["echo"], "echo")
    assert isinstance(problem, Problem)
    assert say_message(problem.needed) == f"{toy('This page has no such setting. Did you mean “')}steps”?"
    assert str(problem.needed) == "This page has no such setting. Did you mean “steps”?"


def test_texts_follow_the_language(toy_language: None) -> None:
    assert say("explorer.step", t=1, steps=8) == f"{toy('Step t = ')}1 {toy('of')} 8"
    assert group("copy_link") == {key: toy(text) for key, text in _english("copy_link").items()}
    message = later("problem.adjusted.whole", label=later("control.steps"), low=1, high=2, given=3, taken=2)
    assert toy(TEXTS["control.steps"]) in say_message(message)
    speak(ENGLISH)
    assert TEXTS["control.steps"] in say_message(message)
    assert group("copy_link") == _english("copy_link")


def _english(prefix: str) -> dict[str, str]:
    return {key.removeprefix(f"{prefix}."): text for key, text in TEXTS.items() if key.startswith(f"{prefix}.")}


def test_a_missing_text_is_said_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page with a sentence of another language is better than none."""
    monkeypatch.setitem(LANGUAGES, "toy", {})
    speak("toy")
    try:
        assert say("explorer.step", t=1, steps=8) == "Step t = 1 of 8"
        assert say_error(grown()) == str(grown())
        assert group("copy_link") == _english("copy_link")
    finally:
        speak(ENGLISH)


def test_a_runs_language_is_its_own() -> None:
    """Another session, in another thread, begins in English."""
    heard: list[str] = []
    LANGUAGES["toy"] = TOY
    speak("toy")
    try:
        other = Thread(target=lambda: heard.append(say("explorer.step", t=1, steps=8)))
        other.start()
        other.join()
    finally:
        speak(ENGLISH)
        del LANGUAGES["toy"]
    assert heard == ["Step t = 1 of 8"]


@pytest.mark.parametrize(
    ("source", "key", "slots"),
    [
        ('raise InputError("a.b", "{x} is not.", x=1)', "error.a.b", {"x"}),
        ('raise StateOverflowError("a", "{x} {step}", step=1, trace=t, x=1)', "error.a", {"x", "step"}),
        ('raise error.within("a", "{n}: {problem}", n=1)', "error.a", {"n", "problem"}),
        ('Message("error.c", "{x}", x=1)', "error.c", {"x"}),
        ('def f():\n    slots = {"x": 1, "y": 2}\n    InputError("a", "{x}", **slots)', "error.a", {"x", "y"}),
        ("InputError(code, text)", None, set()),
    ],
)
def test_the_scan_reads(source: str, key: str | None, slots: set[str]) -> None:
    (one,) = sentences(source, "here")
    assert (one.key, set(one.slots)) == (key, slots)


def test_the_toy_keeps_slots_forms_and_marks() -> None:
    text = "{count:,} <b>{count:step|steps}</b> of {x!r} {{as it is}} &nbsp;"
    made = toy(text)
    assert slots_of(made) == {"count", "x"}
    assert "<b>" in made
    assert "&nbsp;" in made
    assert "{{" in made
    assert say_message(Message("none", made, count=1, x="a")).startswith(f"1 <b>{toy('step')}</b>")
