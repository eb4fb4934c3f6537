#!/usr/bin/env python3
"""Makes what a cross build for macOS finds in place of Homebrew: headers of the libraries that this
machine has, and stubs that name what each library offers, as the linker needs it and no more.

    macos_prefix.py FOLDER

Nothing of it can run: a program that was linked so needs the libraries themselves on its Mac.
"""
import pathlib
import subprocess
import sys

MULTIARCH = "x86_64-linux-gnu"
# Library, and where a Mac has it.
LIBRARIES = {
    "curl": "/opt/homebrew/opt/curl/lib/libcurl.4.dylib",
    "crypto": "/opt/homebrew/opt/openssl@3/lib/libcrypto.3.dylib",
    "zstd": "/opt/homebrew/lib/libzstd.1.dylib",
}
HEADERS = ["rapidjson", "CLI", "zstd.h", "openssl", "curl"]


def symbols_of(library):
    listed = subprocess.run(["nm", "-D", "--defined-only", library], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    names = {line.split()[-1].split("@")[0] for line in listed.splitlines() if line.split()[-2] in "TDBRVW"}
    return sorted(f"_{name}" for name in names)


def write_stub(path, install_name, symbols):
    """Text-based API definition, version 4, as Apple's and LLVM's linkers read it."""
    path.write_text(f"""--- !tapi-tbd
tbd-version: 4
targets: [ x86_64-macos, arm64-macos ]
install-name: '{install_name}'
exports:
  - targets: [ x86_64-macos, arm64-macos ]
    symbols: [ {', '.join(symbols)} ]
...
""")


def link(path, target):
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def link_headers(name, folder):
    """A file as it is; a folder's files one by one, for some lie in the folder of the architecture."""
    found = [place / name for place in (pathlib.Path("/usr/include"), pathlib.Path("/usr/include") / MULTIARCH)
             if (place / name).exists()]
    if not found:
        sys.exit(f"the headers of {name} are missing; run scripts/install-deps build")
    if found[0].is_file():
        return link(folder / name, found[0])
    (folder / name).mkdir(exist_ok=True)
    for header in (each for place in found for each in place.iterdir()):
        link(folder / name / header.name, header)
    return None


def main():
    prefix = pathlib.Path(sys.argv[1])
    for folder in ("include", "lib"):
        (prefix / folder).mkdir(parents=True, exist_ok=True)
    for name in HEADERS:
        link_headers(name, prefix / "include")
    for name, install_name in LIBRARIES.items():
        symbols = symbols_of(f"/usr/lib/{MULTIARCH}/lib{name}.so")
        write_stub(prefix / "lib" / f"lib{name}.tbd", install_name, symbols)


if __name__ == "__main__":
    main()
