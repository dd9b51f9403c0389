"""Generate docs/kinds.md and docs/kinds/ from the code and its tests; run as `python -m deploy.dev.generate_kinds`.

`--check` only says whether the committed files are what would be generated.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from deploy.dev.kinds import pages, rules

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def committed() -> Mapping[str, str]:
    """The text of every file that this program has written, by its path below docs/."""
    files = [DOCS / pages.INDEX, *sorted((DOCS / pages.FOLDER).glob("*.md"))]
    return {path.relative_to(DOCS).as_posix(): path.read_text() for path in files if path.exists()}


def write(fresh: Mapping[str, str], changed: list[str]) -> None:
    (DOCS / pages.FOLDER).mkdir(exist_ok=True)
    for name in changed:
        if name in fresh:
            (DOCS / name).write_text(fresh[name])
        else:
            (DOCS / name).unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check: bool = parser.parse_args().check
    try:
        fresh = pages.render(rules.collect(ROOT))
    except rules.BrokenTests as broken:
        sys.exit(str(broken))
    present = committed()
    changed = sorted(name for name in {*fresh, *present} if fresh.get(name) != present.get(name))
    if check and changed:
        sys.exit(f"docs/ is not what the code gives ({', '.join(changed)}): run `make docs`")
    write(fresh, changed)


if __name__ == "__main__":
    main()
