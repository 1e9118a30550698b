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
    out: str  # bytes of a run that asked for them
    err: str

    @property
    def json(self):
        return json.loads(self.out)

    def error_line(self):
        """The one line of an error, without its prefix; fails if it is not one line of that form."""
        lines = self.err.splitlines()
        assert len(lines) == 1 and lines[0].startswith(PREFIX), f"exit {self.code}, stderr: {self.err!r}"
        return lines[0][len(PREFIX):]


def run(*arguments, fsync=False, prefix=(), environment=None, given=b"", as_bytes=False):
    """One run of the program, `given` on its standard input. Without fsync unless asked: tests care for order, not for
    power cuts."""
    assert PROGRAM.is_file(), f"{PROGRAM} is missing: ./dev build, or set PENNON_PROGRAM"
    env = {**os.environ, **(environment or {})}
    if not fsync:
        env["PENNON_FSYNC"] = "0"
    finished = subprocess.run([*prefix, str(PROGRAM), *map(str, arguments)], input=given, capture_output=True, env=env,
                              timeout=RUN_S_MAX)
    out = finished.stdout if as_bytes else finished.stdout.decode()
    return Run(finished.returncode, out, finished.stderr.decode())


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
