"""Writers of the reference engine that opened a table before its migration commit during and after it."""
import collections
import shutil
import time

import race_rounds


def test_writers_race_the_migration(tmp_path, stress_seconds, capsys):
    counts, begin, rounds = collections.Counter(), time.monotonic(), 0
    pool = race_rounds.Pool()
    try:
        while time.monotonic() - begin < stress_seconds or rounds < 5:
            path = tmp_path / f"round{rounds}.lance"
            problems = race_rounds.round_of(pool, str(path), rounds, counts)
            assert not problems, f"round {rounds} (its seed): {problems}\nthe table is kept at {path}"
            shutil.rmtree(path)
            rounds += 1
    finally:
        pool.close()
    with capsys.disabled():
        print(f"\n{rounds} rounds: {dict(counts)}")
    # A race in which nobody is beaten proves nothing.
    assert all(counts[what] > rounds / 10 for what in (
        "committed before", "committed after", "committed after, opened before", "refused")), counts
