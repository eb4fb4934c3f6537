"""The root file system of an image: which packages stay in it, and everything else taken out."""
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys

import image_recipes

# Files that the build left, that are about the host that it ran on, or that belong to what was removed.
LEFTOVERS = ("dev", "etc/.pwd.lock", "etc/apt", "etc/cron.daily", "etc/dpkg", "etc/group-", "etc/gshadow-", "etc/hostname", "etc/init.d",
             "etc/pam.d", "etc/passwd-", *(f"etc/rc{level}.d" for level in "0123456S"), "etc/resolv.conf", "etc/security", "etc/shadow-",
             "etc/systemd", "usr/lib/systemd", "var/cache", "var/lib/apt", "var/lib/systemd", "var/log",
             *(f"var/lib/dpkg/{name}" for name in ("alternatives", "available", "cmethopt", "diversions", "diversions-old", "lock",
                                                   "lock-frontend", "parts", "status-old", "triggers", "updates")))
KEPT_EMPTY = ("dev", "var/cache", "var/log")
SCRIPTS = ("preinst", "postinst", "prerm", "postrm", "config", "templates", "triggers")


def paragraphs(text):
    """Each paragraph of dpkg's status, as {field: value}."""
    found = (dict(re.findall(r"(?m)^([A-Za-z-]+):[ \t]*(.*(?:\n[ \t].*)*)", paragraph)) for paragraph in text.split("\n\n"))
    return [each for each in found if each.get("Status", "").endswith(" installed")]


def dependencies(package):
    """Names in Depends and Pre-Depends: a list of the alternatives of each."""
    wanted = ", ".join(package[field] for field in ("Pre-Depends", "Depends") if field in package)
    return [[re.split(r"[\s:(]", name.strip())[0] for name in each.split("|")] for each in wanted.split(",") if each.strip()]


def staying(installed, roots):
    """Names of the packages that these need, themselves among them."""
    provided = {package["Package"]: package["Package"] for package in installed}
    for package in installed:
        for name in re.findall(r"[a-z0-9][a-z0-9.+-]+(?=[\s,(]|$)", package.get("Provides", "")):
            provided.setdefault(name, package["Package"])
    by_name = {package["Package"]: package for package in installed}
    found, left = set(), list(roots)
    while left:
        name = left.pop()
        if name in found:
            continue
        found.add(name)
        for alternatives in dependencies(by_name[name]):
            there = [provided[each] for each in alternatives if each in provided]
            left += [each for each in there[:1] if each not in image_recipes.OF_INSTALLING]
    return found


def take_out(root, names):
    """dpkg removes them, so that its status is true; their scripts are not run, as they want what goes, too."""
    for file in (root / "var/lib/dpkg/info").iterdir():
        if file.suffix[1:] in SCRIPTS:
            file.unlink()
    command = ["dpkg", f"--root={root}", "--log=/dev/null", "--no-triggers", "--force-depends", "--force-remove-essential",
               "--force-remove-protected", "--purge", *sorted(names)]
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"dpkg --purge ended with {done.returncode}:\n{done.stdout[-4000:]}")


def clean(root):
    for name in LEFTOVERS:
        path = root / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    for name in KEPT_EMPTY:
        (root / name).mkdir(0o755)
    for path in everything(root):
        mode = path.lstat().st_mode
        if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
            path.chmod(mode & 0o777)
    while any([remove_if_dangling(root, path) for path in everything(root) if path.is_symlink()]):
        pass  # one link names another


def everything(root):
    return [pathlib.Path(folder, name) for folder, folders, names in os.walk(root) for name in folders + names]


def remove_if_dangling(root, path):
    """A link whose program went with its package; what it names is below the root, not the host's."""
    target = os.readlink(path)
    inside = root / target.lstrip("/") if target.startswith("/") else path.parent / target
    gone = not os.path.lexists(inside) and not target.startswith("/proc")
    if gone:
        path.unlink()
    return gone


def check_nothing_is_mounted(root):
    """What is taken out below must be the image's, never this host's."""
    mounted = [line.split()[4] for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines()]
    if any(pathlib.Path(each).is_relative_to(root) for each in mounted):
        sys.exit(f"something is still mounted in {root}")


def reduce(root, recipe):
    check_nothing_is_mounted(root)
    installed = paragraphs((root / "var/lib/dpkg/status").read_text())
    stay = staying(installed, image_recipes.COMMON + recipe.packages)
    take_out(root, {package["Package"] for package in installed} - stay)
    clean(root)
    data = root / "var/lib/paddock/controller"
    data.mkdir(0o750, parents=True, exist_ok=True)
    os.chown(data, image_recipes.USER, image_recipes.USER)
