"""Rounds of the race between `pennon migrate` and the reference engine's writers, and what must hold after each."""
import json
import pathlib
import random
import subprocess
import sys
import time

import lance
import program

import writer as writer_module

KINDS = ["append", "delete", "update", "merge_insert", "compact", "index", "add_columns", "update"]
WRITER = pathlib.Path(writer_module.__file__)
ANSWER_S_MAX = 120
OPERATION_NAMES = {"append": {"Append"}, "delete": {"Delete"}, "update": {"Update"}, "merge_insert": {"Update"},
                   "compact": {"Rewrite"}, "create_index": {"CreateIndex"}, "optimize_indices": {"CreateIndex"},
                   "add_columns": {"Merge"}}


class Pool:
    """Writer processes that live through all rounds: importing the engine takes longer than a round."""

    def __init__(self):
        self.processes = [subprocess.Popen([sys.executable, str(WRITER), kind], stdin=subprocess.PIPE,
                                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
                          for kind in KINDS]

    def say(self, i, **command):
        self.processes[i].stdin.write(json.dumps(command) + "\n")
        self.processes[i].stdin.flush()

    def hear(self, i):
        line = self.processes[i].stdout.readline()
        assert line, f"the {KINDS[i]} writer died"
        return json.loads(line)

    def close(self):
        for process in self.processes:
            process.stdin.close()
            try:
                process.wait(ANSWER_S_MAX)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stdout.close()


def make_table(path, seed):
    """About 120 rows in several fragments with a deletion; every third time with indexes from before."""
    keys = list(range(120))
    random.Random(seed).shuffle(keys)
    lance.write_dataset(writer_module.rows(keys, 0), path, max_rows_per_file=25, data_storage_version="2.1")
    dataset = lance.dataset(path)
    dataset.delete("k IN (7, 50)")
    if seed % 3 == 0:
        dataset = lance.dataset(path)
        dataset.create_scalar_index("k", "BTREE", name="k_0")
        dataset.create_scalar_index("g", "BITMAP", name="g_0")


def migrate_amid(path, delay_s, migrators):
    time.sleep(delay_s)
    processes = [subprocess.Popen([str(program.PROGRAM), "migrate", path, "--json"], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) for _ in range(migrators)]
    answers = []
    for process in processes:
        out, err = process.communicate(timeout=ANSWER_S_MAX)
        assert process.returncode == program.DONE, f"migrate: exit {process.returncode}: {err}"
        answers.append(json.loads(out))
    return answers


def round_of(pool, path, seed, counts):
    """One round: returns the list of what is wrong; adds to the counts."""
    rng = random.Random(seed)
    make_table(path, seed)
    first_version = lance.dataset(path).version
    for i in range(len(KINDS)):
        pool.say(i, open=path, seed=seed * 100 + i, slot=i, slots=len(KINDS))
    for i in range(len(KINDS)):
        pool.hear(i)
    for i in range(len(KINDS)):
        pool.say(i, go=2 if KINDS[i] in ("compact", "index", "add_columns") else 4, pause_ms=rng.choice([0, 40, 150]))
    answers = migrate_amid(path, rng.random() * 0.12, 2 if seed % 4 == 0 else 1)
    logs = [pool.hear(i) for i in range(len(KINDS))]
    done = [a for a in answers if a["migrated"]]
    if len(done) != 1:
        return [f"{len(done)} of {len(answers)} migrators say that they migrated"]
    counts["attempts"] += done[0]["attempts"]
    return judge(path, first_version, done[0]["to_version"], logs, counts)


def judge(path, first_version, migrated, logs, counts):
    problems = []
    dataset = lance.dataset(path)
    try:
        dataset.validate()
    except BaseException as error:  # noqa: BLE001
        problems.append(f"validate(): {error}")
    if not dataset.has_stable_row_ids:
        problems.append("the newest version is not stable")
    problems += judge_content(dataset, logs)
    problems += judge_ids(path, migrated, dataset.version)
    problems += judge_indexes(dataset)
    problems += judge_commits(path, first_version, migrated, dataset.version, logs, counts)
    return problems


def judge_content(dataset, logs):
    """The table holds what the writers' logs, replayed, say."""
    want = {}
    for log in logs:
        want.update({int(k): v for k, v in log["rows"].items()})
    table = dataset.to_table()
    keys, values = table.column("k").to_pylist(), table.column("v").to_pylist()
    problems = []
    if len(set(keys)) != len(keys):
        problems.append(f"a key is there twice: {sorted(k for k in set(keys) if keys.count(k) > 1)[:5]}")
    got = dict(zip(keys, values))
    for key in sorted(set(got) | set(want)):
        if got.get(key) != want.get(key):
            problems.append(f"key {key}: value {got.get(key)}, the logs say {want.get(key)}")
    for name in table.schema.names:
        if name.startswith("c"):
            wrong = [k for k, c in zip(keys, table.column(name).to_pylist()) if c not in (None, 2 * k)]
            if wrong:
                problems.append(f"column {name}: wrong values at keys {wrong[:5]}")
    return problems[:10]


def judge_ids(path, migrated, last):
    """At the migration each id is the row's old address; from then on a key has one id for life and no other has it."""
    problems = []

    def pairs(version, what):
        table = lance.dataset(path, version=version).to_table(columns=["k"], with_row_id=True, with_row_address=True)
        return dict(zip(table.column("k").to_pylist(), table.column(what).to_pylist()))
    before, at = pairs(migrated - 1, "_rowaddr"), pairs(migrated, "_rowid")
    if before != at:
        problems.append(f"migration: {len(set(before.items()) ^ set(at.items()))} ids are not the old addresses")
    id_of, key_of = {}, {}
    for version in range(migrated, last + 1):
        now = pairs(version, "_rowid")
        if len(set(now.values())) != len(now):
            problems.append(f"version {version}: ids are not unique")
        for key, row_id in now.items():
            if id_of.setdefault(key, row_id) != row_id:
                problems.append(f"version {version}: key {key} had id {id_of[key]}, has {row_id}")
            if key_of.setdefault(row_id, key) != key:
                problems.append(f"version {version}: id {row_id} was key {key_of[row_id]}, is {key}")
    rows = lance.dataset(path, version=last).to_table(columns=["k"], with_row_id=True)
    ids = rows.column("_rowid").to_pylist()
    taken = lance.dataset(path, version=last)._take_rows(ids, columns=["k"]).column("k").to_pylist()
    if taken != rows.column("k").to_pylist():
        problems.append("take by id gives other rows than the scan")
    return problems[:10]


def judge_indexes(dataset):
    """With and without the indexes each filter gives the same rows."""
    problems = []
    keys = dataset.to_table(columns=["k"]).column("k").to_pylist()
    filters = [f"k = {k}" for k in keys] if dataset.list_indices() else []
    filters += [f"g = {g}" for g in range(10)] + ["k >= 30 AND k < 90", "k IN (1, 40, 119, 1000000)"]
    for text in filters:
        with_index, without = (sorted(dataset.scanner(columns=["_rowid"], filter=text, use_scalar_index=use).to_table()
                                      .column("_rowid").to_pylist()) for use in (True, False))
        if with_index != without:
            problems.append(f"filter {text}: {len(with_index)} rows by index, {len(without)} by scan")
    return problems[:10]


def judge_commits(path, first_version, migrated, last, logs, counts):
    """Every commit that a writer was promised is in the history, once, as the operation that it was."""
    import golden
    operations = {}
    for version, name, kind in golden.manifest_files(path):
        if kind != "detached":
            operations[version] = (golden.read_manifest(path, name)["transaction"] or {}).get("operation")
    problems, claimed = [], {migrated: "migrate"}
    if sorted(operations) != list(range(1, last + 1)):
        problems.append(f"versions are {sorted(operations)}")
    for kind, version, message, on_first_handle in (entry for log in logs for entry in log["operations"]):
        if version is None:
            counts["refused" if message else "nothing to do"] += 1
            continue
        counts["committed after" if version > migrated else "committed before"] += 1
        counts["committed after, opened before"] += version > migrated and on_first_handle
        if version in claimed:
            problems.append(f"version {version} was promised to {kind} and to {claimed[version]}")
        claimed[version] = kind
        if operations.get(version) not in OPERATION_NAMES[kind]:
            problems.append(f"version {version}: a writer's {kind} is recorded as {operations.get(version)}")
    for version in range(first_version + 1, last + 1):
        if version not in claimed and operations[version] not in ("ReserveFragments", "CreateIndex", "Rewrite"):
            problems.append(f"version {version} ({operations[version]}) is in nobody's log")
    return problems[:10]
