"""What the reference engine's feed says across a migration: the measurement behind docs/decisions/005."""
import itertools

import golden
import lance
import pyarrow as pa
import pytest
from program import done


def rows(keys, wide=False):
    table = pa.table({"k": pa.array(keys, pa.int64()), "v": pa.array([0] * len(keys), pa.int64())})
    return table.append_column("w", pa.array([0] * len(keys), pa.int64())) if wide else table


class History:
    """A table and what was done to it: version -> (inserted, updated, deleted) keys."""

    def __init__(self, path):
        self.path, self.log = path, {}

    def open(self):
        return lance.dataset(self.path)

    def did(self, inserted=(), updated=(), deleted=()):
        newest = self.open().version
        for version in range(max(self.log, default=0) + 1, newest):
            self.log[version] = (set(), set(), set())
        self.log[newest] = (set(inserted), set(updated), set(deleted))

    def truth(self, begin, end):
        """Keys inserted and keys updated in (begin, end] that are still there at the end."""
        inserted, updated = set(), set()
        for version in range(begin + 1, end + 1):
            new, changed, gone = self.log[version]
            inserted |= new
            updated |= changed - inserted
            inserted -= gone
            updated -= gone
        return inserted, updated

    def before(self, compact, add_column):
        lance.write_dataset(rows(range(30)), self.path, max_rows_per_file=10)
        self.did(inserted=range(30))
        lance.write_dataset(rows(range(30, 40)), self.path, mode="append")
        self.did(inserted=range(30, 40))
        self.open().update({"v": "1"}, where="k IN (1, 11, 21, 31, 32)")
        self.did(updated=(1, 11, 21, 31, 32))
        self.open().delete("k IN (2, 12, 33)")
        self.did(deleted=(2, 12, 33))
        if compact:
            self.open().optimize.compact_files(target_rows_per_fragment=25)
        lance.write_dataset(rows(range(40, 45)), self.path, mode="append")
        self.did(inserted=range(40, 45))
        self.open().delete("k IN (5, 35)")
        self.did(deleted=(5, 35))
        if compact:
            self.open().optimize.compact_files(target_rows_per_fragment=1000)
            self.did()
        if add_column:
            live = self.open().to_table(columns=["k"]).column("k").to_pylist()
            self.open().add_columns({"w": "k + 1"})
            self.did(updated=live)
        else:
            self.open().update({"v": "7"}, where="k = 6")
            self.did(updated=(6,))

    def after(self, wide):
        self.did()
        lance.write_dataset(rows(range(45, 49), wide), self.path, mode="append")
        self.did(inserted=range(45, 49))
        self.open().update({"v": "2"}, where="k IN (3, 30, 46)")
        self.did(updated=(3, 30, 46))
        self.open().delete("k IN (4, 31, 47)")
        self.did(deleted=(4, 31, 47))
        self.open().optimize.compact_files()
        self.did()


@pytest.mark.parametrize("compact, add_column", [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize("lineage", ["history", "none"])
def test_changes_across_the_migration(tmp_path, lineage, compact, add_column):
    history = History(str(tmp_path / "t.lance"))
    history.before(compact, add_column)
    migrated = done("migrate", history.path, "--lineage", lineage, "--json")["to_version"]
    history.after(add_column)
    last = history.open().version
    key_of = {}
    for version in range(migrated, last + 1):
        table = lance.dataset(history.path, version=version).to_table(columns=["k"], with_row_id=True)
        key_of.update(zip(table.column("_rowid").to_pylist(), table.column("k").to_pylist()))
    missed = 0
    for begin, end in itertools.combinations(range(1, last + 1), 2):
        if end < migrated:
            continue  # the engine's own answer on a table without stable ids
        delta = golden.delta_of(history.path, begin, end)
        told = [{key_of[i] for i in delta[k]} for k in ("inserted_row_ids", "updated_row_ids")]
        inserted, updated = history.truth(begin, end)
        assert told[0] | told[1] <= inserted | updated, f"({begin}, {end}]: rows that did not change are told"
        if begin >= migrated - 1:
            assert told == [inserted, updated], f"({begin}, {end}]"
        missed += len((inserted | updated) - (told[0] | told[1]))
    assert (missed == 0) == (lineage == "history"), f"{missed} changed rows are not told"
