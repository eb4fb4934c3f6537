"""The Helm chart: rendered by Helm, its objects held to Kubernetes' own types, its values refused by name where
they make no sense."""
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import unittest

import chart
import yaml
from chart import AGENT, containers, of_kind, pods, render
from harness import BIN, SOURCE, find_file, held_port, main, wait_until

CODE = {"codeExecution": {"enabled": True}}
MONITORED = {"controller": {"serviceMonitor": {"enabled": True, "tokenSecret": {"name": "metrics"}},
                            "prometheusRule": {"enabled": True}, "dashboard": {"enabled": True}}}
SIDECAR = {"name": "front", "image": "front", "ports": [{"name": "front", "containerPort": 443}]}
BEFORE = {"tls": {"enabled": False, "terminatedBy": "the container front of this pod"},
          "controller": {"extraContainers": [SIDECAR], "service": {"targetPort": "front"}}}
ELSEWHERE = {"to": [{"ipBlock": {"cidr": "192.0.2.0/24"}}]}
ALONE = {"tls": {"enabled": False}, "controller": {"service": {"enabled": False}}}
VARIANTS = {
    "as it is": [],
    "everything": [AGENT, CODE, MONITORED],
    "a certificate of one's own": [AGENT, {"tls": {"secretName": "tls"}, "agent": {"caSecret": {"name": ""}}}, MONITORED],
    "TLS ends before": [BEFORE],
    "the pod alone": [ALONE],
    "without user namespaces": [AGENT, {"agent": {"userNamespaces": False, "runtimeClassName": ""}}],
    "with all that is optional": [AGENT, CODE, {
        "imagePullSecrets": [{"name": "pull"}], "image": {"digest": "sha256:" + "0" * 64},
        "controller": {"profiles": {"mine": {"description": "mine", "policy": {}}}, "persistence": {"storageClassName": "fast"},
                       "nodeSelector": {"a": "b"}, "tolerations": [{"operator": "Exists"}], "podAnnotations": {"a": "b"},
                       "config": {"media": {"providerUrl": "https://media.example"}}, "service": {"type": "LoadBalancer"}},
        "networkPolicy": {"controllerEgress": [{"to": [{"ipBlock": {"cidr": "192.0.2.0/24"}}]}],
                          "agentEgress": [{"to": [{"ipBlock": {"cidr": "192.0.2.0/24"}}]}]},
        "agent": {"nodeSelector": None, "config": {"maxRuns": 8}, "affinity": {"nodeAffinity": {}}},
        "codeExecution": {"persistence": {"enabled": False}}}],
    "names that YAML would read as numbers": [AGENT, MONITORED, {
        "tls": {"secretName": "1e3"}, "imagePullSecrets": [{"name": "12"}],
        "agent": {"enrollTokenSecret": {"name": "0123", "key": "1"}, "caSecret": {"name": "0x1", "key": "2"},
                  "runtimeClassName": "7", "podAnnotations": {"a": "1"}},
        "controller": {"persistence": {"storageClassName": "5"}, "serviceMonitor": {"tokenSecret": {"name": "8", "key": "9"}}}}],
    "without network policies": [AGENT, CODE, {"networkPolicy": {"enabled": False}, "controller": {"persistence": {"enabled": False}}}],
}
# Values that make no sense; what the refusal names; the values that it says fix it.
REFUSED = {
    "the API without TLS": ([{"tls": {"enabled": False}}], ["tls.enabled", "without TLS", "set tls.enabled=true"],
                            {"tls": {"enabled": True}}),
    "the API without TLS, by the controller's own words": (
        [{"controller": {"config": {"plainHttpOnLoopback": True}}}], ["controller.config.plainHttpOnLoopback", "tls.enabled"],
        {"controller": {"config": {"plainHttpOnLoopback": None}}}),
    "another address, by the controller's own words": (
        [{"controller": {"config": {"host": "0.0.0.0"}}}], ["controller.config.host"], {"controller": {"config": {"host": None}}}),
    "words alone do not terminate TLS": (
        [{"tls": BEFORE["tls"]}], ["controller.extraContainers"], {"controller": BEFORE["controller"]}),
    "a service past what terminates TLS": (
        [BEFORE, {"controller": {"service": {"targetPort": ""}}}], ["controller.service.targetPort"],
        {"controller": {"service": {"targetPort": "front"}}}),
    "TLS twice": ([{"tls": {"terminatedBy": "x"}}], ["tls.terminatedBy"], {"tls": {"terminatedBy": ""}}),
    "a certificate that is not used": ([ALONE, {"tls": {"secretName": "tls"}}], ["tls.secretName"], {"tls": {"secretName": ""}}),
    "two writers of one store": ([{"controller": {"replicas": 2}}], ["controller.replicas", "set controller.replicas=1"],
                                 {"controller": {"replicas": 1}}),
    "no controller": ([{"controller": {"replicas": 0}}], ["controller.replicas"], {"controller": {"replicas": 1}}),
    "agents that cannot enrol": ([AGENT, {"agent": {"enrollTokenSecret": {"name": ""}}}], ["agent.enrollTokenSecret.name"],
                                 {"agent": {"enrollTokenSecret": {"name": "enroll"}}}),
    "agents that trust nobody": ([AGENT, {"agent": {"caSecret": {"name": ""}}}], ["agent.caSecret.name"],
                                 {"agent": {"caSecret": {"name": "ca"}}}),
    "agents that call without TLS": ([AGENT, {"agent": {"server": "http://paddock"}}], ["agent.server", "without TLS"],
                                     {"agent": {"server": "https://paddock"}, "networkPolicy": {"agentEgress": [ELSEWHERE]}}),
    "agents without a controller": ([AGENT, ALONE], ["agent.server"],
                                    {"agent": {"server": "https://elsewhere:8443"}, "networkPolicy": {"agentEgress": [ELSEWHERE]}}),
    "agents that may not reach their controller": (
        [AGENT, {"agent": {"server": "https://elsewhere:8443"}}],
        ["networkPolicy.agentEgress", "https://elsewhere:8443", "networkPolicy.enabled=false"],
        {"networkPolicy": {"agentEgress": [ELSEWHERE]}}),
    "agents that may not reach their package index": (
        [AGENT, {"agent": {"config": {"packages": {"pythonIndex": "https://pypi.example/simple"}}}}],
        ["networkPolicy.agentEgress", "agent.config.packages.pythonIndex"], {"networkPolicy": {"agentEgress": [ELSEWHERE]}}),
    "runs with a network that leads nowhere": (
        [AGENT, {"agent": {"config": {"ceilings": {"network": True}}}}],
        ["networkPolicy.agentEgress", "agent.config.ceilings.network"], {"networkPolicy": {"enabled": False}}),
    "a media provider that may not be reached": (
        [{"controller": {"config": {"media": {"providerUrl": "https://media.example"}}}}],
        ["networkPolicy.controllerEgress", "controller.config.media.providerUrl"],
        {"networkPolicy": {"controllerEgress": [ELSEWHERE]}}),
    "agents whose token the controller revokes": (
        [AGENT, {"controller": {"config": {"enrollToken": False}}}], ["controller.config.enrollToken", "agent.enabled=false"],
        {"agent": {"enabled": False}}),
    "code execution for everybody": (
        [CODE, {"codeExecution": {"allowFrom": []}}], ["codeExecution.allowFrom", "every peer", "[{podSelector: {}}]"],
        {"codeExecution": {"allowFrom": [{"podSelector": {}}]}}),
    "code execution for everybody, whatever others say": (
        [CODE, {"codeExecution": {"allowFrom": []}, "networkPolicy": {"others": True}}], ["codeExecution.allowFrom", "every peer"],
        {"codeExecution": {"allowFrom": [{"podSelector": {}}]}}),
    "policies of others beside none": (
        [{"networkPolicy": {"enabled": False, "others": True}}], ["networkPolicy.others", "networkPolicy.enabled=true"],
        {"networkPolicy": {"enabled": True}}),
    "a service that leads to no port": (
        [BEFORE, {"controller": {"service": {"targetPort": "back"}}}], ["controller.service.targetPort", "named back"],
        {"controller": {"service": {"targetPort": "front"}}}),
    "an agent's own folder": ([AGENT, {"agent": {"config": {"dataDir": "/x"}}}], ["agent.config.dataDir"],
                              {"agent": {"config": {"dataDir": None}}}),
    "metrics without a token": ([{"controller": {"serviceMonitor": {"enabled": True}}}],
                                ["controller.serviceMonitor.tokenSecret.name"],
                                {"controller": {"serviceMonitor": {"tokenSecret": {"name": "metrics"}}}, "agent": {"caSecret": {"name": "ca"}}}),
    "metrics of a server that Prometheus does not trust": ([MONITORED], ["agent.caSecret.name", "Prometheus"],
                                                           {"agent": {"caSecret": {"name": "ca"}}}),
    "metrics that nobody may reach": (
        [MONITORED, {"agent": {"caSecret": {"name": "ca"}}, "networkPolicy": {"allowFrom": []}}],
        ["networkPolicy.allowFrom", "Prometheus"], {"networkPolicy": {"allowFrom": [{"namespaceSelector": {}}]}}),
    "metrics without a service": (
        [ALONE, MONITORED, {"agent": {"caSecret": {"name": "ca"}}}], ["controller.serviceMonitor.enabled", "controller.service.enabled=true"],
        {"tls": {"enabled": True}, "controller": {"service": {"enabled": True}}}),
    "a digest of no image": ([{"controller": {"image": {"digest": "sha256:" + "0" * 64}}}],
                             ["controller.image.digest", "controller.image.repository"],
                             {"controller": {"image": {"repository": "paddock-controller"}}}),
    "code execution with all rights": ([CODE, {"codeExecution": {"privileged": True}}], ["codeExecution.privileged"],
                                       {"codeExecution": {"privileged": False}}),
    # By the schema.
    "an agent with all rights": ([AGENT, {"agent": {"privileged": True}}], ["/agent", "privileged"], None),
    "a name that does not exist": ([{"controller": {"replica": 1}}], ["/controller", "replica"], None),
    "a peer that is nobody": ([{"networkPolicy": {"allowFrom": [{}]}}], ["/networkPolicy/allowFrom"], None),
    "a port that does not exist": ([{"controller": {"service": {"port": 70000}}}], ["/controller/service/port"], None),
    "a capability that nothing needs": ([{"codeExecution": {"capabilities": ["SYS_MODULE"]}}], ["/codeExecution/capabilities"], None),
    "more memory than the service takes": ([{"codeExecution": {"maxMemoryMb": 1024}}], ["/codeExecution/maxMemoryMb"], None),
    "a folder that is the node's root": ([{"agent": {"dataDir": "/"}}], ["/agent/dataDir"], None),
    "a word for a number": ([{"controller": {"replicas": "one"}}], ["/controller/replicas"], None),
}


def keys_of(values, before=()):
    """The path of every key, and its default."""
    for key, value in values.items():
        yield (*before, key), value
        if isinstance(value, dict):
            yield from keys_of(value, (*before, key))


def at(path, value):
    return {path[0]: at(path[1:], value) if path[1:] else value}


def without_nulls(values):
    """Helm drops a key whose value is null: here they are gone before."""
    return {key: without_nulls(value) if isinstance(value, dict) else value for key, value in values.items() if value is not None}


@unittest.skipUnless(chart.tool("helm")[0], f"no Helm: {chart.tool('helm')[1]}")
class Charts(unittest.TestCase):
    def test_helm_finds_nothing_to_say(self):
        done = subprocess.run([chart.tool("helm")[0], "lint", "--strict", chart.FOLDER], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)

    # proves: ELV-89
    def test_every_object_is_what_kubernetes_knows(self):
        folder, why_not = chart.tool("types")
        if not folder or not shutil.which("node"):
            self.skipTest(why_not or "no node")
        objects = [each for values in VARIANTS.values() for each in render(*values)]
        self.assertEqual(chart.type_faults(objects), "")
        broken = of_kind(render(), "StatefulSet")
        broken["spec"]["template"]["spec"]["containers"][0]["imagePullPolice"] = "Always"
        self.assertIn("imagePullPolice", chart.type_faults([broken]), "the check can fail")

    def test_names_and_selectors_fit_together(self):
        for title, values in VARIANTS.items():
            with self.subTest(title):
                objects = render(*values)
                names = [(each["kind"], each["metadata"]["name"]) for each in objects]
                self.assertEqual(len(names), len(set(names)))
                labels = [each["spec"]["template"]["metadata"]["labels"] for each in objects if "template" in each.get("spec", {})]
                for each in objects:
                    self.assertEqual(each["metadata"]["namespace"], chart.NAMESPACE)
                    if each["kind"] == "Service":
                        self.assertTrue(any(each["spec"]["selector"].items() <= mine.items() for mine in labels), each)
                    if each["kind"] == "NetworkPolicy":
                        wanted = each["spec"]["podSelector"]["matchLabels"]
                        self.assertTrue(any(wanted.items() <= mine.items() for mine in labels), each)
                for name, pod in pods(objects):
                    self.check_volumes(name, pod, objects)

    def check_volumes(self, name, pod, objects):
        claims = {claim["metadata"]["name"] for each in objects for claim in each.get("spec", {}).get("volumeClaimTemplates", [])}
        volumes = {volume["name"]: volume for volume in pod["volumes"]}
        mounted = {mount["name"] for each in containers(pod) for mount in each.get("volumeMounts", [])}
        self.assertEqual(mounted, (set(volumes) | claims) if name == "paddock" else set(volumes), name)
        for volume in volumes.values():
            if "configMap" in volume:
                data = of_kind(objects, "ConfigMap", volume["configMap"]["name"])["data"]
                for item in volume["configMap"].get("items", []):
                    self.assertIn(item["key"], data)

    def test_values_that_make_no_sense_are_refused_by_name_and_the_fix_fixes_them(self):
        for title, (values, words, fix) in REFUSED.items():
            with self.subTest(title):
                done = chart.template(*values)
                self.assertNotEqual(done.returncode, 0, done.stdout)
                for word in words:
                    self.assertIn(word, done.stderr)
                if fix is not None:
                    render(without_nulls(chart.merged(*values, fix)))

    def test_what_policies_of_others_allow_is_not_refused_and_changes_none_of_ours(self):
        others = {"networkPolicy": {"others": True}}
        opened = [title for title, (_, words, _) in REFUSED.items() if words[0].startswith("networkPolicy.") and "others" not in title]
        self.assertEqual(len(opened), 5, opened)
        for title in opened:
            with self.subTest(title):
                values, words, _ = REFUSED[title]
                self.assertIn("networkPolicy.others=true", chart.template(*values).stderr)
                render(*values, others)
        self.assertEqual(render(AGENT, CODE), render(AGENT, CODE, others))

    def test_what_the_chart_decides_is_not_decided_twice(self):
        for key in ("plainHttpOnLoopback", "tls", "host", "port", "dataDir", "unixSocket", "allowedHosts", "profilesDir", "execute"):
            self.assertIn(f"controller.config.{key}: ", chart.template({"controller": {"config": {key: "x"}}}).stderr)
        for key in ("server", "caFile", "enrollTokenFile", "dataDir", "name", "sandboxProgram"):
            self.assertIn(f"agent.config.{key}: ", chart.template(AGENT, {"agent": {"config": {key: "x"}}}).stderr)

    def test_a_key_that_is_null_is_an_empty_one_or_refused_by_name(self):
        everything = [AGENT, CODE, MONITORED]
        values = chart.merged(yaml.safe_load((chart.FOLDER / "values.yaml").read_text()), *everything)
        made_of = lambda text: re.sub("paddock.dev/configuration: .*", "", text)  # noqa: E731 (a digest of the values themselves)
        as_it_is = made_of(chart.template(*everything).stdout)
        refused = []
        for path, default in keys_of(values):
            with self.subTest(".".join(path)):
                done = chart.template(*everything, at(path, None))
                if done.returncode == 0:
                    if not default:
                        self.assertEqual(made_of(done.stdout), as_it_is)
                    continue
                refused.append(".".join(path))
                by_name = (f"at '/{'/'.join(path[:-1])}': missing property '{path[-1]}'" if path[1:] else
                           f"at '': missing property '{path[0]}'")
                self.assertTrue(by_name in done.stderr or f"{'.'.join(path)}: " in done.stderr, done.stderr)
        for protects in ("tls.enabled", "networkPolicy.enabled", "networkPolicy.allowFrom", "agent.userNamespaces", "codeExecution.allowFrom"):
            self.assertIn(protects, refused)
        self.assertNotIn("controller.allowedOrigins", refused)

    def test_pages_of_other_origins_are_named(self):
        origins = ["https://app.example", "http://localhost:5173"]
        config = lambda *values: yaml.safe_load(of_kind(render(*values), "ConfigMap", "paddock-controller")["data"]["controller.yaml"])  # noqa: E731
        self.assertEqual(config({"controller": {"allowedOrigins": origins}})["allowedOrigins"], origins)
        self.assertEqual(config({"controller": {"config": {"allowedOrigins": origins}}})["allowedOrigins"], origins)
        self.assertNotIn("allowedOrigins", config({"controller": {"allowedOrigins": None}}))
        both = chart.template({"controller": {"allowedOrigins": origins, "config": {"allowedOrigins": []}}})
        self.assertIn("controller.config.allowedOrigins: ", both.stderr)
        for none in ("*", "null", "app.example", "https://app.example/", "https://user@app.example", "file:///x"):
            self.assertIn("allowedOrigins", chart.template({"controller": {"allowedOrigins": [none]}}).stderr, none)

    def test_each_part_has_the_image_of_all_or_its_own(self):
        digest = "sha256:" + "1" * 64
        own = {"image": {"repository": "r/all", "tag": "t"}, "controller": {"image": {"repository": "r/controller", "digest": digest}},
               "agent": {"image": {"repository": "r/agent"}}}
        images = lambda *values: {name: {each["image"] for each in containers(pod)} for name, pod in pods(render(AGENT, CODE, *values))}  # noqa: E731
        version = yaml.safe_load((chart.FOLDER / "Chart.yaml").read_text())["appVersion"]
        self.assertEqual(images(own), {"paddock": {f"r/controller@{digest}"}, "paddock-agent": {f"r/agent:{version}"},
                                       "paddock-code-execution": {"r/all:t"}})
        self.assertEqual(set.union(*images({"image": {"repository": "r/all"}}).values()), {f"r/all:{version}"})

    def test_one_writer_at_a_time(self):
        objects = render(CODE)
        self.assertEqual(of_kind(objects, "StatefulSet")["spec"]["replicas"], 1)
        deployment = of_kind(objects, "Deployment")["spec"]
        self.assertEqual((deployment["replicas"], deployment["strategy"]["type"]), (1, "Recreate"))

    def test_no_container_has_more_rights_than_are_listed(self):
        for title, values in VARIANTS.items():
            for name, pod in pods(render(*values)):
                with self.subTest(f"{title}: {name}"):
                    self.assertFalse(pod["automountServiceAccountToken"])
                    for host in ("hostNetwork", "hostPID", "hostIPC"):
                        self.assertNotIn(host, pod)
                    for each in containers(pod):
                        if each["name"] != "front":
                            self.check_rights(each, pod, title)

    def check_rights(self, container, pod, title):
        rights = container["securityContext"]
        self.assertIn("requests", container["resources"])
        self.assertFalse(rights.get("privileged"))
        self.assertNotIn("procMount", rights)
        self.assertFalse(rights["allowPrivilegeEscalation"])
        self.assertTrue(rights["readOnlyRootFilesystem"])
        if container["name"] == "controller":
            self.assertTrue(rights["runAsNonRoot"])
            self.assertEqual(rights["capabilities"], {"drop": ["ALL"]})
            self.assertEqual(rights["seccompProfile"], {"type": "RuntimeDefault"})
        else:
            self.assertIs(pod["hostUsers"], title == "without user namespaces", "root of the node only if it was asked for")

    def test_the_agent_has_the_capabilities_of_its_unit_and_no_other(self):
        packaged = re.search(r'PADDOCK_AGENT_CAPABILITIES\s+"([^"]+)"', (SOURCE / "cmake/Packages.cmake").read_text()).group(1)
        agent = of_kind(render(AGENT), "DaemonSet")["spec"]["template"]["spec"]["containers"][0]["securityContext"]
        self.assertEqual(agent["capabilities"]["drop"], ["ALL"])
        self.assertEqual({f"CAP_{each}" for each in agent["capabilities"]["add"]}, set(packaged.split()))

    # proves: ELV-89, ELV-90
    # proves partly: ELV-76
    def test_code_execution_is_what_its_design_says(self):
        self.assertEqual([each for each in render() if "code-execution" in each["metadata"]["name"]], [], "off by default")
        objects = render(CODE)
        name = "paddock-code-execution"
        service = of_kind(objects, "Service", name)["spec"]
        self.assertEqual((service["type"], service["ports"][0]["name"], service["ports"][0]["port"]), ("ClusterIP", "http", 8007))
        pod = of_kind(objects, "Deployment", name)["spec"]["template"]["spec"]
        code, controller = pod["containers"][0], pod["initContainers"][0]
        self.assertIs(code["securityContext"]["privileged"], False)
        self.assertEqual(code["securityContext"]["capabilities"], {"add": ["SYS_ADMIN", "SYS_PTRACE", "NET_ADMIN"]})
        self.assertEqual(code["resources"], {"requests": {"cpu": "500m", "memory": "512Mi"}, "limits": {"cpu": "1000m", "memory": "1Gi"}})
        self.assertEqual(controller["ports"], [{"name": "http", "containerPort": 8007}])
        live, ready = controller["livenessProbe"], controller["readinessProbe"]
        self.assertEqual((live["initialDelaySeconds"], live["periodSeconds"]), (10, 10))
        self.assertEqual((ready["initialDelaySeconds"], ready["periodSeconds"], ready["httpGet"]["path"]), (5, 5, "/health"))
        execute = yaml.safe_load(of_kind(objects, "ConfigMap", name)["data"]["controller.yaml"])["execute"]
        self.assertEqual((execute["defaultTimeoutSeconds"], execute["maxMemoryMb"]), (30, 256))

    def test_the_manifests_are_what_the_chart_makes(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([SOURCE / "scripts/manifests", folder], check=True)
            made = {path.name: path.read_text() for path in pathlib.Path(folder).iterdir()}
        self.assertEqual(len(made), 4)
        for name, text in made.items():
            self.assertEqual((SOURCE / "manifests" / name).read_text(), text, f"{name} is stale: scripts/manifests")


@unittest.skipUnless(chart.tool("helm")[0], f"no Helm: {chart.tool('helm')[1]}")
class Configuration(unittest.TestCase):
    """The configuration that the chart writes, read by the programs that it is for."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="paddock-chart-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, objects, config_map, key):
        path = self.folder / key
        path.write_text(of_kind(objects, "ConfigMap", config_map)["data"][key])
        return path

    def start(self, path, **variables):
        env = {"PATH": os.environ["PATH"], "PADDOCK_CONTROLLER_DATA_DIR": str(self.folder / "data"), **variables}
        log = open(self.folder / "log", "w")
        process = subprocess.Popen([BIN / "paddock-controller", "--config", path], env=env, stdout=log, stderr=log)
        self.addCleanup(log.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        def said():
            self.assertIsNone(process.poll(), (self.folder / "log").read_text())
            return (self.folder / "data/controller.json").exists()
        wait_until("the controller to listen", said)
        return json.loads(find_file(self.folder, "controller.json").read_text())["port"]

    def get(self, port, name, path, host="127.0.0.1"):
        """Status of GET https://NAME/PATH, whose certificate has to be for that name."""
        tls = ssl.create_default_context(cafile=str(find_file(self.folder, "tls/ca.pem")))
        with socket.create_connection((host, port), timeout=60) as plain, tls.wrap_socket(plain, server_hostname=name) as secure:
            secure.sendall(f"GET {path} HTTP/1.1\r\nHost: {name}:{port}\r\nConnection: close\r\n\r\n".encode())
            return int(secure.makefile("rb").readline().split()[1])

    def test_the_controller_serves_its_service_over_tls(self):
        path = self.write(render(), "paddock-controller", "controller.yaml")
        port = self.start(path, PADDOCK_CONTROLLER_PORT="0")
        for name in ("paddock", f"paddock.{chart.NAMESPACE}.svc", f"paddock.{chart.NAMESPACE}.svc.cluster.local"):
            self.assertEqual(self.get(port, name, "/readyz"), 200)

    def test_without_a_service_it_is_on_loopback_alone(self):
        path = self.write(render(ALONE), "paddock-controller", "controller.yaml")
        port = self.start(path, PADDOCK_CONTROLLER_PORT="0")
        done = subprocess.run(["curl", "--noproxy", "*", "-fsS", f"http://127.0.0.1:{port}/livez"], text=True, stdout=subprocess.PIPE)
        self.assertEqual(done.stdout, "ok\n")

    def test_code_execution_answers_its_probes(self):
        path = self.write(render(CODE), "paddock-code-execution", "controller.yaml")
        port = self.enterContext(held_port())
        self.start(path, PADDOCK_CONTROLLER_PORT="0", PADDOCK_CONTROLLER_EXECUTE_PORT=str(port))
        name = f"paddock-code-execution.{chart.NAMESPACE}.svc"
        self.assertEqual(self.get(port, name, "/livez"), 200)
        self.assertEqual(self.get(port, name, "/health"), 503, "no agent takes code yet")

    def test_profiles_are_read_and_a_bad_one_ends_the_start(self):
        shipped = yaml.safe_load((SOURCE / "packaging/profiles/compute.yaml").read_text())
        for changed, reason in (({}, ""), ({"policy": {"limits": {"memory": "-1"}}}, "PROFILE_INVALID")):
            objects = render({"controller": {"profiles": {"mine": chart.merged(shipped, changed)}}})
            data = of_kind(objects, "ConfigMap", "paddock-controller")["data"]
            (self.folder / "profiles").mkdir(exist_ok=True)
            (self.folder / "profiles/mine.yaml").write_text(data["mine.profile.yaml"])
            config = self.write(objects, "paddock-controller", "controller.yaml")
            self.assertIn("profilesDir: /etc/paddock/profiles\n", config.read_text())
            variables = {"PADDOCK_CONTROLLER_PORT": "0", "PADDOCK_CONTROLLER_PROFILES_DIR": str(self.folder / "profiles")}
            if not reason:
                self.start(config, **variables)
                continue
            done = subprocess.run([BIN / "paddock-controller", "--config", config], text=True, stderr=subprocess.PIPE, timeout=60,
                                  env={**variables, "PADDOCK_CONTROLLER_DATA_DIR": str(self.folder / "other")})
            self.assertIn(reason, done.stderr)

    def test_the_agents_configuration_is_read(self):
        for objects, name in ((render(AGENT), "paddock-agent"), (render(CODE), "paddock-code-execution")):
            path = self.write(objects, name, "node-agent.yaml")
            done = subprocess.run([BIN / "paddock-node-agent", "--config", path, "--data-dir", self.folder / "agent"], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                                  env={"PATH": os.environ["PATH"], "PADDOCK_NODE_AGENT_NAME": "a-node"})
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertNotIn("CONFIG_INVALID", done.stderr)
            self.assertNotIn("USAGE", done.stderr)


if __name__ == "__main__":
    main()
