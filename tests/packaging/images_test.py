#!/usr/bin/env python3
"""The container images: what is in them, that they are the same when built again, and that they work in the pods of manifests/."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

import yaml

SOURCE = pathlib.Path(os.environ.get("PADDOCK_SOURCE_DIR", ".")).resolve()
IMAGES = pathlib.Path(os.environ.get("PADDOCK_IMAGES_DIR", SOURCE / "build/images")).resolve()
sys.path.insert(0, str(SOURCE / "tests/integration"))
import chart  # noqa: E402
import pods  # noqa: E402
import spdx_rules  # noqa: E402
from harness import PATIENCE_S, held_port, wait_until  # noqa: E402

NAMES = ("controller", "node-agent", "code-execution")
ONLY_WHERE_JOBS_ARE = {"usr/bin/sh", "usr/bin/bash", "usr/bin/dash", "usr/bin/tar", "usr/bin/python3"}
NOWHERE = {"usr/bin/apt", "usr/bin/apt-get", "usr/bin/dpkg", "usr/bin/perl", "usr/bin/debconf", "etc/apt", "etc/hostname",
           "etc/resolv.conf"}
CA = "/var/lib/paddock/controller/tls/ca.pem"


def missing(*programs):
    found = [each for each in programs if not shutil.which(each)]
    return f"missing: {', '.join(found)}; scripts/install-deps images" if found else ""


def archive(name, folder=IMAGES):
    found = folder / f"paddock-{name}.oci.tar"
    assert found.exists(), f"there is no {found}: scripts/images"
    return found


def manifest(name):
    return [each for each in yaml.safe_load_all((SOURCE / f"manifests/{name}.yaml").read_text()) if each]


def setUpModule():
    absent = [name for name in NAMES if not (IMAGES / f"paddock-{name}.oci.tar").exists()]
    if absent:
        raise unittest.SkipTest(f"{IMAGES} has no image of {', '.join(absent)}; scripts/images says why it builds none")


class Opened:
    """An OCI archive read by its own rules: every blob has the digest that it is called by."""

    def __init__(self, path):
        with tarfile.open(path) as tar:
            self.blobs = {entry.name: tar.extractfile(entry).read() for entry in tar if entry.isfile()}
        self.digest = json.loads(self.blobs["index.json"])["manifests"][0]["digest"]
        self.manifest = json.loads(self.blob(self.digest))
        self.config = json.loads(self.blob(self.manifest["config"]["digest"]))

    def blob(self, digest):
        content = self.blobs["blobs/" + digest.replace(":", "/")]
        assert "sha256:" + hashlib.sha256(content).hexdigest() == digest, digest
        return content

    def files(self):
        """{path: entry} of its one layer, and a way to read one."""
        self.folder = tempfile.TemporaryFile()
        self.folder.write(self.blob(self.manifest["layers"][0]["digest"]))
        self.folder.seek(0)
        self.layer = tarfile.open(fileobj=self.folder, mode="r:gz")
        return {entry.name.removeprefix("./"): entry for entry in self.layer}

    def read(self, entry):
        return self.layer.extractfile(entry).read()


class Contents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.images = {name: Opened(archive(name)) for name in NAMES}
        cls.files = {name: image.files() for name, image in cls.images.items()}

    def packages(self, name):
        return dict(line.split()[:2] for line in (IMAGES / f"paddock-{name}.packages").read_text().splitlines())

    def test_nothing_is_left_of_the_host_or_of_installing(self):
        for name, files in self.files.items():
            with self.subTest(name):
                self.assertEqual(NOWHERE & set(files), set())
                self.assertEqual([path for path, entry in files.items() if entry.isfile() and entry.mode & 0o6000], [], "setuid")
                self.assertEqual([path for path, entry in files.items() if entry.ischr() or entry.isblk()], [])
                self.assertEqual([path for path in files if re.match("(tmp|run|var/log|var/cache|dev)/.", path) and path != "run/lock"], [])

    def test_a_shell_is_only_where_jobs_run(self):
        self.assertEqual(ONLY_WHERE_JOBS_ARE & set(self.files["controller"]), set())
        for name in ("node-agent", "code-execution"):
            self.assertEqual(ONLY_WHERE_JOBS_ARE - set(self.files[name]), set())

    def test_the_list_of_packages_is_what_dpkg_says(self):
        for name, files in self.files.items():
            status = self.images[name].read(files["var/lib/dpkg/status"]).decode()
            told = dict(re.findall(r"(?m)^Package: (\S+)\n(?:.*\n)*?Version: (\S+)$", status))
            self.assertEqual(told, self.packages(name))
            self.assertIn("paddock", told)
            self.assertNotIn("dpkg", told)

    def test_it_is_said_what_it_is(self):
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=SOURCE, text=True, stdout=subprocess.PIPE).stdout.strip()
        for name, image in self.images.items():
            with self.subTest(name):
                told = {key.removeprefix("org.opencontainers.image."): value for key, value in image.config["config"]["Labels"].items()}
                self.assertEqual(set(told), {"title", "description", "version", "revision", "created", "licenses", "vendor"})
                self.assertEqual((told["title"], told["version"], told["licenses"]),
                                 (f"paddock-{name}", self.packages(name)["paddock"], "Apache-2.0"))
                self.assertEqual(told["revision"].removesuffix("-dirty"), head)
                self.assertEqual(image.config["created"], told["created"])

    def test_it_starts_as_the_chart_has_it(self):
        """Without a word of the chart's it would start the same program, as the same user."""
        wanted = {"controller": ("controller", "StatefulSet"), "node-agent": ("agent", "DaemonSet"),
                  "code-execution": ("code-execution", "Deployment")}
        for name, (file, kind) in wanted.items():
            config = self.images[name].config["config"]
            pod = pods.of_kind(manifest(file), kind)["spec"]["template"]["spec"]
            container = [*pod.get("initContainers", []), *pod["containers"]][0]
            self.assertEqual(config["Entrypoint"] + config["Cmd"], container["command"])
            context = container["securityContext"]
            self.assertEqual(config["User"], f"{context['runAsUser']}:{context['runAsGroup']}")
            ports = {str(each["containerPort"]) for each in container.get("ports", [])}
            self.assertLessEqual(ports, set(config.get("ExposedPorts", {})))

    def test_the_bill_of_materials_is_spdx_and_true(self):
        for name, files in self.files.items():
            with self.subTest(name):
                bill = json.loads((IMAGES / f"paddock-{name}.spdx.json").read_text())
                self.assertEqual(spdx_rules.faults(bill), [])
                self.assertTrue(bill["documentNamespace"].endswith(self.images[name].digest.removeprefix("sha256:")))
                self.assertEqual({each["name"]: each["versionInfo"] for each in bill["packages"][1:]}, self.packages(name))
                told = {each["fileName"].removeprefix("./"): each["checksums"][1]["checksumValue"] for each in bill["files"]}
                ours = {path for path in files if re.fullmatch("usr/bin/paddock[a-z-]*", path)}
                self.assertEqual(told, {path: hashlib.sha256(self.images[name].read(files[path])).hexdigest() for path in ours})

    def test_most_licences_are_known_and_the_others_can_be_read_in_the_image(self):
        for name, files in self.files.items():
            bill = json.loads((IMAGES / f"paddock-{name}.spdx.json").read_text())
            for each in bill["packages"][1:]:
                if each["licenseDeclared"] == "NOASSERTION":
                    self.assertTrue({f"usr/share/doc/{each['name']}/copyright", f"usr/share/doc/{each['name']}"} & set(files), each["name"])
            declared = [each for each in bill["packages"][1:] if each["licenseDeclared"] != "NOASSERTION"]
            self.assertGreater(len(declared), len(bill["packages"]) / 2)
            own = {each["licenseDeclared"] for each in bill["packages"][1:] if each["name"].startswith("paddock")}
            self.assertEqual(own, {"Apache-2.0"})

    def test_the_rules_can_be_broken(self):
        good = json.loads((IMAGES / "paddock-controller.spdx.json").read_text())
        self.assertEqual(spdx_rules.faults(good), [])

        def broken(change):
            bill = json.loads(json.dumps(good))
            change(bill)
            return spdx_rules.faults(bill)

        for change in (lambda bill: bill.pop("dataLicense"), lambda bill: bill.update(documentNamespace="no-scheme"),
                       lambda bill: bill["creationInfo"].update(created="yesterday"),
                       lambda bill: bill["packages"][1].pop("downloadLocation"), lambda bill: bill["packages"][1].update(SPDXID="a b"),
                       lambda bill: bill["packages"][1].update(licenseDeclared="GPL"),
                       lambda bill: bill["packages"][1].update(filesAnalyzed=True),
                       lambda bill: bill["hasExtractedLicensingInfos"].pop(0),
                       lambda bill: bill["hasExtractedLicensingInfos"][0].pop("extractedText"),
                       lambda bill: bill["files"][0]["checksums"].pop(0), lambda bill: bill["packages"].pop(1),
                       lambda bill: bill["relationships"].pop(0), lambda bill: bill["packages"].append(bill["packages"][1])):
            self.assertNotEqual(broken(change), [])


@unittest.skipIf(missing("mmdebstrap", "umoci", "dpkg-scanpackages") or os.geteuid() != 0,
                 missing("mmdebstrap", "umoci", "dpkg-scanpackages") or "needs root to build")
class Build(unittest.TestCase):
    def setUp(self):
        self.into = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-images-")))

    def build(self, *words, **env):
        return subprocess.run([SOURCE / "scripts/images", "--into", self.into, *words], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env={**os.environ, **env})

    def test_the_same_input_gives_the_same_bytes(self):
        image = Opened(archive("code-execution"))  # the one that has everything
        created = image.config["created"]
        epoch = subprocess.run(["date", "-d", created, "+%s"], text=True, stdout=subprocess.PIPE, check=True).stdout.strip()
        done = self.build("code-execution", SOURCE_DATE_EPOCH=epoch)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])
        for ending in ("packages", "spdx.json", "oci.tar"):
            name = f"paddock-code-execution.{ending}"
            self.assertEqual((self.into / name).read_bytes() == (IMAGES / name).read_bytes(), True, name)

    def test_a_build_that_fails_says_why_and_leaves_nothing(self):
        mounts = pathlib.Path("/proc/self/mountinfo").read_text()
        sources = self.into / "sources"
        sources.write_text("deb [trusted=yes] copy:///nowhere-at-all bookworm main\n")
        done = self.build("controller", PADDOCK_IMAGES_SOURCES=str(sources))
        self.assertEqual(done.returncode, 1, done.stdout[-3000:])
        self.assertIn("/nowhere-at-all", done.stdout)
        self.assertEqual(sorted(each.name for each in self.into.iterdir()), ["sources"])
        self.assertEqual(pathlib.Path("/proc/self/mountinfo").read_text(), mounts)
        done = self.build("nothing")
        self.assertIn("no image nothing; there are controller, node-agent, code-execution", done.stdout)


    def test_a_build_that_is_ended_leaves_nothing(self):
        build = subprocess.Popen([SOURCE / "scripts/images", "--into", self.into, "controller"], stderr=subprocess.DEVNULL)
        wait_until("files in the image", lambda: list(self.into.glob(".new-*/root/etc/*")) or build.poll() is not None)
        build.terminate()
        self.assertEqual(build.wait(PATIENCE_S), 143)
        self.assertEqual(list(self.into.iterdir()), [])


REGISTRY, NO_REGISTRY = chart.tool("registry")


@unittest.skipUnless(REGISTRY and shutil.which("skopeo"), missing("skopeo") or f"no registry: {NO_REGISTRY}")
class Pushed(unittest.TestCase):
    def test_a_registry_has_it_under_the_digest_that_it_was_built_with(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-registry-")))
        port = self.enterContext(held_port())
        (folder / "config.yml").write_text(json.dumps({
            "version": "0.1", "storage": {"filesystem": {"rootdirectory": str(folder / "data")}}, "http": {"addr": f"127.0.0.1:{port}"}}))
        with open(folder / "log", "w") as log:
            registry = subprocess.Popen([REGISTRY, "serve", folder / "config.yml"], stdout=log, stderr=log)
        self.addCleanup(registry.wait)
        self.addCleanup(registry.terminate)
        ask = ["curl", "-fsS", "--noproxy", "*", f"http://127.0.0.1:{port}/v2/"]
        wait_until("the registry", lambda: subprocess.run(ask, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0)
        there = f"docker://127.0.0.1:{port}/paddock-controller:0.1.0"
        pods.said("skopeo", "--insecure-policy", "copy", "--dest-tls-verify=false", f"oci-archive:{archive('controller')}", there)
        found = json.loads(pods.said("skopeo", "inspect", "--tls-verify=false", there))
        self.assertEqual(found["Digest"], Opened(archive("controller")).digest)


def why_not():
    if os.geteuid() != 0:
        return "needs root"
    return missing("runc", "umoci", "skopeo", "curl", "nsenter")


@unittest.skipIf(why_not(), why_not())
class InPods(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="paddock-pods-"))
        self.folder.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def image(self, name):
        return pods.Image(archive(name), self.folder / f"image-{name}")

    def pod(self, name, *args, **kwargs):
        return self.enterContext(pods.Pod(self.folder / name, *args, **kwargs))

    def skip_unless_it_starts(self, pod, container):
        """A container of this pod that ends at once: whether runc can have it on this machine."""
        code, said = pod.once(container, "/usr/bin/true")
        if code != 0:
            self.skipTest(f"runc starts no such container here: {said[-500:]}")

    def controller(self):
        pod = self.pod("controller", manifest("controller"), "StatefulSet", self.image("controller"))
        self.skip_unless_it_starts(pod, "controller")
        self.check_version(pod, "controller")
        process = pod.start("controller")
        ca = pod.volumes["data"] / "controller/tls/ca.pem"

        def ready():
            self.assertIsNone(process.poll(), pod.log("controller")[-3000:])
            return ca.exists() and pod.curl("controller", "-f", "--cacert", ca, "https://localhost:8443/readyz")[0] == 0
        wait_until("the controller to be ready", ready)
        return pod

    def cli(self, pod, *words, check=True):
        token = pod.exec("controller", "/usr/bin/cat", "/var/lib/paddock/controller/tokens/admin").strip()
        env = ("HOME=/tmp", "PADDOCK_SERVER=https://localhost:8443", f"PADDOCK_CA_FILE={CA}", f"PADDOCK_TOKEN={token}")
        return pod.exec("controller", "/usr/bin/paddock", *words, env=env, check=check)

    def check_version(self, pod, container):
        said = pod.once(container, "/usr/bin/paddock", "--version")[1]
        self.assertEqual(said.split(), ["paddock", pod.image.config["Labels"]["org.opencontainers.image.version"]])

    def test_the_controller_is_ready_and_ends_when_it_is_told_to(self):
        pod = self.controller()
        self.assertEqual(pod.exec("controller", "/usr/bin/id", "-u").strip(), "65532")
        self.assertIn("no such file", pod.exec("controller", "/bin/sh", "-c", "true", check=False))
        self.assertIn("Read-only", pod.exec("controller", "/usr/bin/touch", "/new", check=False))
        if pods.RUNTIME_DEFAULT.exists():
            self.assertIn("Seccomp:\t2", pod.exec("controller", "/usr/bin/cat", "/proc/1/status"))
        self.assertEqual(pod.stop("controller"), 0)

    def test_an_agent_joins_it_and_runs_a_job_in_its_sandbox(self):
        controller = self.controller()
        cat = lambda path: controller.exec("controller", "/usr/bin/cat", path)  # as docs/cluster.md makes the secrets
        secrets = {"paddock-enroll": {"token": cat("/var/lib/paddock/controller/tokens/enroll")}, "paddock-ca": {"ca.crt": cat(CA)}}
        agent = self.pod("agent", manifest("agent"), "DaemonSet", self.image("node-agent"), secrets=secrets, network_of=controller,
                         hosts="127.0.0.1 paddock.paddock.svc\n")
        self.skip_unless_it_starts(agent, "agent")
        self.check_version(agent, "agent")
        self.check_what_is_stopped(agent)
        process = agent.start("agent")

        def joined():
            self.assertIsNone(process.poll(), agent.log("agent")[-3000:])
            return [each for each in json.loads(self.cli(controller, "get", "nodes", "-o", "json"))["items"] if each["status"]["ready"]]
        node = wait_until("the agent to join", joined)[0]
        self.assertEqual(node["metadata"]["name"], "node-1-example")
        self.check_a_job(controller)
        self.assertEqual(agent.stop("agent"), 0)

    def check_a_job(self, controller):
        project = controller.volumes["tmp"] / "hello"
        project.mkdir()
        (project / "job.py").write_text("import os, sys\nopen('out/a.txt', 'w').write('made')\n"
                                        "print(sys.version_info[:2], os.path.exists('/etc/paddock/enroll/token'))\n")
        os.chown(project, 65532, 65532)
        said = self.cli(controller, "run", "/tmp/hello", "--artifact-dir", "out", "--", "sh", "-c", "mkdir -p out && python3 job.py")
        self.assertIn("(3, 11) False", said)
        self.assertEqual((project / "out/a.txt").read_text(), "made")
        run = json.loads(self.cli(controller, "get", "runs", "-o", "json"))["items"][0]
        self.assertEqual((run["status"]["phase"], run["status"]["nodeName"]), ("Succeeded", "node-1-example"))
        enforced = run["status"]["result"]["enforced"]
        self.assertTrue(all(enforced[each]["applied"] for each in ("filesystem", "network", "syscalls", "privileges")), enforced)

    def check_what_is_stopped(self, agent):
        """All but a user of the host for each sandbox, which docs/cluster.md says of pods with users of their own."""
        _, said = agent.once("agent", "/usr/bin/paddock", "doctor")
        self.assertRegex(said, r"Sandbox: \d+ of \d+ forbidden things")
        self.assertEqual(re.findall(r"(?m)^  NO +(\S+)", said), ["own-accounts"], said)

    # proves: ELV-74
    def test_code_execution_answers(self):
        pod = self.pod("code", manifest("code-execution"), "Deployment", self.image("code-execution"))
        self.skip_unless_it_starts(pod, "controller")
        process = pod.start("controller")
        data = pod.volumes["controller"] / "controller"
        wait_until("its controller", lambda: (data / "controller.json").exists() or process.poll() is not None)
        self.assertIsNone(process.poll(), pod.log("controller")[-3000:])
        self.check_version(pod, "code-execution")
        agent = pod.start("code-execution")

        def healthy():
            self.assertIsNone(agent.poll(), pod.log("code-execution")[-3000:])
            return pod.curl("controller", "-f", "--cacert", data / "tls/ca.pem", "https://localhost:8007/health")[0] == 0
        wait_until("/health to be well", healthy)
        code = "import pandas, dateutil\nprint(pandas.Series([1, 2, 3]).sum(), pandas.__version__)"
        token = (data / "tokens/execute").read_text().strip()
        rc, answer = pod.curl("controller", "-f", "--cacert", data / "tls/ca.pem", "https://localhost:8007/execute",
                              "-d", json.dumps({"code": code}), "-H", f"Authorization: Bearer {token}")
        self.assertEqual(rc, 0, answer)
        answer = json.loads(answer)
        version = next(line.split()[1] for line in (IMAGES / "paddock-code-execution.packages").read_text().splitlines()
                       if line.startswith("python3-pandas "))
        self.assertEqual((answer["success"], answer["stdout"]), (True, f"6 {re.split('[+-]', version)[0]}\n"), answer)
        self.assertEqual((pod.stop("code-execution"), pod.stop("controller")), (0, 0))


if __name__ == "__main__":
    unittest.main()
