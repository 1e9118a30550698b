"""Which tables of the reference engine there are to test with: the golden ones, and the full set where it lies beside."""
import json
import pathlib

import lance
import pyarrow as pa
from program import ROOT

GOLDEN = ROOT / "tests/golden/14.0.2"
FULL = pathlib.Path(ROOT.parent / "shared/reference")


def _collect(pattern, folder):
    """name -> path; the full set wins, for it holds the golden tables too."""
    found = {p.stem: p for p in sorted((GOLDEN / folder).glob(pattern))}
    if FULL.is_dir():
        found.update({p.stem: p for p in sorted((FULL / folder).glob(pattern))})
    return found


DATASETS = _collect("*.lance", "datasets")
EXPECTED = _collect("*.json", "expected")
PLAIN = {name: path for name, path in DATASETS.items() if ".plain." in name}
MIGRATION_INPUTS = _collect("*.lance", "migration/before")


def there(*names):
    """Those of the names that are tables: a clone alone has only the golden ones."""
    return [name for name in names if name in DATASETS]


def expected(name):
    return json.loads(EXPECTED[name].read_text(encoding="utf-8"))


def key_of(path):
    """The column `k` if the newest version has it with unique int64 values, else None."""
    dataset = lance.dataset(str(path))
    if "k" not in dataset.schema.names or not pa.types.is_int64(dataset.schema.field("k").type):
        return None
    keys = dataset.to_table(columns=["k"]).column("k").to_pylist()
    return "k" if len(set(keys)) == len(keys) else None
