"""Stored networks: their names, their files, the store's budget and its folder."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from rnnviz import Cell, ElmanCell, InputError, Readout, make_cell
from rnnviz.weights import HASH_LENGTH, StoredNetwork, WeightStore, from_bytes, to_bytes

WEIGHTS = ("W_ih", "W_hh", "b_ih", "b_hh")
KINDS = ("elman", "lstm", "gru")


def stacked(kind: str = "lstm", sizes: tuple[int, ...] = (3, 5, 2), seed: int = 0, outputs: int = 4) -> StoredNetwork:
    """Layers of the hidden sizes sizes[1:] over sizes[0] inputs."""
    cells = [make_cell(kind, D, H, seed=seed) for D, H in pairwise(sizes)]
    random = np.random.default_rng(seed)
    return StoredNetwork(tuple(cells), Readout(random.normal(size=(outputs, sizes[-1])), random.normal(size=outputs)))


def bits(network: StoredNetwork) -> list[bytes]:
    arrays = [getattr(cell, name) for cell in network.cells for name in WEIGHTS]
    assert network.readout is not None
    return [array.tobytes() for array in [*arrays, network.readout.W, network.readout.b]]


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_gives_the_network_back_bit_for_bit(kind: str) -> None:
    network = stacked(kind)
    again = from_bytes(to_bytes(network))
    assert (again.kind, again.form, again.hash) == (network.kind, network.form, network.hash)
    assert bits(again) == bits(network)


def test_the_name_is_that_of_the_content() -> None:
    first, same = stacked(), stacked()
    assert first.hash == same.hash
    assert len(first.hash) == HASH_LENGTH
    others = [stacked("gru"), stacked(seed=1), stacked(sizes=(3, 2, 5)), StoredNetwork(first.cells)]
    cell = first.cells[0]
    W = cell.W_hh.copy()
    W[0, 0] = np.nextafter(W[0, 0], 1)
    others.append(StoredNetwork((type(cell)(cell.W_ih, W, cell.b_ih, cell.b_hh), first.cells[1]), first.readout))
    forms = [make_cell("gru", 2, 3, seed=0, reset=reset) for reset in ("after", "before")]
    forms += [ElmanCell([[1.0]], [[1.0]], [0.0], [0.0], activation=name) for name in ("tanh", "relu")]
    names = [first.hash, *(one.hash for one in others), *(StoredNetwork((one,)).hash for one in forms)]
    assert len(set(names)) == len(names)


def cell(D: int, H: int, kind: str = "elman") -> Cell:
    return make_cell(kind, D, H)


@pytest.mark.parametrize(
    ("cells", "readout", "words"),
    [
        ([], None, "1 to 4 layers"),
        ([cell(2, 2)] * 5, None, "1 to 4 layers"),
        ([cell(2, 3), cell(2, 3)], None, "Layer 2 reads 2 numbers, but the layer below has 3"),
        ([cell(2, 3), cell(3, 3, "lstm")], None, "one kind"),
        ([cell(1, 513)], None, "at most 512"),
        ([cell(513, 1)], None, "at most 512"),
        ([cell(2, 3)], Readout([[1.0]], [0.0]), "The readout reads 1 number, but the top layer has 3"),
    ],
)
def test_what_does_not_fit_is_refused(cells: list[Cell], readout: Readout | None, words: str) -> None:
    with pytest.raises(InputError, match=words):
        StoredNetwork(tuple(cells), readout)


@pytest.mark.parametrize("content", [b"", b"nonsense", to_bytes(stacked())[:200], b"PK\x05\x06" + b"\0" * 18])
def test_other_bytes_are_refused(content: bytes) -> None:
    with pytest.raises(InputError, match="not a network"):
        from_bytes(content)


def test_the_store_stays_within_its_bytes_and_drops_what_was_asked_for_longest_ago() -> None:
    networks = [stacked(seed=seed) for seed in range(4)]
    store = WeightStore(budget=3 * networks[0].nbytes)
    first, second, third = (store.put(network) for network in networks[:3])
    assert store.get(first) is networks[0]
    last = store.put(networks[3])
    assert store.get(second) is None
    assert [store.get(name) is not None for name in (first, third, last)] == [True] * 3
    store.put(stacked(seed=0))  # the same content takes no more room
    assert store.get(third) is not None
    with pytest.raises(InputError, match="at most"):
        WeightStore(budget=100).put(networks[0])


def test_a_folder_outlives_the_server(tmp_path: Path) -> None:
    network, folder = stacked(), tmp_path / "weights"
    name = WeightStore(folder=folder).put(network)
    again = WeightStore(folder=folder).get(name)
    assert again is not None
    assert bits(again) == bits(network)
    assert WeightStore().get(name) is None
    assert [path.name for path in folder.iterdir()] == [f"{name}.npz"]


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "f" * HASH_LENGTH, "F" * HASH_LENGTH])
def test_names_from_outside_reach_no_other_file(name: str, tmp_path: Path) -> None:
    assert WeightStore(folder=tmp_path).get(name) is None


def test_a_file_that_is_not_what_its_name_says_is_not_taken(tmp_path: Path) -> None:
    store = WeightStore(folder=tmp_path)
    name = store.put(stacked())
    (tmp_path / f"{name}.npz").write_bytes(to_bytes(stacked(seed=1)))
    assert WeightStore(folder=tmp_path).get(name) is None


def test_sessions_may_ask_at_once() -> None:
    networks = [stacked(seed=seed) for seed in range(8)]
    store = WeightStore(budget=3 * networks[0].nbytes)

    def visit() -> None:
        for _ in range(30):
            for network in networks:
                found = store.get(store.put(network))
                assert found is None or found.hash == network.hash

    threads = [Thread(target=visit) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kept = [network for network in networks if store.get(network.hash) is not None]
    assert len(kept) == 3
