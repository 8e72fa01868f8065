"""Clients of Dask's clusters: found, checked, and what goes wrong with them in our words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rankagg.exceptions import InvalidInputError, WorkerError

if TYPE_CHECKING:
    from distributed import Client

#: How often what failed on a worker is tried again; what a lost worker did always is.
RETRIES = 3

STARTED = "`distributed.Client()` starts workers on this machine, `Client(address)` finds others."


def _distributed(parameter: str, given: object) -> Any:
    try:
        import distributed  # noqa: PLC0415 - only where there is a cluster
    except ImportError:
        allowed = "left out where dask.distributed is not installed"
        remedy = "It is in the extra `big`: pip install 'rankagg[big]'."
        raise InvalidInputError(parameter, allowed, given, remedy) from None
    return distributed


def check_client(client: object) -> Client:
    """Return a client that can be waited for."""
    distributed = _distributed("client", client)
    if (
        not isinstance(client, distributed.Client)
        or client.asynchronous
        or client.status != "running"
    ):
        allowed = "a distributed.Client that is open and not asynchronous"
        raise InvalidInputError("client", allowed, client, STARTED)
    return client


@contextmanager
def cluster_failures_told() -> Iterator[None]:
    """Raise `WorkerError` where the cluster gave up."""
    from distributed import CancelledError, KilledWorker  # noqa: PLC0415
    from distributed.comm import CommClosedError  # noqa: PLC0415

    try:
        yield
    except (KilledWorker, CancelledError, CommClosedError) as error:
        why = (
            "Workers of the cluster were lost again and again"
            if isinstance(error, KilledWorker)
            else "The cluster was lost"
        )
        raise WorkerError(
            f"{why}, perhaps for want of memory. Look at the logs of the cluster, or give "
            "its workers more memory."
        ) from None
