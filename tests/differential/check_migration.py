#!/usr/bin/env python3
"""Check a metadata-only migration to stable row ids, with pylance alone.

  check_migration.py BEFORE_DIR AFTER_DIR [--key k] [--versions-added N] [--may-drop-indices]

BEFORE_DIR: the table as it was. AFTER_DIR: a copy of it that was migrated. Both stay as they are;
what follows the migration is tried on a copy of AFTER_DIR.

What must hold
 1  the latest version is newer and has stable row ids (flag 2 in both feature words); validate() passes
 2  each version of before opens in after, without stable row ids, with the same rows, row ids and addresses;
    its manifest file is the same byte for byte
 3  the latest version has the same schema, field ids, metadata, config, fragments (ids, data files, deletion
    files, physical rows) and the same rows in the same order at the same addresses
 4  row ids are unique, each takes its own row, an id without a live row takes none, ids are below next_row_id
 5  1 <= created-at <= last-updated-at <= latest version
 6  under data/ and _deletions/ no file was added, removed or changed; other tables' files neither
 7  tags and branches are the same and open with the same rows
 8  indices: each filter gives the same rows with and without them; none is lost unless --may-drop-indices
 9  then, through pylance on a copy: an append gets ids above all earlier ones; delete, update, merge_insert,
    compaction and a new index keep every other row's id; filters stay right; validate() passes after each
Exit status 0 if all holds, 1 if not (one line each on stderr), 2 for wrong use.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import golden  # noqa: E402

import lance  # noqa: E402
import pyarrow as pa  # noqa: E402

FLAG = 2
problems = []


def bad(rule, msg):
    problems.append(f"rule {rule}: {golden.short(str(msg), 500)}")


def guard(rule, what, f):
    """f(), or a problem if it raises."""
    try:
        return f()
    except BaseException as e:  # noqa: BLE001
        bad(rule, f"{what}: {golden.caught(e)}")
        return None


def same_rows(rule, where, got, want, ignore=()):
    d = golden.Differ()
    golden.compare_tables(d, where, golden.plain(got), golden.plain(want), ignore=ignore)
    for p in d.problems:
        bad(rule, p)


def manifest(root, version):
    for v, f, _ in golden.manifest_files(root):
        if v == version:
            return golden.read_manifest(root, f)
    raise FileNotFoundError(f"no manifest of version {version}")


def filters(t, key):
    """Some filters over the key and g, with what a plain evaluation gives."""
    out = []
    ks = t.column(key).to_pylist()
    if ks:
        s = sorted(ks)
        mid, hi = s[len(s) // 2], s[-1]
        out += [(f"{key} = {mid}", lambda d: d[key] == mid), (f"{key} >= {mid} AND {key} < {hi}", lambda d: mid <= d[key] < hi),
                (f"{key} IN ({s[0]}, {hi})", lambda d: d[key] in (s[0], hi))]
    if "g" in t.column_names:
        out += [("g = 7", lambda d: d["g"] == 7), ("g IN (1, 4)", lambda d: d["g"] in (1, 4))]
    return out


def check_filters(rule, where, ds, key):
    t = ds.to_table(columns=[c for c in (key, "g") if c in ds.schema.names], with_row_id=True)
    lines = t.to_pylist()
    for sql, f in filters(t, key):
        want = sorted(d["_rowid"] for d in lines if f(d))
        for use in (True, False):
            got = sorted(ds.scanner(columns=["_rowid"], filter=sql, use_scalar_index=use).to_table()
                         .column("_rowid").to_pylist())
            if got != want:
                bad(rule, f"{where}: filter {sql} {'with' if use else 'without'} index: expected {want[:10]} "
                          f"({len(want)}), got {got[:10]} ({len(got)})")


def ids_by_key(ds, key):
    t = ds.to_table(columns=[key], with_row_id=True)
    ks, ids = t.column(key).to_pylist(), t.column("_rowid").to_pylist()
    if len(set(ids)) != len(ids):
        bad(9, f"version {ds.version}: row ids are not unique")
    return dict(zip(ks, ids))


def check_takes(rule, where, ds, next_row_id, stable=True):
    d = golden.Differ()
    golden.take_check(d, where, ds, golden.read_rows(ds), stable, next_row_id)
    for p in d.problems:
        bad(rule, p)


def blank(f):
    """A value that the field may hold: null where it may be, a struct of blanks, else a zero."""
    if pa.types.is_struct(f.type):
        return {c.name: blank(c) for c in f.type}
    return None if f.nullable else pa.array([0], pa.int64()).cast(f.type)[0].as_py()


def sample_like(ds, keys, key):
    """New rows for the table, null where they may be."""
    cols = {}
    for f in ds.schema:
        if f.name == key:
            cols[f.name] = pa.array(keys, f.type)
        elif f.name == "g":
            cols[f.name] = pa.array([7] * len(keys), f.type)
        else:
            cols[f.name] = pa.array([blank(f)] * len(keys), f.type)
    return pa.table(cols, schema=ds.schema)


def later(after, key):
    """Rule 9, on a copy."""
    with tempfile.TemporaryDirectory() as tmp:
        p = os.path.join(tmp, os.path.basename(after.rstrip("/")))
        shutil.copytree(after, p)

        def ds():
            return lance.dataset(p)

        def step(what, f, changed_away=()):
            """Do f; every row that was there and is not in changed_away keeps its id."""
            old = ids_by_key(ds(), key)
            if guard(9, what, lambda: (f(), True)) is None:
                return None
            new = ids_by_key(ds(), key)
            gone = set(changed_away)
            wrong = [(k, i, new.get(k)) for k, i in old.items() if k not in gone and new.get(k) != i]
            if wrong:
                bad(9, f"{what}: {len(wrong)} rows changed their id or vanished; (key, before, after): {wrong[:5]}")
            left = [k for k in gone if k in new]
            if left:
                bad(9, f"{what}: rows that should be gone are there: {left[:5]}")
            guard(9, what + ": validate()", lambda: ds().validate())
            guard(9, what, lambda: check_filters(9, "after " + what, ds(), key))
            man = manifest(p, ds().version)
            guard(9, what, lambda: check_takes(9, "after " + what, ds(), man["next_row_id"]))
            return new

        first = ids_by_key(ds(), key)
        # ids once used in any fragment, live or not, count as earlier ids
        used = [manifest(p, ds().version)["next_row_id"] - 1] + list(first.values())
        top = max(used)
        nxt = max(first, default=0) + 1000
        new = step("append", lambda: lance.write_dataset(sample_like(ds(), [nxt, nxt + 1], key), p, mode="append"))
        if new:
            got = [new.get(nxt), new.get(nxt + 1)]
            if None in got or min(got) <= top or len(set(got)) != 2:
                bad(9, f"append: ids {got} are not above every earlier id ({top})")
            v = ds().version
            t = ds().to_table(columns=[key, "_row_created_at_version", "_row_last_updated_at_version"])
            for r in t.to_pylist():
                if r[key] >= nxt and (r["_row_created_at_version"], r["_row_last_updated_at_version"]) != (v, v):
                    bad(9, f"append: versions of the new rows are {r}, expected {v}")
        keys = sorted(ids_by_key(ds(), key))
        upd = [k for i, k in enumerate(keys) if i % 5 == 2][:200]
        ulist = ", ".join(map(str, upd)) or "-1"
        if "g" in ds().schema.names:
            before_u = {r[key]: r for r in ds().to_table(
                columns=[key, "_row_created_at_version", "_row_last_updated_at_version"]).to_pylist()}
            step("update", lambda: ds().update({"g": "5"}, where=f"{key} IN ({ulist})"))
            v = ds().version
            us = set(upd)
            for r in ds().to_table(columns=[key, "g", "_row_created_at_version",
                                            "_row_last_updated_at_version"]).to_pylist():
                b = before_u.get(r[key])
                if b is None:
                    continue
                if r["_row_created_at_version"] != b["_row_created_at_version"]:
                    bad(9, f"update: created-at of {r[key]} changed from {b} to {r}")
                    break
                want = v if r[key] in us else b["_row_last_updated_at_version"]
                if r["_row_last_updated_at_version"] != want or (r[key] in us and r["g"] != 5):
                    bad(9, f"update: row {r} expected last-updated-at {want}")
                    break
        dele = [k for i, k in enumerate(keys) if i % 7 == 3][:200]
        if dele:
            step("delete", lambda: ds().delete(f"{key} IN ({', '.join(map(str, dele))})"), dele)
        keys = sorted(ids_by_key(ds(), key))
        src = keys[::4][:100]
        step("merge_insert", lambda: ds().merge_insert(key).when_matched_update_all().when_not_matched_insert_all()
             .execute(sample_like(ds(), src + [nxt + 50], key)))
        step("compaction", lambda: ds().optimize.compact_files(materialize_deletions_threshold=0.0))
        step("new index", lambda: ds().create_scalar_index(key, "BTREE", name="after_migration"))
        step("optimize_indices", lambda: ds().optimize.optimize_indices())
        last = step("second append", lambda: lance.write_dataset(sample_like(ds(), [nxt + 90], key), p, mode="append"))
        if last and last.get(nxt + 90, -1) <= max([i for k, i in last.items() if k != nxt + 90] + [top]):
            bad(9, f"second append: id {last.get(nxt + 90)} is not above every earlier id")


def later_without_key(after):
    """Rule 9 for a table without a key, on a copy: ids of old rows stay over an append of its own rows and a compaction."""
    with tempfile.TemporaryDirectory() as tmp:
        p = os.path.join(tmp, os.path.basename(after.rstrip("/")))
        shutil.copytree(after, p)
        old = lance.dataset(p)
        top = manifest(p, old.version)["next_row_id"]
        ids = old.to_table(columns=[], with_row_id=True).column("_rowid").to_pylist()
        lance.write_dataset(old.to_table(), p, mode="append")
        got = lance.dataset(p).to_table(columns=[], with_row_id=True).column("_rowid").to_pylist()
        if got != ids + list(range(top, top + len(ids))):
            bad(9, f"append: ids {got[:5]}.. are not the old ones and then {top}..")
        lance.dataset(p).optimize.compact_files()
        now = lance.dataset(p).to_table(columns=[], with_row_id=True).column("_rowid").to_pylist()
        if sorted(now) != sorted(got):
            bad(9, "compaction: ids changed")
        lance.dataset(p).validate()


def check(before, after, key="k", versions_added=None, may_drop_indices=False, ids_are_addresses=False,
          lineage_unset=False):
    """The list of what is wrong: one line for each rule that fails.

    key: a column of unique int64 values, None if the table has none: then rules 8 and 9 ask less.
    ids_are_addresses: the migration had to keep every `_rowid`. lineage_unset: it had to leave the version sequences out.
    """
    problems.clear()
    b = lance.dataset(before)
    n = guard(1, "the migrated table cannot be opened", lambda: lance.dataset(after))
    if n is None:
        return list(problems)
    # 1
    if n.version <= b.version:
        bad(1, f"latest version is {n.version}, it was {b.version}")
    if versions_added is not None and n.version != b.version + versions_added:
        bad(1, f"latest version is {n.version}, expected {b.version + versions_added}")
    if not n.has_stable_row_ids:
        bad(1, "the latest version has no stable row ids")
        return list(problems)
    mb, ma = manifest(before, b.version), manifest(after, n.version)
    if not ma["reader_feature_flags"] & FLAG or not ma["writer_feature_flags"] & FLAG:
        bad(1, f"feature flags {ma['reader_feature_flags']}/{ma['writer_feature_flags']} lack {FLAG}")
    lost = mb["reader_feature_flags"] & ~ma["reader_feature_flags"] | mb["writer_feature_flags"] & ~ma["writer_feature_flags"]
    if lost:
        bad(1, f"feature flags {lost} of the table were lost")
    guard(1, "validate()", lambda: n.validate())
    # 2
    for v, f, kind in golden.manifest_files(before):
        pa_, pb_ = os.path.join(after, "_versions", f), os.path.join(before, "_versions", f)
        if not os.path.exists(pa_):
            bad(2, f"version {v}: its manifest {f} is gone")
            continue
        if open(pa_, "rb").read() != open(pb_, "rb").read():
            bad(2, f"version {v}: its manifest {f} was changed")
        old = guard(2, f"version {v} does not open", lambda: lance.dataset(after, version=v))
        if old is None:
            continue
        if old.has_stable_row_ids:
            bad(2, f"version {v} has stable row ids")
            continue
        guard(2, f"version {v}", lambda: same_rows(2, f"version {v}", golden.read_rows(old),
                                                   golden.read_rows(lance.dataset(before, version=v))))
    kinds_b = {k for _, _, k in golden.manifest_files(before) if k != "detached"}
    kinds_a = {k for _, _, k in golden.manifest_files(after) if k != "detached"}
    if kinds_b != kinds_a:
        bad(2, f"manifest names were of kind {kinds_b}, now {kinds_a}")
    # 3
    for k in ("lance_fields", "schema_metadata", "config", "table_metadata", "data_format", "max_fragment_id",
              "base_paths", "branch"):
        if mb[k] != ma[k]:
            bad(3, f"{k}: was {golden.short(mb[k])}, is {golden.short(ma[k])}")
    keep = ("id", "physical_rows", "num_deletions", "data_files", "deletion_file")
    fb, fa = ([{k: f[k] for k in keep} for f in m["fragments"]] for m in (mb, ma))
    if fb != fa:
        diff = [(x, y) for x, y in zip(fb, fa) if x != y][:1]
        bad(3, f"fragments: were {len(fb)}, are {len(fa)}; first difference {diff}")
    for f in ma["fragments"]:
        for k in ("row_ids", "created_at", "last_updated_at"):
            if (k not in f) != (lineage_unset and k != "row_ids"):
                bad(3, f"fragment {f['id']} has {'no' if k not in f else 'a'} {k} sequence")
    t_b, t_a = golden.read_rows(b), guard(3, "scan", lambda: golden.read_rows(n))
    if t_a is None:
        return list(problems)
    same_rows(3, "latest", t_a.select(t_b.column_names), t_b, ignore=() if ids_are_addresses else ("_rowid",))
    # 4
    ids = t_a.column("_rowid").to_pylist()
    if len(set(ids)) != len(ids):
        bad(4, "row ids are not unique")
    if ids and max(ids) >= ma["next_row_id"]:
        bad(4, f"row id {max(ids)} is not below next_row_id {ma['next_row_id']}")
    guard(4, "sequences", lambda: golden.check_inline_lineage(
        after, [f for v, f, _ in golden.manifest_files(after) if v == n.version][0], t_a))
    guard(4, "take", lambda: check_takes(4, "latest", n, ma["next_row_id"]))
    # 5
    for c, u in zip(t_a.column("_row_created_at_version").to_pylist(), t_a.column("_row_last_updated_at_version").to_pylist()):
        if c is None or u is None or not 1 <= c <= u <= n.version:
            bad(5, f"created-at {c}, last-updated-at {u}, latest version {n.version}")
            break
    # 6
    hb, ha = golden.file_hashes(before), golden.file_hashes(after)
    for p in sorted(set(hb) | set(ha)):
        if hb.get(p) != ha.get(p):
            bad(6, f"{p} was {'added' if p not in hb else 'removed' if p not in ha else 'changed'}")
    # 7
    for what in ("tags", "branches"):
        strip = lambda d: {k: {x: y for x, y in v.items() if x in ("version", "branch", "parent_branch", "parent_version")}
                           for k, v in d.items()}
        wb, wa = strip(getattr(b, what).list()), strip(getattr(n, what).list())
        if wb != wa:
            bad(7, f"{what}: were {wb}, are {wa}")
    for name, t in b.tags.list().items():
        def tag_rows(ds):
            return golden.read_rows(ds.checkout_version(name))
        x = guard(7, f"tag {name}", lambda: tag_rows(lance.dataset(after)))
        if x is not None:
            same_rows(7, f"tag {name}", x, tag_rows(lance.dataset(before)))
    for name in b.branches.list():
        x = guard(7, f"branch {name}", lambda: lance.dataset(after).checkout_version((name, None)))
        if x is not None:
            y = lance.dataset(before).checkout_version((name, None))
            if x.has_stable_row_ids != y.has_stable_row_ids:
                bad(7, f"branch {name}: has_stable_row_ids is {x.has_stable_row_ids}")
            same_rows(7, f"branch {name}", golden.read_rows(x), golden.read_rows(y))
    # 8
    nb, na = ({i["name"] for i in golden.indices_of(x)} for x in (b, n))
    lost = nb - na - {"__lance_frag_reuse"}
    if lost and not may_drop_indices:
        bad(8, f"indices {sorted(lost)} are gone")
    if key:
        guard(8, "filters", lambda: check_filters(8, "latest", n, key))
    # 9
    if not problems:
        guard(9, "later operations", lambda: later(after, key) if key else later_without_key(after))
    else:
        problems.append("rule 9 was not tried, since others fail")
    return list(problems)


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("before")
    ap.add_argument("after")
    ap.add_argument("--key", default="k")
    ap.add_argument("--versions-added", type=int, help="how many versions the migration may make (default: any)")
    ap.add_argument("--may-drop-indices", action="store_true")
    a = ap.parse_args()
    for d in (a.before, a.after):
        if not os.path.isdir(d):
            ap.error(f"{d}: no such folder")
    found = check(a.before.rstrip("/"), a.after.rstrip("/"), a.key, a.versions_added, a.may_drop_indices)
    if found:
        print(f"FAIL {a.after}: {len(found)} problems", file=sys.stderr)
        for p in found[:40]:
            print("  " + p, file=sys.stderr)
        return 1
    print(f"OK {a.after}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
