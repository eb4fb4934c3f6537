"""Builds this package (PEP 517 and 660). It is a copy of a folder, so nothing has to be fetched for it: `pip install ./clients/python`
works where no package index is reached."""
import base64
import hashlib
import io
import pathlib
import re
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE / "paddock"
MADE = (2020, 1, 1, 0, 0, 0)  # the same bytes whenever it is built


def _setting(name):
    return re.search(rf'(?m)^{name} = "(.*)"$', (HERE / "pyproject.toml").read_text(encoding="utf-8")).group(1)


def _stem():
    return f"paddock-{_setting('version')}"


def _metadata():
    lines = ["Metadata-Version: 2.1", "Name: paddock", f"Version: {_setting('version')}", f"Summary: {_setting('description')}",
             f"Requires-Python: {_setting('requires-python')}", "License: Apache-2.0", "Description-Content-Type: text/markdown"]
    return "\n".join((*lines, "", (HERE / "README.md").read_text(encoding="utf-8"))).encode()


def _sources():
    return {path.relative_to(HERE).as_posix(): path.read_bytes() for path in sorted(PACKAGE.rglob("*"))
            if path.suffix == ".py" or path.name == "py.typed"}


def _write_wheel(folder, files):
    info = f"{_stem()}.dist-info"
    files = {**files, f"{info}/METADATA": _metadata(),
             f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: paddock\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    digest = lambda data: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, data in files.items()) + f"{info}/RECORD,,\n"
    name = f"{_stem()}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(folder, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in {**files, f"{info}/RECORD": record.encode()}.items():
            entry = zipfile.ZipInfo(path, MADE)
            entry.external_attr, entry.compress_type = 0o100644 << 16, zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _write_wheel(wheel_directory, _sources())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write_wheel(wheel_directory, {"paddock.pth": f"{HERE}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    files = {**_sources(), "PKG-INFO": _metadata(), **{name: (HERE / name).read_bytes() for name in ("README.md", "pyproject.toml", "build_package.py")}}
    name = f"{_stem()}.tar.gz"
    with tarfile.open(pathlib.Path(sdist_directory, name), "w:gz") as archive:
        for path, data in files.items():
            entry = tarfile.TarInfo(f"{_stem()}/{path}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return name
