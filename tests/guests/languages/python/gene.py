"""The gene *tidy* in Python: see ../README.md."""

import os
import shutil
from pathlib import Path

from wit_world import exports
from wit_world.imports.types import Diagnosis, Proposal, RiskLevel

WORKSPACE = Path("/workspace")


class Proposals(exports.Proposals):
    def propose(self, diagnosis: Diagnosis) -> list[Proposal]:
        before = walk()
        refused = probe()
        change_files()
        write_report(before, refused)
        return [
            Proposal(
                title="Tidy the workspace",
                objective="One colour, one place for notes",
                evidence=[],
                finding=diagnosis.findings[0].id,
                risk_level=RiskLevel.LOW,
                changes=[],
                tests_to_run=[],
                rollback_plan="Revert the commit",
            )
        ]


def walk() -> list[str]:
    lines = []
    for folder, _, names in os.walk(WORKSPACE):
        for name in names:
            path = Path(folder, name)
            lines.append(f"{path.relative_to(WORKSPACE)} {path.stat().st_size}\n")
    return sorted(lines)


def probe() -> list[str]:
    return [
        f"/workspace/.env: {try_read('/workspace/.env')}\n",
        f"/etc/passwd: {try_read('/etc/passwd')}\n",
        f"/workspace/../etc/passwd: {'read' if try_read('/workspace/../etc/passwd') == 'read' else 'refused'}\n",
        f"writing /workspace/.env: {try_write('/workspace/.env')}\n",
    ]


def try_read(path: str) -> str:
    try:
        with open(path, "rb") as file:
            file.read()
        return "read"
    except FileNotFoundError:
        return "not there"
    except OSError:
        return "refused"


def try_write(path: str) -> str:
    try:
        with open(path, "wb") as file:
            file.write(b"mine\n")
        return "written"
    except OSError:
        return "refused"


def change_files() -> None:
    app = WORKSPACE / "src/app.txt"
    app.write_text(app.read_text().replace("red", "green"))
    with open(WORKSPACE / "CHANGES.md", "a") as changes:
        changes.write("- tidied\n")
    (WORKSPACE / "docs/old.md").rename(WORKSPACE / "docs/new.md")
    (WORKSPACE / "obsolete.txt").unlink()
    shutil.rmtree(WORKSPACE / "attic")


def write_report(before: list[str], refused: list[str]) -> None:
    folder = WORKSPACE / "notes/tidy"
    folder.mkdir(parents=True)
    after = walk()
    with open(folder / "report.txt", "w") as report:
        report.writelines(["before:\n", *before, "after:\n", *after, "refused:\n", *refused])
