"""Vectors kept on disk: one SQLite file for all embedders, shared by all processes.

A vector is found by its embedder's cache key and the sha256 of its text. No text is stored. The
file is a convenience: where it cannot be read or written, work goes on without it and a warning
says so; nothing of it raises.

SQLite's rollback journal keeps it whole when several processes write at once and when one is
killed in the middle. Each row carries a checksum, so that a damaged vector counts as missing.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

if TYPE_CHECKING:
    import sqlite3

    from .interface import Embedded, Matrix

T = TypeVar("T")

FOLDER_VARIABLE = "AGENTPRINT_CACHE_DIR"
FILE_NAME = "vectors-1.sqlite"
"""The number is the layout's: another layout lives in another file."""

_TEXTS_PER_QUERY = 500
_SECONDS_TO_WAIT = 20.0


@dataclass(frozen=True, slots=True)
class Found:
    """The vectors that the cache held."""

    places: tuple[int, ...]
    """Which of the texts that were asked for they belong to: positions, rising."""
    vectors: Matrix | None
    """float32, shape (places, dimensions); None when nothing was found."""
    cut: tuple[bool | None, ...]
    """For each whether its text was cut; None where the embedder could not tell."""


@dataclass(frozen=True, slots=True)
class SpaceInfo:
    """What the cache holds of one embedder."""

    key: str
    vectors: int


@dataclass(frozen=True, slots=True)
class CacheInfo:
    """What the cache holds."""

    path: Path
    bytes: int
    """The size of the file; 0 when there is none."""
    vectors: int
    spaces: tuple[SpaceInfo, ...]
    """By embedder, in the order of their keys."""


def default_cache_path(environ: Mapping[str, str] | None = None) -> Path:
    """Where the cache lies: in the folder that AGENTPRINT_CACHE_DIR names, else in the user's
    cache folder."""
    folder = (os.environ if environ is None else environ).get(FOLDER_VARIABLE, "")
    if folder:
        return Path(folder) / FILE_NAME
    import platformdirs

    return platformdirs.user_cache_path("agentprint", appauthor=False) / FILE_NAME


class VectorCache:
    """The cache, opened when it is first used. To be used by one thread."""

    def __init__(self, path: Path | None = None) -> None:
        """``path`` is the file; `default_cache_path` unless given."""
        self.path = default_cache_path() if path is None else path
        self.warnings: list[str] = []
        """What went wrong so far, for the caller to print."""
        self._connection: sqlite3.Connection | None = None
        self._usable = True
        self._writable = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file; a later use opens it again."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def get(self, key: str, texts: Sequence[str], dimensions: int | None = None) -> Found:
        """The vectors stored for ``texts``, each given once, by the embedder of ``key``.

        Rows that are damaged, or whose length is not ``dimensions`` (that of the first text
        found, when it is None), count as missing.
        """
        import numpy as np

        places = {_hash(text): place for place, text in enumerate(texts)}
        nothing: dict[int, tuple[bool | None, bytes]] = {}

        def look_up(connection: sqlite3.Connection) -> dict[int, tuple[bool | None, bytes]]:
            rows = _rows(connection, key, list(places))
            return {places[digest]: (cut, vector) for digest, cut, vector in rows}

        found = self._attempt("read", look_up, nothing)
        kept = sorted(found)
        if kept:
            size = len(found[kept[0]][1]) if dimensions is None else 4 * dimensions
            kept = [place for place in kept if len(found[place][1]) == size]
        if not kept:
            return Found((), None, ())
        joined = b"".join(found[place][1] for place in kept)
        vectors = np.frombuffer(joined, dtype="<f4").reshape(len(kept), -1)
        return Found(
            tuple(kept),
            vectors.astype(np.float32, copy=False),
            tuple(found[place][0] for place in kept),
        )

    def put(self, key: str, texts: Sequence[str], embedded: Embedded) -> None:
        """Stores what the embedder of ``key`` made of ``texts``: all of it or nothing."""
        if not texts or not self._writable:
            return
        rows = []
        for place, text in enumerate(texts):
            digest = _hash(text)
            cut = None if embedded.cut is None else embedded.cut[place]
            vector = embedded.vectors[place].astype("<f4", copy=False).tobytes()
            rows.append((digest, cut, vector, _checksum(digest, cut, vector)))

        def write(connection: sqlite3.Connection) -> None:
            with _transaction(connection):
                connection.execute(
                    "INSERT OR IGNORE INTO spaces (key) VALUES (?)", (_storable(key),)
                )
                space = _space(connection, key)
                connection.executemany(
                    "INSERT OR REPLACE INTO vectors (space, text, cut, vector, checksum) "
                    f"VALUES ({space}, ?, ?, ?, ?)",
                    rows,
                )

        self._attempt("written", write, None)

    def info(self) -> CacheInfo:
        """What the file holds; nothing when there is none."""
        size = self._size()
        nothing: tuple[SpaceInfo, ...] = ()
        spaces = self._attempt("read", _spaces, nothing) if size else nothing
        return CacheInfo(self.path, size, sum(space.vectors for space in spaces), spaces)

    def clear(self) -> CacheInfo:
        """Removes every vector and says what was removed.

        A file that is no database any more is deleted. A sound one is emptied, not deleted,
        since other processes may be using it.
        """
        import sqlite3

        before = self.info()
        self.close()
        self.warnings.clear()
        self._usable = self._writable = True
        if before.bytes == 0:
            return before
        try:
            _empty(self.path)
        except (sqlite3.Error, OSError) as error:
            self.warnings.append(f"the vector cache {self.path} cannot be cleared ({error})")
            return CacheInfo(self.path, 0, 0, ())
        return before

    def _size(self) -> int:
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def _attempt(self, what: str, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """What ``work`` makes of the open file, or ``otherwise`` where the file is of no use. An
        error ends the use of it (after a failed write only the writing) and becomes a warning."""
        if not self._usable:
            return otherwise
        import sqlite3

        try:
            if self._connection is None:
                self._connection = _open(self.path)
            return work(self._connection)
        except (sqlite3.Error, OSError) as error:
            damage = _is_damage(error)
            self._writable = False
            if damage or what == "read" or self._connection is None:
                self._usable = False
                self.close()
            remedy = "; `agentprint cache clear` removes it" if damage else ""
            self.warnings.append(
                f"the vector cache {self.path} cannot be {what} ({error}): going on without "
                f"it{remedy}"
            )
            return otherwise


def _open(path: Path) -> sqlite3.Connection:
    """The file at ``path``, made when it is missing. Raises what sqlite3 and the system raise."""
    import sqlite3

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    connection = sqlite3.connect(path, timeout=_SECONDS_TO_WAIT, isolation_level=None)
    try:
        tables = "SELECT count(*) FROM sqlite_master WHERE name IN ('spaces', 'vectors')"
        if connection.execute(tables).fetchone()[0] < 2:
            with _transaction(connection):
                _lay_out(connection)
        connection.execute("SELECT id, key FROM spaces LIMIT 0")
        connection.execute("SELECT space, text, cut, vector, checksum FROM vectors LIMIT 0")
    except BaseException:
        connection.close()
        raise
    return connection


def _lay_out(connection: sqlite3.Connection) -> None:
    """Makes the tables that are missing."""
    connection.execute(
        "CREATE TABLE IF NOT EXISTS spaces (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE)"
    )
    connection.execute(
        "CREATE TABLE IF NOT EXISTS vectors (space INTEGER NOT NULL, text BLOB NOT NULL, "
        "cut INTEGER, vector BLOB NOT NULL, checksum INTEGER NOT NULL, PRIMARY KEY (space, text))"
    )


def _empty(path: Path) -> None:
    """Takes everything out of the file at ``path``, or deletes it when it is no database."""
    import sqlite3

    connection = sqlite3.connect(path, timeout=_SECONDS_TO_WAIT, isolation_level=None)
    try:
        with _transaction(connection):
            connection.execute("DROP TABLE IF EXISTS vectors")
            connection.execute("DROP TABLE IF EXISTS spaces")
            _lay_out(connection)
        with suppress(sqlite3.OperationalError):  # in use: the room is used again later
            connection.execute("VACUUM")
    except sqlite3.DatabaseError as error:
        if not _is_damage(error):
            raise
        path.unlink()
        Path(f"{path}-journal").unlink(missing_ok=True)
    finally:
        connection.close()


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All of the block's writing or nothing. The lock is taken first, so that two processes wait
    for each other and never fail half-way."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _rows(
    connection: sqlite3.Connection, key: str, digests: Sequence[bytes]
) -> Iterator[tuple[bytes, bool | None, bytes]]:
    """Text hash, cut and vector of each sound row of ``key`` among ``digests``."""
    wanted = set(digests)
    space = _space(connection, key)
    if space is None:
        return
    for start in range(0, len(digests), _TEXTS_PER_QUERY):
        part = digests[start : start + _TEXTS_PER_QUERY]
        query = (
            "SELECT text, cut, vector, checksum FROM vectors "
            f"WHERE space = ? AND text IN ({','.join('?' * len(part))})"
        )
        for digest, number, vector, checksum in connection.execute(query, (space, *part)):
            cut = None if number is None else bool(number)
            if (
                digest in wanted
                and isinstance(vector, bytes)
                and vector
                and len(vector) % 4 == 0
                and checksum == _checksum(digest, cut, vector)
            ):
                yield digest, cut, vector


def _spaces(connection: sqlite3.Connection) -> tuple[SpaceInfo, ...]:
    """What is stored, by embedder."""
    counted = connection.execute(
        "SELECT key, count(text) FROM spaces LEFT JOIN vectors ON space = spaces.id "
        "GROUP BY spaces.id ORDER BY key"
    )
    return tuple(SpaceInfo(str(key), int(count)) for key, count in counted)


def _space(connection: sqlite3.Connection, key: str) -> int | None:
    """The number under which the vectors of ``key`` are stored."""
    row = connection.execute("SELECT id FROM spaces WHERE key = ?", (_storable(key),)).fetchone()
    return None if row is None else int(row[0])


def _storable(key: str) -> str:
    """``key`` as SQLite takes it: a path in it may hold bytes that are no UTF-8."""
    return key.encode("utf-8", "backslashreplace").decode()


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _checksum(digest: bytes, cut: bool | None, vector: bytes) -> int:
    return zlib.crc32(b"%b%a%b" % (digest, cut, vector))


def _is_damage(error: Exception) -> bool:
    """Whether ``error`` says that the file is no (longer a) sound database."""
    import sqlite3

    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
