"""Builds the wheel and the source archive (PEP 517) with only the standard library, and always with the same bytes."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

ROOT = Path(__file__).resolve().parent.parent
# The earliest time that a zip archive can store.
EPOCH = (1980, 1, 1, 0, 0, 0)


def _field(name: str) -> str:
    # Python has a TOML parser only from 3.11 on. These fields are plain texts on their own lines.
    found = re.search(rf'^{re.escape(name)} = "([^"\\]*)"$', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    if found is None:
        raise ValueError(f"pyproject.toml must have `{name}` as a text on its own line")
    return found.group(1)


def _stem() -> str:
    return f"{_field('name').replace('-', '_')}-{_field('version')}"


def _metadata() -> bytes:
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {_field('name')}",
        f"Version: {_field('version')}",
        f"Summary: {_field('description')}",
        f"License: {_field('license')}",
        f"Requires-Python: {_field('requires-python')}",
        "Classifier: Typing :: Typed",
        "Description-Content-Type: text/markdown",
        "",
        (ROOT / "README.md").read_text("utf-8"),
    ]
    return "\n".join(lines).encode("utf-8")


def _sources() -> List[Tuple[str, bytes]]:
    folder = ROOT / "src"
    files = sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return [(path.relative_to(folder).as_posix(), path.read_bytes()) for path in files]


def _record_line(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode("ascii")
    return f"{name},sha256={digest},{len(content)}"


def build_wheel(wheel_directory: str, config_settings: Optional[Dict[str, Any]] = None, metadata_directory: Optional[str] = None) -> str:
    info = f"{_stem()}.dist-info"
    files = [
        *_sources(),
        (f"{info}/METADATA", _metadata()),
        (f"{info}/WHEEL", b"Wheel-Version: 1.0\nGenerator: bylaw_build\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
        (f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes()),
    ]
    record = "\n".join([*(_record_line(name, content) for name, content in files), f"{info}/RECORD,,", ""])
    name = f"{_stem()}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in [*files, (f"{info}/RECORD", record.encode("utf-8"))]:
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return name


def build_sdist(sdist_directory: str, config_settings: Optional[Dict[str, Any]] = None) -> str:
    own = [ROOT / name for name in ("pyproject.toml", "README.md", "LICENSE")]
    more = [path for folder in ("backend", "src", "tests") for path in sorted((ROOT / folder).rglob("*.*"))]
    name = f"{_stem()}.tar.gz"
    with tarfile.open(Path(sdist_directory) / name, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in [*own, *(path for path in more if path.is_file() and "__pycache__" not in path.parts)]:
            _add(archive, f"{_stem()}/{path.relative_to(ROOT).as_posix()}", path.read_bytes())
        _add(archive, f"{_stem()}/PKG-INFO", _metadata())
    return name


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))
