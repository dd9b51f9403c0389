"""Generate steersman/pb from proto/. `--check` only says whether the committed files are what would be generated."""

from __future__ import annotations

import argparse
import filecmp
import shutil
import sys
import tempfile
from importlib import resources
from pathlib import Path

from grpc_tools import protoc

ROOT = Path(__file__).resolve().parents[2]
PROTOS = ROOT / "proto"
GENERATED = ROOT / "steersman" / "pb"
HEADER = '"""Generated from proto/ by `make proto`. Do not edit."""\n'


def generate(into: Path) -> None:
    """The modules import each other as `steersman.v1…`; ours live in `steersman.pb`, so that prefix is rewritten."""
    well_known = str(resources.files("grpc_tools") / "_proto")
    files = [str(path.relative_to(PROTOS)) for path in sorted(PROTOS.rglob("*.proto"))]
    with tempfile.TemporaryDirectory() as scratch:
        arguments = ["protoc", f"-I{PROTOS}", f"-I{well_known}", f"--python_out={scratch}", f"--pyi_out={scratch}"]
        if protoc.main([*arguments, *files]) != 0:
            sys.exit("protoc failed")
        for made in sorted(Path(scratch, "steersman", "v1").iterdir()):
            text = made.read_text().replace("from steersman.v1 import", "from steersman.pb import")
            (into / made.name).write_text(text)
    (into / "__init__.py").write_text(HEADER)


def differences(one: Path, other: Path) -> list[str]:
    names = sorted({path.name for folder in (one, other) for path in folder.glob("*.py*") if path.is_file()})
    _, different, missing = filecmp.cmpfiles(one, other, names, shallow=False)
    return sorted(different + missing)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check: bool = parser.parse_args().check
    with tempfile.TemporaryDirectory() as fresh_name:
        fresh = Path(fresh_name)
        generate(fresh)
        changed = differences(fresh, GENERATED)
        if check and changed:
            sys.exit(f"steersman/pb is not what proto/ gives ({', '.join(changed)}): run `make proto`")
        for name in changed:
            if (fresh / name).exists():
                shutil.copy(fresh / name, GENERATED / name)
            else:
                (GENERATED / name).unlink()


if __name__ == "__main__":
    main()
