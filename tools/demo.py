#!/usr/bin/env python3
"""The main job, on a real table: rows get ids for life, while the reference engine keeps writing.

Makes a table with the reference engine in a temporary folder, gives it stable row ids with `pennon`, and lets the
engine write on. Every command is shown as it is run; everything is removed at the end.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ.get("PENNON_PROGRAM", ROOT / "build/release/cli/pennon"))
NAME = "people.lance"


def say(text):
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n{text}", flush=True)


def pennon(*arguments):
    print(f"$ pennon {' '.join(arguments)}", flush=True)
    subprocess.run([str(PROGRAM), *arguments], check=True)


def python(text, **names):
    """Shows a line of Python and runs it; returns its value."""
    import lance
    print(f">>> {text}", flush=True)
    scope = {"lance": lance, **names}
    try:
        value = eval(text, scope)  # noqa: S307  the demo's own lines
    except SyntaxError:
        exec(text, scope)  # noqa: S102
        value = None
    if value is not None:
        print(value, flush=True)
    return value


def people(names):
    import pyarrow
    return pyarrow.table({"name": pyarrow.array(names), "visits": pyarrow.array([1] * len(names), pyarrow.int64())})


def ids(path):
    import lance
    table = lance.dataset(path).to_table(columns=["name"], with_row_id=True)
    return dict(zip(table.column("name").to_pylist(), table.column("_rowid").to_pylist()))


def main():
    with tempfile.TemporaryDirectory(prefix="pennon-demo-") as folder:
        os.chdir(folder)
        say("1. A table that the reference engine wrote, without stable row ids, with an index and a deletion")
        import lance
        lance.write_dataset(people(["Ada", "Bo", "Cy", "Di", "Ed", "Flo"]), NAME, max_rows_per_file=2)
        lance.dataset(NAME).create_scalar_index("name", "BTREE")
        lance.dataset(NAME).delete("name = 'Bo'")
        lance.write_dataset(people(["Gus"]), NAME, mode="append")
        python(f"lance.dataset('{NAME}').to_table(columns=['name'], with_row_id=True).to_pydict()")
        before = ids(NAME)

        say("2. What it is")
        pennon("info", NAME)

        say("3. What a migration would do (nothing is written)")
        pennon("migrate", NAME, "--dry-run")

        say("4. The migration: metadata only, one commit")
        pennon("migrate", NAME)
        assert ids(NAME) == before, "the migration changed an id"

        say("5. Where a row lies: an id from before, and the one of the deleted row")
        pennon("locate", NAME, "--ids", f"{before['Flo']},1")

        say("6. Every invariant, checked")
        pennon("verify", NAME)

        say("7. The reference engine writes on: append, update, compaction")
        python("lance.write_dataset(people(['Hal']), NAME, mode='append') and None", people=people, NAME=NAME)
        python(f"lance.dataset('{NAME}').update({{'visits': 'visits + 1'}}, where=\"name = 'Flo'\")")
        python(f"lance.dataset('{NAME}').optimize.compact_files() and None")
        after = ids(NAME)
        python(f"lance.dataset('{NAME}').to_table(columns=['name', 'visits'], with_row_id=True).to_pydict()")
        kept = all(after[name] == row_id for name, row_id in before.items())
        by_index = lance.dataset(NAME).to_table(filter="name = 'Flo'", with_row_id=True).to_pylist()
        assert kept and by_index[0]["_rowid"] == before["Flo"], "an id changed"
        say(f"8. Every row has the id it had before the migration, {len(before)} of {len(before)}; the row moved, the id did not")
        pennon("locate", NAME, "--ids", str(before["Flo"]))
        pennon("verify", NAME)
        os.chdir("/")
    say("Done. Next: ./dev test, or README.md.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
