import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "differential")]


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="stress for 20 minutes instead of about one and a half")


@pytest.fixture(scope="session")
def stress_seconds(request):
    return 1200 if request.config.getoption("--long") else 75
