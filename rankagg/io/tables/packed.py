"""What a file compressed by gzip holds."""

from __future__ import annotations

import zlib
from gzip import BadGzipFile, GzipFile
from io import BytesIO

from rankagg.exceptions import DataFormatError

__all__ = ["unpacked"]

# A small file cannot ask for much memory: up to 256 MiB, or a hundred times what it takes itself.
LARGEST, RATIO = 2**28, 100


def unpacked(name: str, data: bytes) -> bytes:
    """Return what gzip made `data` of; raises where it is damaged or all but empty."""
    limit = max(LARGEST, RATIO * len(data))
    try:
        with GzipFile(fileobj=BytesIO(data)) as stream:
            content = stream.read(limit + 1)
    except (BadGzipFile, EOFError, zlib.error) as error:
        raise DataFormatError(
            f"{name} is no file compressed by gzip, or is damaged or cut off: {error}."
        ) from None
    if len(content) > limit:
        raise DataFormatError(
            f"{name} holds more than {limit} bytes in {len(data)}; unpack it first."
        )
    return content
