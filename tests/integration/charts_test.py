"""The Helm chart: rendered by Helm, its objects held to Kubernetes' own types, its configuration read by the programs."""
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
from chart import AGENT, ALONE, BEFORE, CODE, MONITORED, SEVERAL, containers, of_kind, pods, render
from harness import BIN, SOURCE, find_file, held_port, main, wait_until

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
    "three controllers": [AGENT, MONITORED, SEVERAL],
    "three controllers with a certificate of one's own": [AGENT, SEVERAL, {"tls": {"secretName": "tls"}}],
    "one controller with a database": [SEVERAL, {"controller": {"replicas": 1, "sharedFilesSecret": ""}}],
    "without network policies": [AGENT, CODE, {"networkPolicy": {"enabled": False}, "controller": {"persistence": {"enabled": False}}}],
}
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

    def test_of_several_controllers_the_service_leads_to_the_one_that_leads(self):
        objects = render(AGENT, MONITORED, SEVERAL)
        name = "paddock"
        pods_of = of_kind(objects, "StatefulSet")["spec"]
        self.assertEqual((pods_of["replicas"], pods_of["serviceName"]), (3, f"{name}-pods"))
        # Only the leader is ever ready: what waits for the others to be would wait for ever.
        self.assertEqual((pods_of["podManagementPolicy"], pods_of["updateStrategy"]), ("Parallel", {"type": "OnDelete"}))
        controller = pods_of["template"]["spec"]["containers"][0]
        self.assertEqual(controller["readinessProbe"]["httpGet"]["path"], "/readyz")
        self.assertEqual(controller["livenessProbe"]["httpGet"]["path"], "/livez", "standbys live")
        self.assertNotIn("publishNotReadyAddresses", of_kind(objects, "Service", name)["spec"])
        each = of_kind(objects, "Service", f"{name}-pods")
        self.assertEqual((each["spec"]["clusterIP"], each["spec"]["publishNotReadyAddresses"]), ("None", True))
        scraped = of_kind(objects, "ServiceMonitor")["spec"]["selector"]["matchLabels"]
        self.assertFalse(scraped.items() <= each["metadata"]["labels"].items(), "standbys have no metrics")
        budget = of_kind(objects, "PodDisruptionBudget")["spec"]
        self.assertEqual(budget["minAvailable"], 1)
        self.assertEqual(budget["selector"]["matchLabels"], pods_of["selector"]["matchLabels"])

        hosts = [f"{name}-{i}.{name}-pods.{chart.NAMESPACE}.svc" for i in range(3)]
        agent = yaml.safe_load(of_kind(objects, "ConfigMap", f"{name}-agent")["data"]["node-agent.yaml"])
        self.assertEqual(agent["server"], ",".join(f"https://{host}:8443" for host in hosts))
        config = yaml.safe_load(of_kind(objects, "ConfigMap", f"{name}-controller")["data"]["controller.yaml"])
        self.assertLessEqual(set(hosts), set(config["allowedHosts"]))
        advertised = {each["name"]: each.get("value") for each in controller["env"]}["PADDOCK_CONTROLLER_STORE_POSTGRES_ADVERTISED_URL"]
        self.assertEqual(advertised.replace("$(POD)", f"{name}-1"), f"https://{hosts[1]}:8443")
        self.assertEqual(config["blobs"]["s3"], {**chart.BUCKET, "credentialsFile": "/etc/paddock/bucket/credentials"})
        self.assertEqual(config["store"]["postgres"], {"urlFile": "/etc/paddock/store/url", "sharedDir": "/etc/paddock/shared"})
        mounted = {each["mountPath"] for each in controller["volumeMounts"]}
        self.assertLessEqual({"/etc/paddock/store", "/etc/paddock/bucket", "/etc/paddock/shared"}, mounted)

        alone = render(AGENT)
        self.assertEqual({"Service", "PodDisruptionBudget"} & {each["kind"] for each in alone}, {"Service"})
        of_kind(render(SEVERAL), "PodDisruptionBudget")
        kinds = {each["kind"] for each in render(SEVERAL, {"controller": {"disruptionBudget": {"enabled": False}}})}
        self.assertNotIn("PodDisruptionBudget", kinds)

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
