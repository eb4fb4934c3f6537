"""What one run publishes, later runs read: versions, pinned at creation, read-only, within a namespace."""
import concurrent.futures
import json
import pathlib
import subprocess
import tempfile
import unittest

from harness import Instance, find_file, main, make_project, wait_until, why_no_disk

MAKER = """import pathlib, sys
pathlib.Path('out').mkdir(exist_ok=True)
pathlib.Path('out/value.txt').write_text(sys.argv[1])
pathlib.Path('out/tool.sh').write_text('echo no')
sys.exit(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
"""
READER = """import json, os, pathlib, sys
volume = pathlib.Path('/volumes') / sys.argv[1]
def tries(what):
    try:
        what()
        return 'done'
    except OSError as error:
        return error.errno
print(json.dumps({
    'value': (volume / 'out/value.txt').read_text(),
    'files': sorted(str(p.relative_to(volume)) for p in volume.rglob('*') if p.is_file()),
    'volumes': sorted(os.listdir('/volumes')),
    'write': tries(lambda: (volume / 'out/value.txt').write_text('x')),
    'create': tries(lambda: (volume / 'new.txt').write_text('x')),
    'unlink': tries(lambda: (volume / 'out/value.txt').unlink()),
    'beside': tries(lambda: pathlib.Path('/volumes/other.txt').write_text('x'))}))
"""
# Reads, waits for a file that its test never makes, or the end of the wait; reads again.
TWICE = """import pathlib, time
value = pathlib.Path('/volumes/shared/out/value.txt')
print('before', value.read_text(), flush=True)
time.sleep(float(__import__('sys').argv[1]))
"""
UPDATE = """import pathlib
old = pathlib.Path('/volumes/own/out/value.txt').read_text()
pathlib.Path('out').mkdir(exist_ok=True)
pathlib.Path('out/value.txt').write_text(old + '+1')
print(pathlib.Path('/volumes/own/out/value.txt').read_text())
"""
# Takes a read lock on each file that it can open: of the volume, of the system, of whatever is there.
LOCKS = """import fcntl, os, time
held = []
for top in ('/volumes', '/workspace', '/opt', '/run', '/etc', '/usr'):
    for folder, folders, names in os.walk(top):
        for name in names:
            try:
                file = open(os.path.join(folder, name), 'rb')
                held.append(file)
                fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                pass
print('volume', len([each for each in held if each.name.startswith('/volumes/')]), 'many', len(held) > 100, flush=True)
time.sleep(600)
"""
READ_ONLY = {13, 30}  # EACCES (Landlock, ownership), EROFS


class Volumes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.instance = Instance()
        cls.instance.env["PADDOCK_CONTROLLER_VOLUMES_KEEP_VERSIONS"] = "3"
        cls.enterClassContext(cls.instance)
        folder = tempfile.TemporaryDirectory(prefix="paddock-project-")
        cls.addClassCleanup(folder.cleanup)
        cls.project = make_project(pathlib.Path(folder.name) / "project", make__py=MAKER, read__py=READER, twice__py=TWICE,
                                   update__py=UPDATE, locks__py=LOCKS)

    def compute(self, command, *options, **kwargs):
        with tempfile.TemporaryDirectory(prefix="paddock-out-") as out:
            return self.instance.run("compute", self.project, command, "--output", out, *options, **kwargs)

    def publish(self, name, value, *options):
        done = self.compute(f"python3 make.py {value}", "--artifact-dir", "out", "--publish", name, *options)
        return int(done.stderr.split(f"published: volume {name} version ")[1].split()[0])

    def read(self, name, use=None, *options):
        return json.loads(self.compute(f"python3 read.py {name}", "--volume", use or name, *options).stdout)

    # proves: ORB-18
    def test_a_later_run_reads_what_an_earlier_one_published_and_changes_nothing(self):
        self.assertEqual(self.publish("captions", "first"), 1)
        for _ in range(2):
            seen = self.read("captions")
            self.assertEqual((seen["value"], seen["files"], seen["volumes"]), ("first", ["out/value.txt"], ["captions"]))
            for attempt in ("write", "create", "unlink", "beside"):
                self.assertIn(seen[attempt], READ_ONLY, attempt)

    # proves partly: ORB-18
    def test_a_published_name_is_not_overwritten_but_gets_versions_of_which_the_newest_stay(self):
        versions = [self.publish("models", f"v{i}") for i in range(1, 5)]
        self.assertEqual(versions, [1, 2, 3, 4])
        self.assertEqual(self.read("models")["value"], "v4")
        self.assertEqual(self.read("models", "models@2")["value"], "v2")
        gone = self.compute("python3 read.py models", "--volume", "models@1", check=False)
        self.assertNotEqual(gone.returncode, 0)
        self.assertIn("it has 2, 3, 4", gone.stderr)
        listed = next(v for v in self.instance.get("volumes")["items"] if v["metadata"]["name"] == "models")
        self.assertEqual([v["version"] for v in listed["status"]["versions"]], [2, 3, 4])
        self.assertIn("models", self.instance.run("get", "volumes").stdout)
        self.assertIn("ROOT", self.instance.run("describe", "volume", "models").stdout)

    def test_what_a_run_sees_never_changes_while_the_volume_is_published_again_and_deleted(self):
        self.publish("shared", "old")
        self.compute("python3 twice.py 600", "--volume", "shared", "--name", "holder", "--detach")
        wait_until("the run to have read it", lambda: "before old" in self.instance.run("logs", "holder").stdout)
        pinned = self.instance.run_object("holder")["status"]["volumes"]
        self.assertEqual(self.publish("shared", "new"), 2)
        self.instance.run("delete", "volume", "shared")
        self.assertEqual(self.instance.run_object("holder")["status"]["volumes"], pinned)
        self.assertEqual(pinned[0]["version"], 1)
        self.instance.run("cancel", "holder")
        self.assertNotEqual(self.compute("python3 read.py shared", "--volume", "shared", check=False).returncode, 0)

    # None of our programs takes such a lock on what a run sees: their lock files are in no view.
    def test_a_run_that_holds_read_locks_on_all_that_it_sees_keeps_nobody_waiting(self):
        self.publish("locked", "old")
        self.compute("python3 locks.py", "--volume", "locked", "--name", "locks", "--detach")
        wait_until("it to hold them", lambda: "volume 1 many True" in self.instance.run("logs", "locks").stdout)
        self.assertEqual(self.read("locked")["value"], "old")
        self.assertEqual(self.publish("locked", "new"), 2)
        self.instance.kill("paddock-node-agent")
        self.instance.up()
        self.assertEqual(self.read("locked")["value"], "new")
        self.instance.run("delete", "volume", "locked")
        self.assertEqual(self.instance.run_object("locks")["status"]["phase"], "Running")
        self.instance.run("cancel", "locks")
        self.instance.wait_phase("locks", "Canceled")

    def test_a_run_that_failed_or_left_nothing_publishes_nothing(self):
        failed = self.compute("python3 make.py x 3", "--artifact-dir", "out", "--publish", "failed", check=False)
        self.assertEqual(failed.returncode, 3)
        nothing = self.compute("python3 make.py x", "--artifact-dir", "empty", "--publish", "failed", check=False)
        self.assertNotEqual(nothing.returncode, 0)
        self.assertIn("PUBLISH_FAILED", nothing.stderr)
        self.assertNotIn("failed", [v["metadata"]["name"] for v in self.instance.get("volumes")["items"]])

    def test_publishes_at_once_each_get_a_version(self):
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            versions = list(pool.map(lambda i: self.publish("race", f"r{i}"), range(3)))
        self.assertEqual(sorted(versions), [1, 2, 3])
        seen = {self.read("race", f"race@{n}")["value"] for n in (1, 2, 3)}
        self.assertEqual(seen, {"r0", "r1", "r2"})

    def test_a_run_may_publish_to_the_volume_that_it_reads(self):
        self.publish("own", "1")
        done = self.compute("python3 update.py", "--volume", "own", "--artifact-dir", "out", "--publish", "own")
        self.assertEqual(done.stdout, "1\n")
        self.assertEqual(self.read("own")["value"], "1+1")

    def test_a_namespace_sees_its_own_volumes_alone(self):
        self.publish("private", "secret", "--namespace", "theirs")
        refused = self.compute("python3 read.py private", "--volume", "private", check=False)
        self.assertIn("VOLUME_NOT_FOUND", refused.stderr)
        self.assertEqual(self.read("private", None, "--namespace", "theirs")["value"], "secret")

    # proves partly: ORB-18
    def test_names_that_are_no_labels_are_refused_before_anything_runs(self):
        before = len(self.instance.get("runs")["items"])
        for name in ("a/b", "..", "../x", "", "UPPER", "theirs/private", "-x", "a" * 64):
            refused = self.compute("python3 make.py x", "--artifact-dir", "out", f"--publish={name}", check=False)
            self.assertEqual(refused.returncode, 2, name)
            spec = {"type": "compute", "command": "python3 make.py x", "workspace": "w", "artifacts": {"dirs": ["out"]}}
            for extra in ({"publish": name}, {"volumes": [{"name": name}]}):
                status, answer = self.instance.post_run("hostile", {**spec, **extra})
                self.assertIn(status, (400, 412, 422), (name, answer))
        self.assertEqual(len(self.instance.get("runs")["items"]), before)


@unittest.skipIf(why_no_disk(), why_no_disk())
class ReadOnlyBlobs(unittest.TestCase):
    """The folder of files alone takes nothing; the store does."""

    def test_the_end_of_a_run_that_publishes_waits_for_it(self):
        instance = self.enterContext(Instance())
        project = make_project(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-")), make__py=MAKER)
        blobs = find_file(instance.home, "controller.json").parent / "blobs"
        instance.run("down")
        subprocess.run(["mount", "--bind", blobs, blobs], check=True)
        self.addCleanup(subprocess.run, ["umount", "--lazy", blobs], check=True)
        instance.up()

        def remount(how):
            subprocess.run(["mount", "-o", f"remount,bind,{how}", blobs], check=True)

        def compute(name, *options):
            instance.run("compute", project, "python3 make.py x", "--artifact-dir", "out", "--detach", "--name", name, *options)

        compute("first")  # so that the second one's files are there
        instance.wait_phase("first", "Succeeded")
        remount("ro")
        self.addCleanup(remount, "rw")
        compute("second", "--publish", "data")
        status = wait_until("the reason", lambda: (lambda said: said if "Read-only" in said.get("message", "") else None)(
            instance.run_object("second")["status"]))
        self.assertEqual(status["phase"], "Running", status)
        remount("rw")
        status = instance.wait_phase("second", "Succeeded", "Failed")["status"]
        self.assertEqual((status["phase"], status.get("publishedVersion")), ("Succeeded", 1), status)


if __name__ == "__main__":
    main()
