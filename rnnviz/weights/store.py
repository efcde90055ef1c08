"""Where stored networks live: in memory up to a budget, shared by all sessions, and in a folder where one is given."""

from __future__ import annotations

import os
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from threading import RLock

from rnnviz.maths import InputError
from rnnviz.weights.stored import StoredNetwork, from_bytes, is_name, to_bytes

FOLDER_VARIABLE = "RNNVIZ_WEIGHTS"
"""The environment variable that names the folder of the app's own store."""

_BUDGET = 64 * 2**20


class WeightStore:
    """Networks by the hash of their content; the one that was asked for longest ago goes first.

    Parameters
    ----------
    budget : int
        Bytes of arrays that are kept in memory.
    folder : path or None
        Where each network is written too, and found again after it left the memory or the server was restarted.
    """

    def __init__(self, budget: int = _BUDGET, folder: Path | None = None) -> None:
        self._budget, self._folder = budget, folder
        self._networks: OrderedDict[str, StoredNetwork] = OrderedDict()
        self._size = 0
        self._lock = RLock()

    def put(self, network: StoredNetwork) -> str:
        """Keep a network.

        Returns
        -------
        str
            Its hash.

        Raises
        ------
        InputError
            If it is larger than the whole store.
        """
        if network.nbytes > self._budget:
            raise InputError(
                "store.size",
                "The network takes {size:.0f} MB; at most {most:.0f} MB can be kept. Use fewer hidden units.",
                size=network.nbytes / 2**20, most=self._budget / 2**20,
            )  # fmt: skip
        if self._folder is not None and not (path := self._folder / f"{network.hash}.npz").exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix(f".{os.getpid()}.part")  # no reader ever sees half a file
            part.write_bytes(to_bytes(network))
            part.replace(path)
        self._remember(network)
        return network.hash

    def get(self, name: str) -> StoredNetwork | None:
        """The network of a hash; None where it is not at hand."""
        with self._lock:
            if name in self._networks:
                self._networks.move_to_end(name)
                return self._networks[name]
        found = self._on_disk(name)
        if found is not None:
            self._remember(found)
        return found

    def clear(self) -> None:
        """Forget all that is in memory; the folder stays."""
        with self._lock:
            self._networks.clear()
            self._size = 0

    def _remember(self, network: StoredNetwork) -> None:
        with self._lock:
            if network.hash not in self._networks:
                self._networks[network.hash] = network
                self._size += network.nbytes
            self._networks.move_to_end(network.hash)
            while self._size > self._budget:
                _, gone = self._networks.popitem(last=False)
                self._size -= gone.nbytes

    def _on_disk(self, name: str) -> StoredNetwork | None:
        """The network of a file, unless it is not there or not what its name says."""
        if self._folder is None or not is_name(name):
            return None
        with suppress(OSError, InputError):
            found = from_bytes((self._folder / f"{name}.npz").read_bytes())
            if found.hash == name and found.nbytes <= self._budget:
                return found
        return None


def _folder() -> Path | None:
    given = os.environ.get(FOLDER_VARIABLE, "").strip()
    return Path(given) if given else None


STORE = WeightStore(folder=_folder())
"""The app's own, shared by all sessions."""
