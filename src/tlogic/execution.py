"""How long work is spread and followed: over threads or a Ray cluster, with a progress bar."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from tlogic.parallel import in_parallel

Item = TypeVar("Item")
Result = TypeVar("Result")


class Progress(Protocol):
    """Passes items through and shows how many of them have come, as ``tqdm`` and the progress bars of rich do."""

    def __call__(self, items: Iterable[Item], *, total: int, description: str) -> Iterable[Item]:
        """The same items, followed one by one."""


@dataclass(frozen=True)
class Execution:
    """Where work runs, and who is shown its progress.

    Results do not depend on it: they are the same with any number of threads, on a cluster, with or without progress.

    >>> list(Execution(threads=2).run(lambda: abs, [-1, 2, -3], "numbers"))
    [1, 2, 3]
    """

    threads: int | None = None
    """How many threads to use; None for one per core."""
    cluster: str | None = None
    """The address of a Ray cluster, or ``auto``; None for threads of this process."""
    progress: Progress | None = None

    def run(
        self, make_worker: Callable[[], Callable[[Item], Result]], items: Sequence[Item], description: str
    ) -> Iterator[Result]:
        """The results of all items, in their order. Each thread or process makes one worker."""
        results = in_parallel(make_worker, items, self.threads, self.cluster)
        return iter(self.follow(results, len(items), description))

    def follow(self, items: Iterable[Item], total: int, description: str) -> Iterable[Item]:
        """The items, with their progress shown."""
        return items if self.progress is None else self.progress(items, total=total, description=description)
