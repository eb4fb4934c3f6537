"""packaging/container: linted, and every path that it, the chart and compose.yaml name is one that is installed.
No image is built of it: no container engine is needed to build or test Paddock (tests/packaging/images_test.py is of `make images`)."""
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import chart
import yaml
from harness import BIN, SOURCE, held_port, main, wait_until

sys.path.insert(0, str(SOURCE / "clients/python"))
from paddock.workflow import run_code  # noqa: E402

FOLDER = SOURCE / "packaging/container"
LINT = """
const {validate} = require("dockerfile-utils");
const text = require("fs").readFileSync(0, "utf8");
for (const each of validate(text)) console.log(each.range.start.line + 1 + ": " + each.message);
"""
CHECKER, NO_CHECKER = chart.tool("containerfile")
BUILD = BIN.parent


def instructions():
    """[(word, rest)] of the Containerfile"""
    lines = [line for line in (FOLDER / "Containerfile").read_text().splitlines() if line and not line.startswith("#")]
    return [tuple(line.split(" ", 1)) for line in lines]


def lint(text):
    return subprocess.run(["node", "-e", LINT], input=text, text=True, stdout=subprocess.PIPE, check=True,
                          env={**os.environ, "NODE_PATH": f"{CHECKER}/node_modules"}).stdout


class Containerfile(unittest.TestCase):
    @unittest.skipUnless(CHECKER and shutil.which("node"), f"no checker: {NO_CHECKER}")
    def test_it_is_one(self):
        self.assertEqual(lint((FOLDER / "Containerfile").read_text()), "")
        self.assertIn("1: ", lint("FORM debian\n"), "the check can fail")

    # proves partly: ELV-72, ELV-74
    def test_two_stages_no_shell_and_no_root(self):
        words = instructions()
        self.assertEqual([rest.split()[0] for word, rest in words if word == "FROM"], ["debian:12-slim"] * 2)
        for word, rest in words:
            if word in ("RUN", "CMD", "ENTRYPOINT"):
                self.assertTrue(json.loads(rest), "an exec form, without a shell")
        self.assertEqual([rest for word, rest in words if word == "USER"], ["65532:65532"])
        self.assertIn("8007", next(rest for word, rest in words if word == "EXPOSE").split())

    def test_it_installs_what_building_and_running_need(self):
        sections = re.split(r"(?m)^# (\w+): .*\n", (SOURCE / "packaging/debian-packages.txt").read_text())
        wanted = sections[sections.index("build") + 1].split()
        self.assertGreater(len(wanted), 10)
        installed = " ".join(rest for word, rest in instructions() if word == "RUN")
        for name in wanted:
            if name not in ("ccache", "make", "git"):  # of working on it
                self.assertIn(f'"{name}"', installed)
        for name in ("python3", "python3-venv", "ca-certificates", "curl"):
            self.assertIn(f'"{name}"', installed)

    def test_what_the_packages_scripts_call_is_there_before_them(self):
        scripts = "".join(path.read_text() for path in (SOURCE / "packaging/debian").glob("*/postinst"))
        self.assertIn("systemd-sysusers --root", scripts)
        runs = [json.loads(rest) for word, rest in instructions() if word == "RUN"]
        at = {name: next(i for i, run in enumerate(runs) if name in run)
              for name in ("systemd-standalone-sysusers", "/packages/paddock-controller.deb")}
        self.assertLess(at["systemd-standalone-sysusers"], at["/packages/paddock-controller.deb"])

    def test_collect_takes_one_package_of_each(self):
        with tempfile.TemporaryDirectory() as folder:
            script = ["cmake", f"-DFROM={folder}", f"-DINTO={folder}/out", "-P", FOLDER / "collect.cmake"]
            names = ("paddock", "paddock-controller", "paddock-node-agent")
            for name in names:
                (pathlib.Path(folder) / f"{name}_0.1.0_amd64.deb").write_text(name)
            subprocess.run(script, check=True)
            for name in names:
                self.assertEqual((pathlib.Path(folder) / f"out/{name}.deb").read_text(), name)
            (pathlib.Path(folder) / "paddock_0.2.0_amd64.deb").touch()
            self.assertNotEqual(subprocess.run(script, stderr=subprocess.DEVNULL).returncode, 0)


class Paths(unittest.TestCase):
    """What is said to be in the image, against the rules that put it there."""

    def programs(self):
        """Every program that a container of ours starts."""
        named = [word for key, rest in instructions() if key == "ENTRYPOINT" for word in json.loads(rest)]
        services = yaml.safe_load((FOLDER / "compose.yaml").read_text())["services"].values()
        named += [service["entrypoint"][0] for service in services if "entrypoint" in service]
        for manifest in ("controller", "agent", "code-execution"):
            objects = [each for each in yaml.safe_load_all((SOURCE / f"manifests/{manifest}.yaml").read_text()) if each]
            named += [each["command"][0] for _, pod in chart.pods(objects) for each in chart.containers(pod)]
        return set(named)

    def test_every_program_is_installed_where_it_is_started(self):
        rules = BUILD / "cmake_install.cmake"
        if not rules.exists():
            self.skipTest("the programs under test are in no build folder with install rules")
        self.assertEqual(self.programs(), {"/usr/bin/paddock-controller", "/usr/bin/paddock-node-agent"})
        with tempfile.TemporaryDirectory() as folder:
            for component in ("paddock", "controller", "node-agent"):
                subprocess.run(["cmake", "--install", BUILD, "--prefix", "/usr", "--component", component], check=True,
                               env={**os.environ, "DESTDIR": folder}, stdout=subprocess.DEVNULL)
            for program in (*self.programs(), "/usr/bin/paddock-sandbox", "/usr/bin/paddock"):
                self.assertTrue(os.access(folder + program, os.X_OK), program)
            self.assertTrue(pathlib.Path(folder, "etc/paddock/controller.yaml").exists())


class Compose(unittest.TestCase):
    def setUp(self):
        self.services = yaml.safe_load((FOLDER / "compose.yaml").read_text())["services"]

    # proves: ELV-82, ELV-83
    # proves partly: ELV-76
    def test_it_is_what_the_design_says(self):
        service = self.services["code-execution"]
        self.assertEqual(service["container_name"], "paddock-code-execution")
        self.assertEqual(service["ports"], ["127.0.0.1:8007:8007"])
        health = service["healthcheck"]
        self.assertEqual((health["interval"], health["timeout"], health["retries"], health["start_period"]), ("5s", "5s", 10, "15s"))
        self.assertEqual(health["test"][-1], "https://localhost:8007/health")
        self.assertEqual(self.services["agent"]["cap_add"], ["SYS_ADMIN", "SYS_PTRACE", "NET_ADMIN"])
        for each in self.services.values():
            self.assertNotIn("privileged", each)
            self.assertTrue(each["read_only"])

    # proves: ELV-83, ELV-84
    def test_its_controller_and_agent_become_healthy_and_serve_a_workflow(self):
        """The two services' own commands and variables, on this host: what a container adds is container_test's."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="paddock-compose-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        port_8007 = self.enterContext(held_port())
        variables = {key: str(value) for key, value in self.services["code-execution"]["environment"].items()}
        variables.update(PATH=os.environ["PATH"], PADDOCK_CONTROLLER_DATA_DIR=f"{folder}/controller", PADDOCK_CONTROLLER_PORT="0",
                         PADDOCK_CONTROLLER_EXECUTE_PORT=str(port_8007))
        log = open(folder / "log", "w")
        self.addCleanup(log.close)
        controller = subprocess.Popen([BIN / "paddock-controller", "--config", FOLDER / "code-execution.yaml"], env=variables, stderr=log)
        self.addCleanup(controller.wait)
        self.addCleanup(controller.terminate)
        described = folder / "controller/controller.json"
        wait_until("the controller", lambda: described.exists() or controller.poll() is not None)
        port = json.loads(described.read_text())["port"]
        words = [str(word).replace("/var/lib/paddock/of-controller", str(folder)).replace(":8443", f":{port}")
                 for word in self.services["agent"]["command"]]
        agent = subprocess.Popen([BIN / "paddock-node-agent", *words, "--data-dir", folder / "agent"], stderr=log,
                                 env={"PATH": os.environ["PATH"]})
        self.addCleanup(agent.wait)
        self.addCleanup(agent.terminate)
        test = [word.replace(":8007", f":{port_8007}") for word in self.services["code-execution"]["healthcheck"]["test"][1:]]
        wait_until("/health to be well", lambda: subprocess.run(
            test, env={"PATH": os.environ["PATH"]}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0)
        self.check_a_workflows_step(folder / "controller", port_8007)
        self.check_what_needs_no_tls(port_8007)
        self.check_what_its_token_opens(folder / "controller", port)

    def check_a_workflows_step(self, folder, port):
        """By the service's name in the network of these services, which resolves there."""
        settings = {"CODE_EXECUTION_SERVICE_URL": f"https://code-execution:{port}",
                    "CODE_EXECUTION_SERVICE_CA_FILE": str(folder / "tls/ca.pem"),
                    "CODE_EXECUTION_SERVICE_TOKEN": (folder / "tokens/execute").read_text().strip()}
        resolve = socket.getaddrinfo
        with mock.patch.dict(os.environ, settings), \
                mock.patch("socket.getaddrinfo", lambda host, *rest, **named: resolve("127.0.0.1", *rest, **named)):
            found = run_code({"config": {"code": "print(input_data['n'] + 1)"}}, {"n": 41})
        self.assertEqual((found["success"], found["stdout"], found["error"]), (True, "42\n", None))

    def check_what_needs_no_tls(self, port):
        """The design's own health check, and nothing else."""
        ask = lambda path, *words: subprocess.run(["curl", "-sS", *words, f"http://localhost:{port}{path}"], capture_output=True, text=True).stdout
        self.assertEqual(json.loads(ask("/health", "-f"))["status"], "healthy")
        for path, words in (("/execute", ["-d", '{"code": "print(1)"}']), ("/", []), ("/health", ["-d", "{}"])):
            self.assertEqual(json.loads(ask(path, *words))["error"]["code"], "TLS_REQUIRED")

    def check_what_its_token_opens(self, folder, port):
        """POST /execute by the controller's own port too, and no other of its routes."""
        ask = lambda path, *words: json.loads(subprocess.run(
            ["curl", "-sS", "--cacert", folder / "tls/ca.pem", "-H", "Authorization: Bearer " + (folder / "tokens/execute").read_text().strip(),
             *words, f"https://localhost:{port}{path}"], capture_output=True, text=True).stdout)
        self.assertTrue(ask("/execute", "-d", '{"code": "print(1)"}')["success"])
        runs = "/apis/paddock.dev/v1alpha1/namespaces/default/runs"
        for path, words in ((runs, []), (runs, ["-d", "{}"]), ("/admin/tokens", []), ("/build", ["-d", "{}"])):
            self.assertEqual(ask(path, *words)["error"]["code"], "SCOPE_MISSING")


if __name__ == "__main__":
    main()
