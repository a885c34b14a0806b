"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile

from .errors import OutputFailed, UsageError


def check_writable(path: str) -> None:
    """Raises `UsageError` when it is plain beforehand that ``path`` cannot be written."""
    if not path:
        raise UsageError("an output file has no name")
    if os.path.isdir(path):
        raise UsageError(f"{path}: a folder; name a file in it")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise UsageError(f"{path}: there is no folder {folder!r}")


def write_whole(path: str, text: str) -> None:
    """Write ``text`` to ``path`` in one step: whoever reads the file meanwhile, and whoever finds
    it when this is killed, sees the old content or the new one. Raises `OutputFailed`."""
    data = text.encode("utf-8")
    target = os.path.realpath(path)
    try:
        mode = os.stat(target).st_mode
    except OSError:
        mode = None
    try:
        if mode is not None and not stat.S_ISREG(mode):  # a pipe, a device: nothing to replace
            with open(target, "wb") as file:
                file.write(data)
            return
        _replace(target, data, 0o666 & ~_umask() if mode is None else stat.S_IMODE(mode))
    except OSError as error:
        raise OutputFailed(f"{path}: cannot be written ({error.strerror})") from None


def _replace(target: str, data: bytes, mode: int) -> None:
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".agentprint-")
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
