"""Values of the Helm chart that make no sense: each is refused by name, and what the refusal says fixes it."""
import functools
import json
import operator
import re
import unittest

import chart
import yaml
from chart import AGENT, ALONE, BEFORE, CODE, ELSEWHERE, MONITORED, SEVERAL, render
from harness import main

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
    "two writers of one file": ([{"controller": {"replicas": 2}}], ["controller.postgres.urlSecret.name", "set controller.replicas=1"],
                                {"controller": {"replicas": 1}}),
    "two controllers with files of their own": (
        [SEVERAL, {"controller": {"bucket": {"credentialsSecret": {"name": ""}}}}],
        ["controller.bucket.credentialsSecret.name", "controller.config.blobs.s3"], SEVERAL),
    "two controllers with credentials of no bucket": (
        [SEVERAL, {"controller": {"config": {"blobs": {"s3": None}}}}], ["controller.bucket.credentialsSecret.name"], SEVERAL),
    "two controllers with tokens of their own": (
        [SEVERAL, {"controller": {"sharedFilesSecret": ""}}], ["controller.sharedFilesSecret", "--make-shared-files"], SEVERAL),
    "two controllers behind one that terminates TLS": (
        [SEVERAL, BEFORE], ["tls.enabled", "controller.replicas=1"], {"controller": {"replicas": 1, "sharedFilesSecret": ""}}),
    "credentials of no bucket": ([{"controller": {"bucket": {"credentialsSecret": {"name": "keys"}}}}],
                                 ["controller.bucket.credentialsSecret.name"], {"controller": {"bucket": {"credentialsSecret": {"name": ""}}}}),
    "files that nobody shares": ([{"controller": {"sharedFilesSecret": "shared"}}], ["controller.sharedFilesSecret", "controller.postgres"],
                                 {"controller": {"sharedFilesSecret": ""}}),
    "a database that may not be reached": (
        [SEVERAL, {"networkPolicy": {"controllerEgress": []}}],
        ["networkPolicy.controllerEgress", "controller.bucket.credentialsSecret"], {"networkPolicy": {"controllerEgress": [ELSEWHERE]}}),
    "a database by the controller's own words": (
        [{"controller": {"config": {"store": {"postgres": {"urlFile": "/x"}}}}}], ["controller.config.store.postgres.urlFile", "urlSecret"],
        {"controller": {"config": {"store": None}}}),
    "credentials by the controller's own words": (
        [SEVERAL, {"controller": {"config": {"blobs": {"s3": {"credentialsFile": "/x"}}}}}],
        ["controller.config.blobs.s3.credentialsFile"], {"controller": {"config": {"blobs": {"s3": {"credentialsFile": None}}}}}),
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
    "a rule that leads everywhere": ([{"networkPolicy": {"agentEgress": [{"ports": [{"port": 443}]}]}}],
                                     ["/networkPolicy/agentEgress/0", "to"], None),
    "a peer by a word that Kubernetes does not know": (
        [{"networkPolicy": {"allowFrom": [{"podSelectors": {"matchLabels": {"a": "b"}}}]}}], ["/networkPolicy/allowFrom/0", "podSelectors"], None),
    "a port that does not exist": ([{"controller": {"service": {"port": 70000}}}], ["/controller/service/port"], None),
    "a capability that nothing needs": ([{"codeExecution": {"capabilities": ["SYS_MODULE"]}}], ["/codeExecution/capabilities"], None),
    "more memory than the service takes": ([{"codeExecution": {"maxMemoryMb": 1024}}], ["/codeExecution/maxMemoryMb"], None),
    "a folder that is the node's root": ([{"agent": {"dataDir": "/"}}], ["/agent/dataDir"], None),
    "a word for a number": ([{"controller": {"replicas": "one"}}], ["/controller/replicas"], None),
}


# What a null may take away beside empty values: nothing of it protects.
MAY_DIFFER = ("agent.nodeSelector", "agent.tolerations", "agent.runtimeClassName",  # which nodes, without GPUs
              "controller.dashboard.labels",
              # turned on by the test itself
              "controller.serviceMonitor.enabled", "controller.prometheusRule.enabled", "controller.dashboard.enabled",
              "agent.enabled", "codeExecution.enabled")

# An element, or two, of each list of the chart's values, with everything that one can have.
SELECTOR = {"matchLabels": {"team": "a"}, "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["a"]}]}
PEERS = [{"podSelector": SELECTOR, "namespaceSelector": SELECTOR}, {"ipBlock": {"cidr": "192.0.2.0/24", "except": ["192.0.2.1/32"]}}]
EGRESS = [{"to": PEERS, "ports": [{"port": 443, "endPort": 444, "protocol": "TCP"}]}]
TOLERATIONS = [{"key": "gpu", "operator": "Exists"}]
AFFINITY = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
    {"matchExpressions": [{"key": "zone", "values": ["a"]}]}]}}}
CLAIMS = {"claims": [{"name": "gpu"}]}
LISTS = [AGENT, CODE, {
    "imagePullSecrets": [{"name": "registry"}],
    "controller": {"allowedHosts": ["paddock.example"], "allowedOrigins": ["https://app.example"], "tolerations": TOLERATIONS,
                   "resources": CLAIMS,
                   "extraContainers": [{**chart.SIDECAR, "command": ["front"], "securityContext": {"capabilities": {"drop": ["ALL"]}}}],
                   "config": {"ceilings": {"hostMounts": ["/data"]}, "artifacts": {"computeTypes": [".pt"]}}},
    "networkPolicy": {"allowFrom": PEERS, "controllerEgress": EGRESS, "agentEgress": EGRESS},
    "agent": {"tolerations": TOLERATIONS, "affinity": AFFINITY, "resources": CLAIMS},
    "codeExecution": {"allowFrom": PEERS, "capabilities": ["SYS_ADMIN"], "tolerations": TOLERATIONS, "resources": CLAIMS}}]
# Of these an empty one says less than none, or all: it is refused as null is.
NEVER_EMPTY = ("to", "ports", "matchLabels", "matchExpressions", "except", "ipBlock")


def steps_of(values, before=()):
    """The path of everything in these values: keys, and indexes of lists."""
    for step, value in values.items() if isinstance(values, dict) else enumerate(values):
        yield (*before, step)
        if isinstance(value, (dict, list)):
            yield from steps_of(value, (*before, step))


def replaced(values, path, value):
    """A copy with something else in that place."""
    out = json.loads(json.dumps(values))
    functools.reduce(operator.getitem, path[:-1], out)[path[-1]] = value
    return out


def found_at(values, path):
    return functools.reduce(operator.getitem, path, values)


def lists_of(schema, before=()):
    """The path of each list that the schema of the values has, outside of other lists."""
    for key, child in schema.get("properties", {}).items():
        yield from [(*before, key)] if child.get("type") == "array" else lists_of(child, (*before, key))


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
class Refusals(unittest.TestCase):
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
        self.assertEqual(len(opened), 6, opened)
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
                    if not ".".join(path).startswith(MAY_DIFFER):
                        self.assertEqual(made_of(done.stdout), as_it_is)
                    continue
                refused.append(".".join(path))
                by_name = (f"at '/{'/'.join(path[:-1])}': missing property '{path[-1]}'" if path[1:] else
                           f"at '': missing property '{path[0]}'")
                inside = re.search(re.escape(".".join(path)) + r"[.\w]*: ", done.stderr)  # the key, or one that it holds
                self.assertTrue(by_name in done.stderr or inside, done.stderr)
        for protects in ("tls.enabled", "networkPolicy.enabled", "networkPolicy.allowFrom", "agent.userNamespaces", "codeExecution.allowFrom",
                         "controller.config.blobs.quota", "controller.resources.limits.memory", "codeExecution.resources.limits.memory",
                         *(f"{part}.resources.requests{key}" for part in ("controller", "agent", "codeExecution") for key in ("", ".cpu", ".memory"))):
            self.assertIn(protects, refused)
        self.assertNotIn("controller.allowedOrigins", refused)

    def assert_refused_at(self, values, path):
        """By the schema, or by the chart's own check."""
        done = chart.template(values)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        own = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)[1:]
        by_schema = "/".join(["", *(str(step).replace("/", "~1") for step in path)])
        self.assertTrue(f"{own}: " in done.stderr or f"at '{by_schema}'" in done.stderr, done.stderr)

    def test_a_null_anywhere_in_a_list_is_refused_by_name(self):
        values = chart.merged(*LISTS)
        render(values)
        for path in lists_of(json.loads((chart.FOLDER / "values.schema.json").read_text())):
            self.assertTrue(found_at(values, path), path)  # a new list needs an example above
        for path in [path for path in steps_of(values) if any(isinstance(step, int) for step in path)]:
            with self.subTest(path):
                self.assert_refused_at(replaced(values, path, None), path)
            if path[-1] in NEVER_EMPTY and "affinity" not in path and "extraContainers" not in path:
                with self.subTest(path, value="empty"):
                    self.assert_refused_at(replaced(values, path, type(found_at(values, path))()), path)

    def test_a_null_beside_the_defaults_is_refused_by_name_where_something_protects(self):
        for path in (("agent", "config", "ceilings"), ("agent", "config", "ceilings", "limits", "memory"),
                     ("controller", "config", "ceilings", "limits"), ("controller", "profiles", "strict", "limits", "memory"),
                     ("agent", "resources", "limits"), ("agent", "resources", "limits", "memory"),
                     ("codeExecution", "affinity", "nodeAffinity")):
            with self.subTest(path):
                self.assert_refused_at(chart.merged(AGENT, CODE, at(path, None)), path)
        # What no ceiling is counts as not given, as it does in the programs' own files.
        render(AGENT, {"agent": {"config": {"maxRuns": None, "packages": None}}})

    def test_an_agent_without_a_runtime_class_asks_for_no_gpu_however_that_is_said(self):
        for none in (None, ""):
            made = chart.template(AGENT, {"agent": {"runtimeClassName": none}}).stdout
            self.assertNotIn("runtimeClassName:", made)
            self.assertIn("{name: NVIDIA_VISIBLE_DEVICES, value: void}", made)

    def test_no_secret_for_the_ca_is_the_certificates_own_however_that_is_said(self):
        tls = {"tls": {"secretName": "own"}}
        made = [chart.template(AGENT, MONITORED, tls, {"agent": {"caSecret": {"name": none, "key": "other"}}}).stdout for none in ("", None)]
        self.assertIn("secretName: \"own\"", made[0])
        self.assertEqual(*made)


if __name__ == "__main__":
    main()
