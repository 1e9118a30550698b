#!/usr/bin/env bash
# Formats every source file in place, or with --check names the ones that are not formatted and fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
formatter=$(command -v clang-format-14 || command -v clang-format) || { echo "format.sh: no clang-format-14" >&2; exit 1; }
options=(-i)
[ "${1:-}" != --check ] || options=(--dry-run -Werror)
for folder in src include cli tests fuzz bench c python examples; do
  [ -d "$folder" ] || continue
  find "$folder" \( -name '*.h' -o -name '*.cc' \) -print0
done | xargs -0 -r -n 40 -P 2 "$formatter" --style=file "${options[@]}"
[ "${1:-}" = --check ] || python3 tools/make_format_map.py
