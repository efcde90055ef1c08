"""Properties that are computed when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class lazily(Generic[T]):  # noqa: N801 - a decorator, as `property` is
    """A property that is computed once for its object, as `functools.cached_property` does.

    Up to Python 3.11 that one lets a single thread compute it at a time, of whatever object, so that visitors of a
    server would wait for each other. Here two threads may compute the same twice.

    Examples
    --------
    >>> class Circle:
    ...     @lazily
    ...     def area(self) -> float:
    ...         print("computed")
    ...         return 3.14
    >>> circle = Circle()
    >>> circle.area, circle.area
    computed
    (3.14, 3.14)
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, one: None, owner: type) -> lazily[T]: ...

    @overload
    def __get__(self, one: object, owner: type) -> T: ...

    def __get__(self, one: object | None, owner: type) -> lazily[T] | T:
        if one is None:
            return self
        value = self._compute(one)
        vars(one)[self._name] = value  # which is found before this one from now on
        return value
