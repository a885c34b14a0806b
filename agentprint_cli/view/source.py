"""Opening an input: a file or standard input, plain or compressed.

Compressed input and standard input are spooled once into a temporary file (in memory while small),
so that any event can be read again by its offset.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from threading import Thread
from typing import IO, Protocol

from ..base.errors import UnreadableInput
from ..model import Unread

_BLOCK = 1 << 20
_SPOOL_IN_MEMORY = 32 << 20
_STEP = 1 << 10
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_SKIPPABLE = bytes(range(0x50, 0x60))
HEAD_BYTES = 1 << 16

Progress = Callable[[int, int], None]
"""Called with (bytes done, bytes in all; 0 when that is not known)."""


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


@dataclass(slots=True)
class Source:
    """The plain bytes of one input, and what is known of the file as given."""

    path: str
    _file: IO[bytes]
    size: int
    """Plain bytes."""
    given_size: int
    """Bytes of the file as given."""
    _digest: Callable[[], str]
    compression: str | None = None
    damage: Unread | None = None
    """Where compressed input turned out to be cut or damaged."""
    progress: Progress | None = None
    _is_file: bool = False

    @property
    def sha256(self) -> str:
        """Hex digest of the file as given."""
        return self._digest()

    def read(self, start: int, end: int) -> bytes:
        """The plain bytes from ``start`` to ``end``. Raises `UnreadableInput` when the file no
        longer holds them."""
        if self._is_file:
            # Past the file object: its buffer, made for reading on, would be filled anew each time.
            data = _pread(self._file.fileno(), start, end)
        else:
            self._file.seek(start)
            data = self._file.read(end - start)
        if len(data) != end - start:
            raise UnreadableInput(
                f"{self.path}: the file changed while it was read: bytes {start} to {end} are gone"
            )
        return data

    def lines(self) -> Iterator[bytes]:
        """The physical lines, split at line feeds alone, each with its own."""
        self._file.seek(0)
        done = reported = 0
        # Not `yield from`: a reader that stops early would close the file with it.
        for line in _guarded(self._file, self.path):
            done += len(line)
            if done > self.size:  # the file grew since it was opened; what was hashed is read
                rest = line[: len(line) - (done - self.size)]
                if rest:
                    yield rest
                return
            yield line
            if self.progress is not None and done - reported >= _BLOCK:
                self.progress(done, self.size)
                reported = done

    def close(self) -> None:
        """Release the file."""
        self._file.close()


def _pread(descriptor: int, start: int, end: int) -> bytes:
    """One system call holds two gigabytes at the most, so a large span takes several."""
    data = os.pread(descriptor, end - start, start)
    while len(data) < end - start and (
        more := os.pread(descriptor, end - start - len(data), start + len(data))
    ):
        data += more
    return data


def _guarded(lines: Iterable[bytes], path: str) -> Iterator[bytes]:
    """``lines`` with a failing read told as what it is."""
    try:
        for line in lines:  # noqa: UP028 - a reader that stops early must not close the file
            yield line
    except OSError as error:
        raise UnreadableInput(f"{path}: reading it failed ({error.strerror})") from None


def open_source(path: str, progress: Progress | None = None) -> Source:
    """Open ``path`` (``-`` is standard input). Raises `UnreadableInput`."""
    if path == "-":
        return _spool(_plain_blocks(sys.stdin.buffer), "standard input", progress)
    try:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            raise UnreadableInput(f"{path}: a folder; name one recording in it")
        file = open(path, "rb", buffering=_BLOCK)  # noqa: SIM115 - the Source owns it
    except FileNotFoundError:
        raise UnreadableInput(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UnreadableInput(f"{path}: cannot be opened ({why})") from None
    if not stat.S_ISREG(status.st_mode):
        with file:
            return _spool(_plain_blocks(file), path, progress)
    magic = file.read(4)
    file.seek(0)
    if magic.startswith(_GZIP) or _is_zstd(magic):
        with file:
            return _spool(_plain_blocks(file), path, progress)
    return Source(
        path=path,
        _file=file,
        size=status.st_size,
        given_size=status.st_size,
        _digest=_digest_beside(path, status.st_size),
        progress=progress,
        _is_file=True,
    )


def _digest_beside(path: str, size: int) -> Callable[[], str]:
    """Hash the first ``size`` bytes of the file in a thread of its own: hashing releases the
    interpreter, so that it runs beside the indexing pass."""
    result: list[str] = []

    def work() -> None:
        digest = hashlib.sha256()
        left = size
        try:
            with open(path, "rb", buffering=0) as file:
                while left > 0 and (block := file.read(min(_BLOCK, left))):
                    digest.update(block)
                    left -= len(block)
        except OSError:
            return
        result.append(digest.hexdigest())

    thread = Thread(target=work, daemon=True)
    thread.start()

    def digest() -> str:
        thread.join()
        if not result:
            raise UnreadableInput(f"{path}: the file went away while it was read")
        return result[0]

    return digest


def _plain_blocks(file: IO[bytes]) -> Iterator[bytes]:
    try:
        while block := file.read(_BLOCK):
            yield block
    except OSError as error:
        raise UnreadableInput(f"the input cannot be read ({error.strerror})") from None


class _Unpacker:
    """Decompresses gzip or zstd with any number of members, block by block."""

    def __init__(self, new: Callable[[], _Decompressor]) -> None:
        self._new = new
        self._member: _Decompressor | None = None
        self.error: str | None = None

    def feed(self, block: bytes) -> Iterator[bytes]:
        while block and self.error is None:
            if self._member is None:
                block = block.lstrip(b"\0")  # padding between members
                if not block:
                    return
                self._member = self._new()
            # Small steps, so that what came out before a damaged place is not lost with it.
            step, block = block[:_STEP], block[_STEP:]
            try:
                plain = self._member.decompress(step)
            except Exception as error:  # each library raises a type of its own
                self.error = f"the compressed data is damaged ({error})"
                return
            if plain:
                yield plain
            if self._member.eof:
                block = self._member.unused_data + block
                self._member = None

    def finish(self) -> None:
        if self.error is None and self._member is not None:
            self.error = "the compressed data is cut off"


def _is_zstd(magic: bytes) -> bool:
    """A frame, or a skippable one before it (0x184D2A50 to 0x184D2A5F)."""
    return magic == _ZSTD or (magic[1:] == b"\x2a\x4d\x18" and magic[:1] in _SKIPPABLE)


def _unpacker(magic: bytes) -> tuple[str, _Unpacker] | None:
    if magic.startswith(_GZIP):
        return "gzip", _Unpacker(lambda: zlib.decompressobj(wbits=31))
    if _is_zstd(magic):
        import zstandard

        decompressor = zstandard.ZstdDecompressor(max_window_size=1 << 31)
        return "zstd", _Unpacker(decompressor.decompressobj)
    return None


def _spool(blocks: Iterator[bytes], name: str, progress: Progress | None) -> Source:
    """Copy the plain bytes of ``blocks`` into a temporary file."""
    spool: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=_SPOOL_IN_MEMORY)  # noqa: SIM115
    digest = hashlib.sha256()
    given = size = 0
    first = next(blocks, b"")
    while 0 < len(first) < len(_ZSTD) and (more := next(blocks, b"")):
        first += more  # a pipe may hand over less than a magic number at a time
    known = _unpacker(first[:4])
    block = first
    while block:
        digest.update(block)
        given += len(block)
        for plain in known[1].feed(block) if known is not None else (block,):
            spool.write(plain)
            size += len(plain)
        if progress is not None:
            progress(given, 0)
        block = next(blocks, b"")
    damage = None
    if known is not None:
        known[1].finish()
        if known[1].error is not None:
            damage = Unread(
                reason=f"{known[1].error} after {size} plain bytes", offset=size, cut=True
            )
    hexdigest = digest.hexdigest()
    return Source(
        path=name,
        _file=spool,
        size=size,
        given_size=given,
        _digest=lambda: hexdigest,
        compression=known[0] if known is not None else None,
        damage=damage,
        progress=progress,
    )
