"""Runs the program as a process of its own, and says what a folder holds, so that tests can prove nothing was written."""
import hashlib
import json
import os
import pathlib
import subprocess
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = pathlib.Path(os.environ.get("PENNON_PROGRAM") or ROOT / "build/release/cli/pennon")
PREFIX = "pennon: error: "
DONE, FAILED, USAGE, CONFLICT, BROKEN = range(5)
RUN_S_MAX = 120


@dataclass
class Run:
    code: int
    out: str
    err: str
    peak_bytes: int

    @property
    def json(self):
        return json.loads(self.out)

    def error_line(self):
        """The one line of an error, without its prefix; fails if it is not one line of that form."""
        lines = self.err.splitlines()
        assert len(lines) == 1 and lines[0].startswith(PREFIX), f"exit {self.code}, stderr: {self.err!r}"
        return lines[0][len(PREFIX):]


def run(*arguments, fsync=False, prefix=(), environment=None):
    """One run of the program. Without fsync unless asked: tests care for order, not for power cuts."""
    assert PROGRAM.is_file(), f"{PROGRAM} is missing: ./dev build, or set PENNON_PROGRAM"
    env = {**os.environ, **(environment or {})}
    if not fsync:
        env["PENNON_FSYNC"] = "0"
    process = subprocess.Popen([*prefix, str(PROGRAM), *map(str, arguments)], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    out, err = communicate(process)
    return Run(process.returncode, out.decode(), err.decode(), process.peak_bytes)


def communicate(process):
    """Like Popen.communicate, and notes the peak of resident memory."""
    import selectors
    import time
    chunks = {process.stdout: [], process.stderr: []}
    end = time.monotonic() + RUN_S_MAX
    with selectors.DefaultSelector() as selector:
        for pipe in chunks:
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            left = end - time.monotonic()
            if left <= 0:
                process.kill()
                process.wait()
                raise AssertionError(f"{process.args} hangs: not done after {RUN_S_MAX} s")
            for key, _ in selector.select(left):
                data = os.read(key.fd, 1 << 16)
                if data:
                    chunks[key.fileobj].append(data)
                else:
                    selector.unregister(key.fileobj)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.peak_bytes = usage.ru_maxrss * 1024
    for pipe in chunks:
        pipe.close()
    return b"".join(chunks[process.stdout]), b"".join(chunks[process.stderr])


def done(*arguments, **options):
    """A run that must succeed; with --json its object, else its text."""
    result = run(*arguments, **options)
    assert result.code == DONE, f"pennon {' '.join(map(str, arguments))}: exit {result.code}: {result.err}"
    return result.json if "--json" in arguments else result.out


def tree(root):
    """What a folder holds: relative path -> (size, sha256, mtime) of files, None of folders."""
    root = pathlib.Path(root)
    found = {}
    for path in sorted(root.rglob("*")) if root.is_dir() else [root] if root.exists() else []:
        if path.is_file():
            try:
                digest = hashlib.sha256(path.read_bytes()).hexdigest()
            except PermissionError:
                digest = "unreadable"
            found[str(path.relative_to(root))] = (path.stat().st_size, digest, path.stat().st_mtime_ns)
        else:
            found[str(path.relative_to(root))] = None
    return found
