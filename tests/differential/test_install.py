"""What an installation gives: the program, and a library that a project of its own finds, builds with and runs."""
import shutil
import subprocess

import lance
import pytest
import tables
from program import PROGRAM, ROOT, done

BUILD = PROGRAM.parent.parent
EXAMPLES = sorted(p.parent.name for p in (ROOT / "examples").glob("*/CMakeLists.txt"))


def shell(*command):
    finished = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    assert finished.returncode == 0, f"{' '.join(map(str, command))}:\n{finished.stdout[-3000:]}{finished.stderr[-3000:]}"
    return finished.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("installed")
    shell("cmake", "--install", BUILD, "--prefix", prefix)
    return prefix


def test_the_installed_program_runs(installed):
    path = tables.DATASETS["delete_few.plain.v2_1"]
    text = shell(installed / "bin/pennon", "info", path, "--json")
    assert '"row_count"' in text and text.strip() == shell(PROGRAM, "info", path, "--json").strip()


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_built_and_run(installed, tmp_path, name):
    build = tmp_path / "build"
    shell("cmake", "-S", ROOT / "examples" / name, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={installed}",
          "-DCMAKE_BUILD_TYPE=Release", f"-DPENNON_PYTHON={ROOT}/.venv/bin/python")
    shell("cmake", "--build", build)
    table = tmp_path / "table.lance"
    shutil.copytree(tables.DATASETS["delete_few.plain.v2_1"], table)
    assert shell(build / f"{name}_example", table).strip()
    if name == "migrate":
        assert lance.dataset(str(table)).has_stable_row_ids and done("info", table, "--json")["has_stable_row_ids"]
