#!/usr/bin/env python3
"""Prove the layers: who may include whom, files owned by CMake, names that say something. See HACKING.md."""
import pathlib, re, sys
LAYERS = {  # layer: what it may include; an entry may name earlier entries only
    "base": "", "rowset": "base", "rowids": "base rowset", "encoding": "base", "io": "base",
    "format": "base rowset rowids", "file": "base encoding format io",
    "txn": "base rowset rowids format", "table": "base rowset rowids format io txn",
    "index": "base rowset rowids format encoding io file",
    "dataset": "base rowset rowids format io file txn table index"}
BANNED = re.compile(r"(^|_)(utils?|helpers?|common|misc|manager)(_|\.|$)")
root, names = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."), list(LAYERS)
errors, notes = [], []
for layer, uses in LAYERS.items():
    errors += [f"{layer} -> {u} is not downward" for u in uses.split() if names.index(u) >= names.index(layer)]
cmake = "\n".join(p.read_text() for p in root.glob("src/**/CMakeLists.txt"))
for path in sorted(p for top in ("src", "include/pennon") for p in (root / top).rglob("*.[hc]*")):
    rel = path.relative_to(root)
    layer = rel.parts[1 if rel.parts[0] == "src" else 2]
    if path.suffix not in (".h", ".cc") or (layer not in LAYERS and rel.parts[0] != "src"):
        continue  # a header directly in include/pennon (version.h, export.h) belongs to no layer
    if layer not in LAYERS:
        errors.append(f"{rel}: no such layer"); continue
    lines = path.read_text().splitlines()
    for n, line in enumerate(lines, 1):
        hit = re.match(r'#include "(?:pennon/)?(\w+)/', line)
        if hit and hit[1] in LAYERS and hit[1] not in (layer, *LAYERS[layer].split()):
            errors.append(f"{rel}:{n}: {layer} may not include {hit[1]}")
    if len(lines) > 800: notes.append(f"note: {rel}: {len(lines)} lines: split it by concept?")
    if BANNED.search(path.name): errors.append(f"{rel}: name the concept")
    if path.name not in cmake: errors.append(f"{rel}: owned by no CMake target")
    if path.suffix == ".cc" and not (root / "tests/unit" / layer / f"{path.stem}_test.cc").exists():
        notes.append(f"note: {rel}: no mirrored unit test: is it covered elsewhere?")
print("\n".join(notes + (errors or ["house in order"]))); sys.exit(bool(errors))
