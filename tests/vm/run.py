#!/usr/bin/env python3
"""Boots a small emulated machine that has cgroup v2 alone and runs the sandbox's suites in it.

Exit status: 0 all passed, 1 something failed or took too long, 77 skipped, with the reason.
Needs qemu-system-x86_64, busybox-static, and Debian's cloud kernel, which is fetched once into
~/.cache/paddock/kernel unless it is installed.
"""
import glob
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
# Mitigations and lazy grace periods only cost time here. At boot the kernel waits a moment for its
# timer, which an emulated machine on a busy host may have too late, and panics.
KERNEL_OPTIONS = ("console=ttyS0 quiet loglevel=3 panic=-1 mitigations=off "
                  "rcupdate.rcu_expedited=1 no_timer_check")
BOOT_AND_RUN_SECONDS = int(os.environ.get("PADDOCK_VM_SECONDS", "1800"))
# The guest says every few seconds that it goes on, however long a test takes. One that does not is a
# machine that stands still: emulated processors do, rarely, when the kernel rewrites its own code.
STILL_SECONDS = 180
ALIVE = "PADDOCK-VM-ALIVE"
KERNEL_PACKAGE = "linux-image-cloud-amd64"  # depends on the current one
# A disk in memory, for ext4: tmpfs cannot map owners before Linux 6.3. And quotas of projects, as
# an operator may have them.
MODULES = ("drivers/block/brd.ko", "fs/quota/quota_tree.ko", "fs/quota/quota_v2.ko")
TEST_PROGRAMS = ("sandbox_vm_test", "sandbox_adversarial_test")


class Skip(Exception):
    """Why the machine cannot be had here."""


class StandsStill(Exception):
    """The machine says nothing any more, not even that it goes on."""


def tool(name, package):
    path = shutil.which(name)
    if path is None:
        raise Skip(f"{name} is missing; install the package {package}")
    return path


def output_of(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, **options).stdout


def fetch_kernel(cache):
    """Unpacks the package into `cache`. Nothing is installed, so no boot loader is touched."""
    tool("apt-get", "apt")
    depends = output_of("apt-cache", "depends", KERNEL_PACKAGE, text=True)
    package = re.search(r"Depends: (linux-image-\S+)", depends)
    if package is None:
        raise Skip(f"apt knows no {KERNEL_PACKAGE}; run apt-get update")
    cache.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache.parent) as folder:
        output_of("apt-get", "-q", "download", package[1], cwd=folder, stderr=subprocess.STDOUT,
                  timeout=120)
        output_of("dpkg", "-x", glob.glob(f"{folder}/*.deb")[0], f"{folder}/unpacked")
        shutil.rmtree(cache, ignore_errors=True)
        os.rename(f"{folder}/unpacked", cache)


def kernel_beneath(base):
    """A kernel and its modules; the newest there is."""
    for image in sorted(glob.glob(f"{base}/boot/vmlinuz-*-cloud-amd64"), reverse=True):
        modules = f"{base}/lib/modules/{image.split('vmlinuz-')[1]}/kernel"
        if os.access(image, os.R_OK) and os.path.isdir(modules):
            return image, modules
    return None


def find_kernel():
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    cache = cache / "paddock" / "kernel"
    found = kernel_beneath("") or kernel_beneath(cache)
    if found is None:
        try:
            fetch_kernel(cache)
        except (subprocess.SubprocessError, OSError, IndexError) as error:
            raise Skip(f"the kernel cannot be fetched: {error}") from error
        found = kernel_beneath(cache)
    if found is None:
        raise Skip(f"{KERNEL_PACKAGE} has no kernel in it")
    return found


def install(root, source, target):
    target = root / target.lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)
    subprocess.run(["strip", "--strip-debug", str(target)], check=False, stderr=subprocess.DEVNULL)


def install_program(root, source, target):
    install(root, source, target)
    listed = subprocess.run(["ldd", source], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                            text=True, check=False).stdout  # nothing for a static program
    for library in re.findall(r"(/\S+) \(0x", listed):
        install(root, library, "/usr" + re.sub(r"^/usr", "", library))


def make_root(root, bin_dir, modules):
    for folder in ("usr/bin", "usr/sbin", "usr/lib", "usr/lib64", "etc", "new", "opt/paddock/bin"):
        (root / folder).mkdir(parents=True)
    for name in ("bin", "sbin", "lib", "lib64"):
        (root / name).symlink_to(f"usr/{name}")
    busybox = tool("busybox", "busybox-static")
    install(root, busybox, "/usr/bin/busybox")
    for applet in output_of(busybox, "--list", text=True).split():
        (root / "usr/bin" / applet).exists() or (root / "usr/bin" / applet).symlink_to("busybox")
    (root / "usr/bin/setpriv").unlink(missing_ok=True)
    install_program(root, tool("setpriv", "util-linux"), "/usr/bin/setpriv")
    install_program(root, tool("mkfs.ext4", "e2fsprogs"), "/usr/sbin/mkfs.ext4")
    (root / "etc/passwd").write_text("root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\nnogroup:x:65534:\n")
    (root / "etc/hostname").write_text("guest\n")
    install_program(root, bin_dir / "paddock-sandbox", "/opt/paddock/bin/paddock-sandbox")
    tests = bin_dir.parent / "tests"
    for program in TEST_PROGRAMS:
        install_program(root, tests / program, f"/opt/paddock/tests/{program}")
    for module in MODULES:
        install(root, f"{modules}/{module}", f"/opt/{os.path.basename(module)}")
    for probe in sorted((tests / "probes").iterdir()):
        install(root, probe, f"/opt/paddock/tests/probes/{probe.name}")
    install(root, HERE / "suites.sh", "/opt/paddock/suites.sh")
    install(root, HERE / "guest_init.sh", "/init")
    (root / "init").chmod(0o755)


def make_initramfs(work, bin_dir, modules):
    root = work / "root"
    make_root(root, bin_dir, modules)
    names = b"\n".join(sorted(os.fsencode(p.relative_to(root)) for p in root.rglob("*")))
    archive = work / "initramfs"
    with archive.open("wb") as out:  # not compressed: the guest is slower than the disk
        subprocess.run([tool("busybox", "busybox-static"), "cpio", "-o", "-H", "newc", "-R", "0:0"],
                       cwd=root, input=names, stdout=out, stderr=subprocess.DEVNULL, check=True)
    return archive


def lines_of(machine):
    """What it says until it ends, as it comes."""
    said = queue.Queue()

    def listen():
        for line in machine.stdout:
            said.put(line.decode(errors="replace").rstrip())
        said.put(None)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        try:
            text = said.get(timeout=STILL_SECONDS)
        except queue.Empty:
            raise StandsStill() from None
        if text is None:
            return
        yield text


def boot(kernel, initramfs):
    """What the guest said is passed on as it comes. Returns its verdict: None if there was none."""
    command = [tool("qemu-system-x86_64", "qemu-system-x86"), "-accel", "tcg", "-machine",
               "q35", "-cpu", "max", "-m", "1024", "-smp", "2", "-kernel", str(kernel),
               "-initrd", str(initramfs), "-append", KERNEL_OPTIONS,
               "-nodefaults", "-display", "none", "-monitor", "none", "-serial", "stdio",
               "-no-reboot"]
    end = time.monotonic() + BOOT_AND_RUN_SECONDS
    verdict = None
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as machine:
        try:
            for text in lines_of(machine):
                ended = re.fullmatch(r"PADDOCK-VM-EXIT:(\d+)", text)
                verdict = int(ended[1]) if ended else verdict
                if text != ALIVE:
                    print(text, flush=True)
                elif time.monotonic() > end:
                    print(f"the machine did not end within {BOOT_AND_RUN_SECONDS} s",
                          file=sys.stderr)
                    return None
        finally:
            machine.kill()
    return verdict


def boot_twice_at_most(kernel, initramfs):
    for then in ("it is started once more", "it is given up"):
        try:
            return boot(kernel, initramfs)
        except StandsStill:
            print(f"the emulated machine stood still for {STILL_SECONDS} s: {then}", file=sys.stderr)
    return None


def main():
    bin_dir = pathlib.Path(os.environ["PADDOCK_BIN_DIR"])
    started = time.monotonic()
    try:
        tool("qemu-system-x86_64", "qemu-system-x86")
        kernel, modules = find_kernel()
        with tempfile.TemporaryDirectory(prefix="paddock-vm-") as work:
            verdict = boot_twice_at_most(
                kernel, make_initramfs(pathlib.Path(work), bin_dir, modules))
    except Skip as reason:
        print(f"SKIP: {reason}")
        return SKIPPED
    print(f"the machine ran for {time.monotonic() - started:.1f} s: "
          f"{'passed' if verdict == 0 else 'FAILED'}")
    return 0 if verdict == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
