"""A run with a network by names: what the operator of each side allows, and what the result tells."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from harness import BIN, PATIENCE_S, Instance, main, make_project, wait_until
from outside import FETCH, NameServer, serve_pages


class Network(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.address = address = f"127.77.200.{1 + os.getpid() % 250}"
        names = NameServer(address)
        names.start()
        cls.port = serve_pages(cls, address)
        cls.settings = {"PADDOCK_CONTROLLER_CEILINGS_NETWORK": "true",
                        "PADDOCK_NODE_AGENT_NETWORK_RESOLVERS": json.dumps(names.places),
                        "PADDOCK_NODE_AGENT_NETWORK_ALLOW_RANGES": '["127.77.0.0/16"]'}

    def instance(self, **settings):
        instance = Instance()
        instance.env.update(self.settings, **settings)
        self.enterContext(instance)
        return instance

    def run_with_network(self, instance, *urls):
        """Posts a run of FETCH whose policy names web.test; returns the answer's status and body."""
        with tempfile.TemporaryDirectory(prefix="paddock-project-") as folder:
            make_project(pathlib.Path(folder), job__py=FETCH)
            instance.run("compute", folder, "python3 job.py", "--name", "upload")
        spec = {"type": "compute", "command": ["python3", "job.py", *urls],
                "workspace": instance.run_object("upload")["spec"]["workspace"],
                "sandbox": {"network": {"enabled": True, "allowDomains": [f"web.test:{self.port}"]}}}
        return instance.post_run("networked", spec)

    # proves: WSM-23, WSM-54
    def test_a_run_reaches_the_names_of_its_policy_and_nothing_else(self):
        instance = self.instance(PADDOCK_NODE_AGENT_CEILINGS_NETWORK="true")
        web = f"http://web.test:{self.port}"
        status, created = self.run_with_network(instance, web, web + "/elsewhere", f"http://other.test:{self.port}",
                                                f"http://192.0.2.1:{self.port}")
        self.assertEqual(status, 201, created)
        run = instance.wait_phase("networked", "Succeeded", "Failed")
        self.assertEqual(run["status"]["policy"]["network"],
                         {"enabled": True, "allowDomains": [f"web.test:{self.port}"]})
        result = run["status"]["result"]
        self.assertEqual(result["stdout"].split("\n")[0], "from outside", result)
        self.assertEqual(result["stdout"].count("refused"), 3, result["stdout"])
        flow, = result["usage"]["network"]
        self.assertEqual((flow["name"], flow["port"], flow["connections"]), ("web.test", self.port, 2))
        denied = [(d["what"], d["target"]) for d in result["denials"]]
        for attempt in (("name lookup", "hidden.test"), ("name lookup", "other.test"),
                        ("network connect", f"192.0.2.1:{self.port}")):
            self.assertIn(attempt, denied)
        self.assertEqual((result["enforced"]["network"]["level"], result["enforced"]["network"]["applied"]),
                         ("broker", True))

    # proves: WSM-23
    def test_an_allowed_name_that_the_node_does_not_reach_is_told_as_that(self):
        names = NameServer(f"127.77.201.{1 + os.getpid() % 250}", known={})
        names.start()
        instance = self.instance(PADDOCK_NODE_AGENT_CEILINGS_NETWORK="true",
                                 PADDOCK_NODE_AGENT_NETWORK_RESOLVERS=json.dumps(names.places))
        done = instance.run("run", "--allow-domain", "gone.test", "--name", "unreached", "--", "python3", "-c",
                            "import socket; socket.getaddrinfo('gone.test', 443)", check=False)
        self.assertIn("not reached: gone.test: ", done.stderr)
        flows = instance.run_object("unreached")["status"]["result"]["usage"]["network"]
        self.assertEqual([(each["name"], each["reason"]) for each in flows], [("gone.test", "NAME_UNKNOWN")])
        self.assertNotIn("denied:", done.stderr)
        self.assertNotEqual(done.returncode, 0)

    @unittest.skipUnless(shutil.which("unshare") and os.geteuid() == 0, "only root gives an instance a hosts file of its own")
    def test_a_name_of_the_nodes_hosts_file_is_reached_and_no_other_of_it(self):
        hosts = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()), "hosts")
        hosts.write_text(f"127.0.0.1 localhost\n{self.address} Mirror.test # ours\n{self.address} other.test\n192.168.77.1 inner.test\n")
        names = NameServer(f"127.77.202.{1 + os.getpid() % 250}", known={})
        names.start()
        instance = Instance()
        instance.env.update(self.settings, PADDOCK_NODE_AGENT_CEILINGS_NETWORK="true", PADDOCK_NODE_AGENT_NETWORK_RESOLVERS=json.dumps(names.places))
        instance.up = lambda: subprocess.run(["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"', hosts, BIN / "paddock",
                                              "up"], env=instance.env, check=True, timeout=PATIENCE_S, stdin=subprocess.DEVNULL)
        self.enterContext(instance)
        done = instance.run("run", "--allow-domain", f"mirror.test:{self.port}", "--allow-domain", "inner.test", "--", "python3", "-c", FETCH,
                            f"http://mirror.test:{self.port}", f"http://other.test:{self.port}", "http://inner.test", check=False)
        self.assertEqual(done.stdout.split("\n")[0], "from outside", done.stdout + done.stderr)
        self.assertEqual(done.stdout.count("refused"), 2, done.stdout)
        self.assertIn("inner.test:80 at 192.168.77.1", done.stderr)

    def test_a_node_whose_operator_says_nothing_has_no_network(self):
        instance = self.instance()
        status, created = self.run_with_network(instance, "http://web.test")
        self.assertEqual(status, 201, created)
        wait_until("the scheduler to say why", lambda: "ceilings" in
                   instance.run_object("networked")["status"].get("message", ""))
        self.assertIsNone(instance.run_object("networked")["status"].get("result"))

    # proves: WSM-22
    def test_a_controller_whose_operator_says_nothing_refuses_it_at_once(self):
        instance = self.instance(PADDOCK_CONTROLLER_CEILINGS_NETWORK="false",
                                 PADDOCK_NODE_AGENT_CEILINGS_NETWORK="true")
        status, answer = self.run_with_network(instance, "http://web.test")
        self.assertEqual((status, answer["error"]["code"]), (400, "NETWORK_NOT_ALLOWED"), answer)

    def test_what_variables_allow_is_told_as_long_as_the_programs_run(self):
        instance = self.instance(PADDOCK_NODE_AGENT_CEILINGS_NETWORK="true")
        self.assertIs(json.loads(instance.run("status", "-o", "json").stdout)["network"], True)
        by_variables = "runs may ask for hosts (--allow-domain) by PADDOCK_CONTROLLER_CEILINGS_NETWORK"
        for variable in ("PADDOCK_CONTROLLER_CEILINGS_NETWORK", "PADDOCK_NODE_AGENT_CEILINGS_NETWORK"):
            instance.env.pop(variable)  # those of the programs count, and not those of who asks
        self.assertIn(by_variables, instance.run("status").stdout)
        self.assertIn(by_variables, instance.run("up").stderr)
        instance.run("down")
        self.assertIn("network: none", instance.run("up").stderr)
        self.assertIs(json.loads(instance.run("status", "-o", "json").stdout)["network"], False)

    def test_an_instance_of_ones_own_is_told_and_remembers_it(self):
        instance = self.instance(PADDOCK_CONTROLLER_CEILINGS_NETWORK="false")
        asks = ("run", "--allow-domain", f"web.test:{self.port}", "--", "python3", "-c", FETCH, f"http://web.test:{self.port}")
        self.assertIs(json.loads(instance.run("status", "-o", "json").stdout)["network"], False)
        refused = instance.run(*asks, check=False)
        self.assertIn("NETWORK_NOT_ALLOWED", refused.stderr)
        self.assertIn("`paddock up --network` allows it", refused.stderr)
        both = instance.run("up", "--network", "--no-network", check=False)
        self.assertEqual(both.returncode, 2, both.stderr)
        instance.run("run", "--name", "waits", "--detach", "--", "sleep", "600")
        instance.wait_phase("waits", "Running")

        self.assertIn("runs may ask for hosts", instance.run("up", "--network").stderr)
        self.assertEqual(json.loads(instance.run("status", "-o", "json").stdout)["network"], True)
        self.assertIn("from outside", instance.run(*asks).stdout)
        self.assertEqual(instance.run_object("waits")["status"]["phase"], "Running")
        unasked = instance.run("run", "--", "python3", "-c", FETCH, f"http://web.test:{self.port}", check=False)
        self.assertNotIn("from outside", unasked.stdout)
        self.assertIn("was up already", instance.run("up", "--network").stderr)

        instance.run("down")
        instance.run("up")
        self.assertIn("from outside", instance.run(*asks).stdout)
        instance.run("up", "--no-network")
        self.assertIn("NETWORK_NOT_ALLOWED", instance.run(*asks, check=False).stderr)


if __name__ == "__main__":
    main()
