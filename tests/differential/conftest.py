import os
import pathlib
import shutil
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
# The engine logs what it thinks of odd tables; the tests ask for answers, not for opinions.
os.environ.setdefault("LANCE_LOG", "error")


@pytest.fixture
def copy(tmp_path):
    """copy(path): a copy of a table, free to be changed."""
    def make(path, name=None):
        target = tmp_path / (name or pathlib.Path(path).name)
        shutil.copytree(path, target)
        return target
    return make
