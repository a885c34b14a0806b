"""The store of vectors: whole, shared, and never in the way."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from agentprint_cli.embedding import cache as cache_module
from agentprint_cli.embedding.cache import VectorCache, default_cache_path
from agentprint_cli.embedding.interface import Embedded

from ..conftest import ROOT


def made(texts: list[str], dimensions: int = 8, cut: bool | None = False) -> Embedded:
    """Vectors that can be told from their texts."""
    rows = [[float(sum(map(ord, text)) + n) for n in range(dimensions)] for text in texts]
    flags = None if cut is None else (cut,) * len(texts)
    return Embedded(np.array(rows, dtype=np.float32).reshape(len(texts), dimensions), flags)


def holds(cache: VectorCache, key: str, texts: list[str]) -> int:
    """How many of ``texts`` the cache holds, all of them rightly."""
    found = cache.get(key, texts)
    if found.vectors is None:
        return 0
    expected = made([texts[place] for place in found.places])
    assert found.vectors.tobytes() == expected.vectors.tobytes()
    return len(found.places)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "vectors.sqlite"


def test_what_is_put_is_found(path: Path) -> None:
    texts = ["a", "b\ud83d", "", "d" * 10_000]
    with VectorCache(path) as cache:
        assert cache.get("k", texts).places == ()
        cache.put("k", texts[1:3], Embedded(made(texts[1:3]).vectors, (True, False)))
        cache.put("k", texts[3:], made(texts[3:], cut=None))
    with VectorCache(path) as cache:
        found = cache.get("k", texts)
        assert found.places == (1, 2, 3)
        assert found.vectors is not None
        assert found.vectors.dtype == np.float32
        assert found.vectors.tobytes() == made(texts[1:]).vectors.tobytes()
        assert found.cut == (True, False, None)
        assert cache.get("another", texts).places == ()
        assert cache.warnings == []


def test_many_texts(path: Path) -> None:
    texts = [f"text {number}" for number in range(3000)]
    with VectorCache(path) as cache:
        cache.put("k", texts, made(texts))
        assert holds(cache, "k", [*texts[::-1], "more"]) == 3000


def test_a_key_that_is_no_utf8(path: Path) -> None:
    with VectorCache(path) as cache:
        cache.put("/models/\udcff", ["a"], made(["a"]))
        assert holds(cache, "/models/\udcff", ["a"]) == 1
        assert cache.warnings == []


def test_no_texts(path: Path) -> None:
    with VectorCache(path) as cache:
        cache.put("k", [], made([]))
        assert cache.get("k", []).vectors is None


def test_it_is_used_again_after_it_was_closed(path: Path) -> None:
    cache = VectorCache(path)
    cache.put("k", ["a"], made(["a"]))
    cache.close()
    cache.close()
    assert holds(cache, "k", ["a"]) == 1
    cache.close()


def test_no_text_is_stored(path: Path) -> None:
    text = "a secret that nobody must find"
    with VectorCache(path) as cache:
        cache.put("k", [text], made([text]))
        content = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"secret" not in content
    assert "secret".encode("utf-16-le") not in content


def test_only_the_user_reads_the_folder(path: Path) -> None:
    with VectorCache(path) as cache:
        cache.put("k", ["a"], made(["a"]))
    assert path.parent.stat().st_mode & 0o077 == 0


def test_vectors_of_another_length_are_missing(path: Path) -> None:
    with VectorCache(path) as cache:
        cache.put("k", ["a", "b"], made(["a", "b"], dimensions=8))
        cache.put("k", ["c"], made(["c"], dimensions=4))
        assert cache.get("k", ["a", "b", "c"]).places == (0, 1)
        assert cache.get("k", ["a", "b", "c"], 4).places == (2,)
        assert cache.get("k", ["a", "b", "c"], 16).places == ()


def test_info_and_clear(path: Path) -> None:
    with VectorCache(path) as cache:
        assert cache.info().bytes == 0
        assert cache.clear().vectors == 0
        assert not path.exists()
        cache.put("k2", ["a"], made(["a"]))
        cache.put("k1", ["a", "b"], made(["a", "b"]))
        info = cache.info()
        assert info.path == path
        assert info.bytes == path.stat().st_size
        assert info.vectors == 3
        assert [(space.key, space.vectors) for space in info.spaces] == [("k1", 2), ("k2", 1)]
        assert cache.clear() == info
        assert cache.info().vectors == 0
        assert holds(cache, "k1", ["a"]) == 0
        cache.put("k1", ["a"], made(["a"]))
        assert holds(cache, "k1", ["a"]) == 1
        assert cache.warnings == []


def test_clearing_gives_the_room_back(path: Path) -> None:
    texts = [f"text {number}" for number in range(500)]
    with VectorCache(path) as cache:
        cache.put("k", texts, made(texts))
        before = cache.clear().bytes
        assert 0 < path.stat().st_size < before / 2


def test_clearing_while_another_process_has_it_open(path: Path) -> None:
    with VectorCache(path) as other, VectorCache(path) as cache:
        other.put("k", ["a"], made(["a"]))
        assert cache.clear().vectors == 1
        assert holds(other, "k", ["a"]) == 0
        other.put("k", ["a"], made(["a"]))
        assert other.warnings == []
        assert holds(cache, "k", ["a"]) == 1


def test_where_it_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert default_cache_path({"AGENTPRINT_CACHE_DIR": "/x"}) == Path("/x/vectors-1.sqlite")
    monkeypatch.setenv("AGENTPRINT_CACHE_DIR", str(tmp_path))
    assert VectorCache().path == tmp_path / "vectors-1.sqlite"
    ordinary = default_cache_path({"AGENTPRINT_CACHE_DIR": ""})
    assert ordinary.parent.name.lower().startswith("agentprint") or "agentprint" in str(ordinary)


def _unusable(cache: VectorCache) -> str:
    """The one warning of a cache that must be of no use and in no way."""
    with cache:
        cache.put("k", ["a"], made(["a"]))
        assert cache.get("k", ["a"]).places == ()
        cache.put("k", ["a"], made(["a"]))
        assert cache.info().vectors == 0
        (warning,) = cache.warnings
    return warning


@pytest.mark.parametrize(
    "content", [b"not a database" * 100, b"\x00" * 5000, b"SQLite format 3\x00"]
)
def test_a_corrupt_file(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    warning = _unusable(VectorCache(path))
    assert str(path) in warning
    assert "going on without it; `agentprint cache clear` removes it" in warning
    cache = VectorCache(path)
    assert cache.clear().bytes == len(content)
    assert cache.warnings == []
    assert not path.exists()
    cache.put("k", ["a"], made(["a"]))
    assert holds(cache, "k", ["a"]) == 1
    cache.close()


def test_a_file_that_was_cut_off(path: Path) -> None:
    texts = [f"text {number}" for number in range(500)]
    with VectorCache(path) as cache:
        cache.put("k", texts, made(texts))
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 3])
    with VectorCache(path) as cache:
        assert holds(cache, "k", texts) < 500
        cache.put("k", texts, made(texts))
        assert len(cache.warnings) == 1
        cache.clear()


def test_damaged_bytes_are_never_taken_for_a_vector(path: Path) -> None:
    texts = [f"text {number}" for number in range(40)]
    with VectorCache(path) as cache:
        cache.put("k", texts, made(texts))
    sound = path.read_bytes()
    rng = np.random.default_rng(1)
    for _ in range(60):
        content = bytearray(sound)
        for place in rng.integers(100, len(content), size=20):
            content[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(content)
        with VectorCache(path) as cache:
            assert holds(cache, "k", texts) <= 40


def test_a_foreign_database(path: Path) -> None:
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE spaces (a)")
    connection.execute("CREATE TABLE vectors (b)")
    connection.close()
    assert "no such column" in _unusable(VectorCache(path))


def test_a_folder_in_its_place(path: Path) -> None:
    path.mkdir(parents=True)
    assert "unable to open database file" in _unusable(VectorCache(path))
    cache = VectorCache(path)
    cache.clear()
    assert "cannot be cleared" in cache.warnings[0]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot be written" in _unusable(VectorCache(tmp_path / "file" / "vectors.sqlite"))


# Permissions do not bind the superuser, so the child becomes somebody else when it is one.
_AS_SOMEBODY = """
import os, sys
from pathlib import Path
import numpy, sqlite3
from agentprint_cli.embedding.cache import VectorCache
from tests.embedding.test_cache import holds, made
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
with VectorCache(Path(sys.argv[1])) as cache:
    cache.put("k", ["b"], made(["b"]))
    print(holds(cache, "k", ["a", "b"]), cache.info().vectors)
    print(*cache.warnings, sep="\\n")
"""


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
@pytest.mark.parametrize("there", [True, False])
def test_a_folder_and_a_file_that_cannot_be_written(there: bool) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "cache"
        path = folder / "vectors.sqlite"
        folder.mkdir()
        if there:
            with VectorCache(path) as cache:
                cache.put("k", ["a"], made(["a"]))
            path.chmod(0o444)
        folder.chmod(0o555)
        Path(name).chmod(0o755)
        try:
            said = subprocess.run(
                [sys.executable, "-c", _AS_SOMEBODY, path],
                cwd=ROOT,
                capture_output=True,
                text=True,
                check=True,
            ).stdout.splitlines()
        finally:
            folder.chmod(0o755)
    assert said[0] == ("1 1" if there else "0 0")
    assert len(said) == 2
    assert "cannot be written" in said[1]


def test_a_lock_that_stays(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with VectorCache(path) as cache:
        cache.put("k", ["a"], made(["a"]))
    monkeypatch.setattr(cache_module, "_SECONDS_TO_WAIT", 0.1)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        with VectorCache(path) as cache:
            cache.put("k", ["b"], made(["b"]))
            cache.put("k", ["b"], made(["b"]))
            assert holds(cache, "k", ["a", "b"]) == 1
            assert cache.warnings == [
                f"the vector cache {path} cannot be written (database is locked): going on "
                "without it"
            ]
    finally:
        other.close()


def _write_and_read(path: Path, worker: int) -> tuple[int, list[str]]:
    with VectorCache(path) as cache:
        for turn in range(8):
            texts = [f"text {number}" for number in range(worker * 20, worker * 20 + 60)]
            cache.put("k", texts[turn::3], made(texts[turn::3]))
            holds(cache, "k", texts)
        return cache.info().vectors, cache.warnings


def test_several_processes_at_once(path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(4, mp_context=context) as pool:
        results = list(pool.map(_write_and_read, [path] * 6, range(6)))
    assert [warnings for _, warnings in results] == [[]] * 6
    with VectorCache(path) as cache:
        assert holds(cache, "k", [f"text {number}" for number in range(160)]) == 160


_WRITES_FOR_EVER = """
import sys
from pathlib import Path
from agentprint_cli.embedding.cache import VectorCache
from tests.embedding.test_cache import made
cache = VectorCache(Path(sys.argv[1]))
print("writing", flush=True)
for turn in range(10 ** 9):
    texts = [f"text {number % 900}" for number in range(turn, turn + 300)]
    cache.put("k", texts, made(texts))
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_killed_while_writing(path: Path) -> None:
    texts = [f"text {number}" for number in range(900)]
    for turn in range(4):
        child = subprocess.Popen(
            [sys.executable, "-c", _WRITES_FOR_EVER, path], cwd=ROOT, stdout=subprocess.PIPE
        )
        with child:
            assert child.stdout is not None
            child.stdout.readline()
            time.sleep(0.1 + 0.07 * turn)
            child.send_signal(signal.SIGKILL)
        with VectorCache(path) as cache:
            kept = holds(cache, "k", texts)
            assert kept == 0 or kept >= 300
            cache.put("k", ["after"], made(["after"]))
            assert holds(cache, "k", ["after"]) == 1
            assert cache.warnings == []
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
