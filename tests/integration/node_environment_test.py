"""npm packages for a job: installed once, from the operator's registry, without running a line of them."""
import json
import os
import shutil
import socket
import struct
import subprocess
import unittest
import urllib.parse
import urllib.request

from harness import SOURCE, Instance, ProjectTest, main, make_project, paths_below
from outside import Packages

EXAMPLE = SOURCE / "examples" / "onnx-embeddings"
LIFECYCLE = ("preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare",
             "prepublishOnly", "prepack", "postpack", "dependencies", "prerestart", "start")
SEARCH = "/usr/local/bin:/usr/bin:/bin"  # of a sandbox


def npm_setting(name):
    done = subprocess.run(["npm", "config", "get", name], capture_output=True, text=True)
    value = done.stdout.strip().strip('"')
    return "" if done.returncode != 0 or value in ("null", "undefined") else value


def why_no_registry(registry, package):
    """Why the real registry cannot be used from here; empty if it can."""
    try:
        with urllib.request.urlopen(f"{registry.rstrip('/')}/{package}", timeout=20) as answer:
            return "" if answer.status == 200 else f"the registry answers {answer.status}"
    except (OSError, ValueError) as error:
        return f"this machine's npm registry cannot be reached: {error}"


def npm_install(folder, package, *words):
    """Packages of the real registry for a test's own use. A network that breaks off is not what is tested: it is tried
    again, and skipped where the registry, which has `package`, has gone away."""
    for _ in range(3):
        done = subprocess.run(["npm", *words, "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder,
                              env={**os.environ, "PATH": SEARCH}, text=True, capture_output=True)
        if done.returncode == 0:
            return
    if problem := why_no_registry(npm_setting("registry"), package):
        raise unittest.SkipTest(problem)
    raise AssertionError(f"npm {' '.join(words)}: {done.stdout[-2000:]}\n{done.stderr[-2000:]}")


@unittest.skipUnless(shutil.which("npm", path=SEARCH) and shutil.which("node", path=SEARCH), "this host has no node and npm")
class NodeEnvironments(ProjectTest):
    @classmethod
    def setUpClass(cls):
        cls.packages = Packages()
        cls.addClassCleanup(cls.packages.close)
        cls.instance = Instance()
        cls.instance.env.update(cls.packages.settings())
        cls.enterClassContext(cls.instance)

    def compute(self, job, package, *options, check=True):
        make_project(self.project, job__js=job, package__json=json.dumps(package))
        return self.instance.run("compute", self.project, "node job.js", "--requirements", "package.json",
                                 *options, check=check)

    # proves: ORB-67, ORB-141
    def test_packages_are_installed_once_and_found_from_the_workspace(self):
        self.packages.add_node("paddock-a", dependencies={"paddock-b": "^1.0.0"})
        self.packages.add_node("paddock-b", version="1.2.0")
        job = "console.log(require('paddock-a'), require('paddock-b'), require.resolve('paddock-b'));"
        package = {"name": "x", "dependencies": {"paddock-a": "1.0.0"}}
        first = self.compute(job, package)
        self.assertEqual(first.stdout.splitlines()[-1], "paddock-a paddock-b /node_modules/paddock-b/index.js", first.stderr)
        self.assertIn("cache miss", first.stderr)
        self.packages.requests.clear()
        second = self.compute(job, package)
        self.assertEqual(second.stdout.splitlines()[-1], first.stdout.splitlines()[-1])
        self.assertIn("cache hit", second.stderr)
        self.assertEqual(self.packages.requests, [])

    def test_the_versions_of_package_lock_json_are_installed(self):
        for version in ("1.0.0", "1.1.0"):
            self.packages.add_node("paddock-locked", version, files={"index.js": f"module.exports = '{version}';\n"})
        entry = self.packages.node_version("paddock-locked", "1.0.0")
        lock = {"name": "x", "lockfileVersion": 3, "packages": {
            "": {"dependencies": {"paddock-locked": "^1.0.0"}},
            "node_modules/paddock-locked": {"version": "1.0.0", "resolved": entry["dist"]["tarball"],
                                            "integrity": entry["dist"]["integrity"]}}}
        job, package = "console.log(require('paddock-locked'));", {"dependencies": {"paddock-locked": "^1.0.0"}}
        self.assertEqual(self.compute(job, package).stdout.splitlines()[-1], "1.1.0")
        write = (self.project / "package-lock.json").write_text
        write(json.dumps(lock))
        done = self.compute(job, package)
        self.assertEqual(done.stdout.splitlines()[-1], "1.0.0", done.stderr)
        self.assertIn("package-lock.json", done.stderr)
        locked = lock["packages"]["node_modules/paddock-locked"]
        locked["integrity"] = "sha512-" + "A" * 86 + "=="
        write(json.dumps(lock))
        self.assertIn("EINTEGRITY", self.compute(job, package, check=False).stderr)
        locked["resolved"] = f"http://elsewhere.test:{self.packages.port}/x.tgz"
        write(json.dumps(lock))
        self.assertIn("node_modules/paddock-locked: ", self.compute(job, package, check=False).stderr)
        self.assertEqual(self.packages.asked_for("elsewhere"), [])

    # proves: ORB-67, ORB-68
    def test_no_script_of_a_project_or_a_package_ever_runs(self):
        def scripts(name):
            return {each: f"node -e \"require('fs').writeFileSync('canary-{name}-{each}', '1')\" && "
                          f"node -e \"require('http').get('{self.packages.url}/canary')\"" for each in LIFECYCLE}
        gyp = "{'targets': [{'target_name': 'x', 'actions': [{'action_name': 'c', 'action': ['touch', 'canary-gyp']}]}]}"
        self.packages.add_node("paddock-outer", dependencies={"paddock-inner": "1.0.0"}, scripts=scripts("outer"),
                               bin={"node": "index.js", "npm": "index.js", "sh": "index.js"})
        self.packages.add_node("paddock-inner", scripts=scripts("inner"), files={
            "index.js": "module.exports = 'inner';\n", "binding.gyp": gyp, ".npmrc": "ignore-scripts=false\n",
            "node_modules/paddock-bundled/package.json": json.dumps({"name": "paddock-bundled", "version": "1.0.0", "scripts": scripts("bundled")}),
        }, bundleDependencies=["paddock-bundled"], dependencies={"paddock-bundled": "1.0.0"})
        job = ("const fs = require('fs'), all = fs.readdirSync('/node_modules', {recursive: true}).concat(fs.readdirSync('.'));"
               "console.log(JSON.stringify(all.filter(n => n.includes('canary'))), require('paddock-inner'));")
        done = self.compute(job, {"name": "x", "scripts": scripts("root"), "dependencies": {"paddock-outer": "1.0.0"}})
        self.assertEqual(done.stdout.splitlines()[-1], "[] inner", done.stderr)
        self.assertEqual(self.packages.asked_for("canary"), [])

    # proves: ORB-123
    def test_a_package_cannot_lead_npm_away_from_the_registry(self):
        for at, reference in enumerate((f"http://elsewhere.test:{self.packages.port}/x.tgz", "git+https://elsewhere.test/x.git",
                                        "github:elsewhere/x", "file:../../etc", "file:/etc/passwd")):
            self.packages.add_node(f"paddock-lead-{at}", dependencies={"x": reference})
            done = self.compute("console.log('ran')", {"dependencies": {f"paddock-lead-{at}": "1.0.0"}}, check=False)
            if reference.startswith("file:"):  # npm links to what is not there; nothing of the host can be
                job = "try { console.log(Object.keys(require('x'))) } catch (e) { console.log('nothing') }"
                done = self.compute(job, {"dependencies": {f"paddock-lead-{at}": "1.0.0"}}, check=False)
                self.assertNotIn("root:", done.stdout)
                continue
            self.assertIn("ENVIRONMENT_FAILED", done.stderr, reference)
            self.assertNotIn("ran", done.stdout.splitlines())
        self.assertEqual(self.packages.asked_for("elsewhere"), [])
        left = [path.name for path in paths_below(self.instance.home, "node_modules_cache/.building*")]
        self.assertEqual(left, [])

    # proves: ORB-123
    def test_references_in_the_projects_own_file_are_refused_by_field(self):
        for reference in ("git+https://elsewhere.test/x.git", "elsewhere/x", "http://elsewhere.test/x.tgz", "file:/etc", "../x",
                          "npm:other@1"):
            done = self.compute("console.log('ran')", {"dependencies": {"x": reference}}, check=False)
            self.assertNotEqual(done.returncode, 0, reference)
            self.assertIn("dependencies.x", done.stderr, reference)
            self.assertNotIn("ran", done.stdout.splitlines())

    # proves: ORB-15
    def test_the_example_embeds_its_captions_with_the_real_onnx_runtime(self):
        registry = npm_setting("registry")
        why = why_no_registry(registry, "onnxruntime-node")
        if why:
            self.skipTest(why)
        host = urllib.parse.urlsplit(registry).hostname
        ranges = sorted({info[4][0] + "/32" for info in socket.getaddrinfo(host, None, socket.AF_INET)})
        with Instance() as instance:
            instance.run("down")
            instance.env.update(PADDOCK_NODE_AGENT_PACKAGES_NPM_REGISTRY=registry,
                                PADDOCK_NODE_AGENT_PACKAGES_CA_FILE=npm_setting("cafile"),
                                PADDOCK_NODE_AGENT_NETWORK_ALLOW_RANGES=json.dumps(ranges))
            instance.up()
            shutil.copytree(EXAMPLE, self.project, dirs_exist_ok=True)
            command = ("compute", ".", "node process-embeddings.js", "--requirements", "package.json", "--artifact-dir", "output/")
            first = instance.run(*command, "--name", "embeddings", cwd=self.project, timeout=400)
            self.assertLessEqual({"queue", "workspace", "environment", "environmentBuild", "run", "artifacts"},
                                 set(instance.run_object("embeddings")["status"]["timingsMs"]))
            self.assertIn("cache miss", first.stderr)
            self.check_embeddings(self.project / "output")
            shutil.rmtree(self.project / "output")
            self.assertIn("cache hit", instance.run(*command, cwd=self.project).stderr)
            self.check_embeddings(self.project / "output")

    def check_embeddings(self, output):
        index = json.loads((output / "index.json").read_text())
        packed = (output / "embeddings.bin").read_bytes()
        self.assertEqual(sorted(path.name for path in output.iterdir()),
                         ["embeddings.bin", "index.json", "measurements.json", "model.onnx", "neighbours.csv"])
        self.assertEqual(len(packed), index["count"] * index["dims"] * 4)
        self.assertGreater(index["count"], 50)
        for at in range(index["count"]):
            row = struct.unpack_from(f"<{index['dims']}f", packed, at * index["dims"] * 4)
            self.assertAlmostEqual(sum(value * value for value in row), 1, places=4)
        self.assertLess(json.loads((output / "measurements.json").read_text())["worst_difference"], 1e-4)


if __name__ == "__main__":
    main()
