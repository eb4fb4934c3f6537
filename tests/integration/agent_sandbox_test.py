"""agents.x-k8s.io as a real kubectl uses it: Sandboxes that are sessions. Without kubectl the suite is skipped."""
import datetime
import json
import unittest

import kubectl_versions
from harness import Instance, main, wait_until
from session_client import SessionApi

PROGRAMS = kubectl_versions.programs()
GROUP = "agents.x-k8s.io"
IMAGE = "registry.example/agent:1"


def manifest(name, container=None, pod=None, **spec):
    """A Sandbox as the project writes it, with an image of the operator's table."""
    return {"apiVersion": f"{GROUP}/v1beta1", "kind": "Sandbox", "metadata": {"name": name, "labels": {"app": name}},
            "spec": {"podTemplate": {"metadata": {"labels": {"sandbox": name}},
                                     "spec": {"containers": [{"name": "agent", "image": IMAGE, **(container or {})}],
                                              "restartPolicy": "Never", **(pod or {})}}, **spec}}


def in_time(seconds):
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


@unittest.skipUnless(PROGRAMS, kubectl_versions.HOW_TO_GET_A_CURRENT_ONE)
class Kubectl(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.instance = Instance()
        cls.instance.env["PADDOCK_CONTROLLER_SESSIONS_IMAGES"] = json.dumps({IMAGE: "session"})
        cls.enterClassContext(cls.instance)
        cls.program = PROGRAMS[max(PROGRAMS)]
        cls.config = cls.instance.home / "kubeconfig"
        cls.config.write_text(cls.instance.run("kubeconfig").stdout)
        cls.api = SessionApi(cls.instance)
        cls.addClassCleanup(cls.api.close)
        made = wait_until("a node to take sessions", lambda: (lambda got: got if got[0] == 201 else None)(cls.api.create()))
        cls.api.destroy(made[1]["metadata"]["name"])

    def kubectl(self, *args, document=None, check=True):
        text = None if document is None else json.dumps(document)
        done = kubectl_versions.run([self.program, "--kubeconfig", str(self.config), "--cache-dir", str(self.instance.home / "cache"),
                                     *args], input=text, text=True)
        if check:
            self.assertEqual(done.returncode, 0, f"{args}\n{done.stdout}\n{done.stderr}")
        return done

    def out(self, *args, **kwargs):
        return self.kubectl(*args, **kwargs).stdout

    def apply(self, document, *args):
        return self.out("apply", *args, "-f", "-", document=document)

    def refused(self, document, *args):
        done = self.kubectl("apply", *args, "-f", "-", document=document, check=False)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        return done.stderr

    def made(self, name, **kwargs):
        self.assertIn("created", self.apply(manifest(name, **kwargs)))
        self.addCleanup(self.kubectl, "delete", f"sandboxes.{GROUP}", name, "--ignore-not-found")
        return name

    def get(self, name):
        return json.loads(self.out("get", f"sandboxes.{GROUP}", name, "-o", "json"))

    def condition(self, name, kind):
        found = [each for each in self.get(name)["status"]["conditions"] if each["type"] == kind]
        return (found[0]["status"], found[0].get("reason")) if found else None

    def test_what_is_served_is_discovered_and_explained(self):
        self.assertIn("agents.x-k8s.io/v1beta1", self.out("api-versions"))
        self.assertIn(f"sandboxes.{GROUP}", self.out("api-resources", "--api-group", GROUP, "-o", "name"))
        self.assertIn("nodeSelector", self.out("explain", f"sandboxes.{GROUP}.spec.podTemplate.spec"))
        self.assertEqual(self.out("auth", "can-i", "create", f"sandboxes.{GROUP}").strip(), "yes")

    def test_the_life_of_a_sandbox(self):
        container = {"env": [{"name": "GREETING", "value": "hello"}], "resources": {"limits": {"memory": "512Mi"}},
                     "command": ["sleep", "infinity"], "imagePullPolicy": "IfNotPresent"}
        name = self.made("life", container=container)
        self.assertIn("unchanged", self.apply(manifest("life", container=container)))
        self.out("wait", "--for=condition=Ready", f"sandboxes.{GROUP}/{name}", "--timeout=150s")
        table = self.out("get", f"sandboxes.{GROUP}").splitlines()
        self.assertRegex(table[0], r"^NAME +READY +REASON +AGE$")
        self.assertTrue(any(line.split()[:3] == [name, "True", "DependenciesReady"] for line in table), table)
        self.assertIn("DependenciesReady", self.out("describe", f"sandboxes.{GROUP}", name))
        status, result = self.api.run(name, "echo $GREETING")
        self.assertEqual((status, result["stdout"]), (200, "hello\n"))
        session = self.api.ask("GET", self.api.sandboxes(name))[1]
        self.assertEqual(session["spec"]["security"]["limits"]["memoryBytes"], 512 << 20)
        self.assertIn("deleted", self.out("delete", f"sandboxes.{GROUP}", name))
        self.assertEqual(self.api.run(name, "true")[0], 404)

    def test_a_suspended_one_refuses_commands_and_keeps_its_files(self):
        name = self.made("paused")
        self.assertEqual(self.api.run(name, "echo kept > file")[0], 200)
        patch = ("patch", f"sandboxes.{GROUP}", name, "--type=merge", "-p")
        self.out(*patch, '{"spec":{"operatingMode":"Suspended"}}')
        self.out("wait", "--for=condition=Suspended", f"sandboxes.{GROUP}/{name}", "--timeout=150s")
        self.assertEqual(self.condition(name, "Ready"), ("False", "SandboxSuspended"))
        status, answer = self.api.run(name, "cat file")
        self.assertEqual((status, answer["error"]["code"]), (409, "SESSION_SUSPENDED"))
        status, answer = self.api.file("PUT", name, "other", "x")
        self.assertEqual((status, answer["error"]["code"]), (409, "SESSION_SUSPENDED"))
        self.assertEqual(self.api.file("GET", name, "file"), (200, b"kept\n"))
        self.out(*patch, '{"spec":{"operatingMode":"Running"}}')
        self.assertEqual(self.api.run(name, "cat file")[1]["stdout"], "kept\n")

    def test_its_time_ends_it(self):
        name = self.made("short")
        self.out("patch", f"sandboxes.{GROUP}", name, "--type=merge", "-p", json.dumps({"spec": {"shutdownTime": in_time(0)}}))
        self.out("wait", "--for=condition=Finished", f"sandboxes.{GROUP}/{name}", "--timeout=150s")
        self.assertEqual(self.condition(name, "Ready"), ("False", "SandboxExpired"))
        self.assertEqual(self.api.run(name, "true")[0], 410)
        gone = self.made("gone", shutdownTime=in_time(0), shutdownPolicy="Delete")
        self.out("wait", "--for=delete", f"sandboxes.{GROUP}/{gone}", "--timeout=150s")
        self.assertIn("168h", self.refused(manifest("late", shutdownTime=in_time(30 * 86400))))

    def test_what_has_no_meaning_is_refused_by_its_field(self):
        hostile = {
            "containers[0].ports": manifest("no", container={"ports": [{"containerPort": 8080}]}),
            "containers[0].image": manifest("no", container={"image": "docker.io/library/nginx"}),
            "containers[0].command": manifest("no", container={"command": ["python3", "-m", "http.server"]}),
            "containers[0].securityContext.privileged": manifest("no", container={"securityContext": {"privileged": True}}),
            "containers[0].env[0].valueFrom": manifest("no", container={
                "env": [{"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]}),
            "containers[0].env.PATH": manifest("no", container={"env": [{"name": "PATH", "value": "/tmp"}]}),
            "containers[0].resources.limits.memory": manifest("no", container={"resources": {"limits": {"memory": "1000Ti"}}}),
            "spec.podTemplate.spec.hostPID": manifest("no", pod={"hostPID": True}),
            "spec.podTemplate.spec.volumes": manifest("no", pod={"volumes": [{"name": "h", "hostPath": {"path": "/"}}]}),
            "spec.volumeClaimTemplates": manifest("no", volumeClaimTemplates=[{"metadata": {"name": "w"}, "spec": {}}]),
        }
        for field, document in hostile.items():
            with self.subTest(field):
                self.assertIn(field, self.refused(document, "--validate=false"))
        self.assertIn("NotFound", self.kubectl("get", f"sandboxes.{GROUP}", "no", check=False).stderr)
        name = self.made("fixed")
        self.assertIn("spec.podTemplate", self.refused(manifest(name, container={"resources": {"limits": {"memory": "1Gi"}}})))

    def test_server_side_apply_dry_runs_watches_and_collections(self):
        self.assertIn("serverside-applied", self.apply(manifest("sided"), "--server-side"))
        self.assertIn("serverside-applied", self.apply(manifest("sided"), "--server-side"))
        self.assertIn("dry run", self.apply(manifest("tried"), "--dry-run=server"))
        self.assertIn("NotFound", self.kubectl("get", f"sandboxes.{GROUP}", "tried", check=False).stderr)
        self.out("label", f"sandboxes.{GROUP}", "sided", "set=these")
        self.assertEqual(self.out("get", f"sandboxes.{GROUP}", "-l", "set=these", "-o", "name").strip(), f"sandbox.{GROUP}/sided")
        self.assertIn("deleted", self.out("delete", f"sandboxes.{GROUP}", "-l", "set=these"))
        self.assertEqual(self.out("get", f"sandboxes.{GROUP}", "-l", "set=these", "-o", "name"), "")

    def test_a_session_and_a_sandbox_are_the_same(self):
        status, made = self.api.create(name="both")
        self.assertEqual(status, 201, made)
        self.addCleanup(self.api.destroy, "both")
        self.assertIn("both", self.out("get", f"sandboxes.{GROUP}"))
        self.out("patch", "sandboxes.paddock.dev", "both", "--type=merge", "-p", '{"spec":{"suspended":true}}')
        self.assertEqual(self.get("both")["spec"]["operatingMode"], "Suspended")

    # -- Templates, pools and claims

    def extension(self, kind, name, **spec):
        return {"apiVersion": f"extensions.{GROUP}/v1beta1", "kind": kind, "metadata": {"name": name}, "spec": spec}

    def template(self, name, env=None, **spec):
        container = {"name": "agent", "image": IMAGE, "env": [{"name": key, "value": value} for key, value in (env or {}).items()]}
        return self.extension("SandboxTemplate", name, podTemplate={"spec": {"containers": [container]}}, **spec)

    def apply_for_now(self, document):
        out = self.apply(document)
        self.addCleanup(self.kubectl, "delete", document["kind"].lower(), document["metadata"]["name"], "--ignore-not-found")
        return out

    def claim_state(self, name):
        claim = json.loads(self.out("get", "sandboxclaim", name, "-o", "json"))
        ready = [each for each in claim["status"]["conditions"] if each["type"] == "Ready"][0]
        self.assertRegex(ready["lastTransitionTime"], r"^\d{4}-.*Z$")
        return claim["status"].get("sandbox", {}).get("name"), ready["status"], ready["reason"]

    def test_a_claim_is_given_a_sandbox_without_a_pool_that_holds_one(self):
        self.apply_for_now(self.template("py", env={"GREETING": "hi"}))
        warned = self.kubectl("apply", "-f", "-", document=self.extension("SandboxWarmPool", "pool", replicas=3,
                                                                          sandboxTemplateRef={"name": "py"}))
        self.addCleanup(self.kubectl, "delete", "swp", "pool", "--ignore-not-found")
        self.assertIn("no sandbox is held ready", warned.stderr)
        self.assertRegex(self.out("get", "swp"), r"pool +0 +3 ")
        pool = json.loads(self.out("get", "swp", "pool", "-o", "json"))
        self.assertEqual(pool["status"]["conditions"][0]["lastTransitionTime"], pool["metadata"]["creationTimestamp"])
        self.apply_for_now(self.extension("SandboxClaim", "mine", warmPoolRef={"name": "pool"}))
        self.out("wait", "--for=condition=Ready", "sandboxclaim/mine", "--timeout=150s")
        self.assertEqual(self.claim_state("mine"), ("mine", "True", "DependenciesReady"))
        self.assertRegex(self.out("get", "sandboxclaims"), r"mine +True +mine +DependenciesReady ")
        self.assertEqual(self.api.run("mine", "echo $GREETING")[1]["stdout"], "hi\n")
        self.out("patch", f"sandboxes.{GROUP}", "mine", "--type=merge", "-p", '{"spec":{"operatingMode":"Suspended"}}')
        self.assertEqual(self.claim_state("mine"), ("mine", "False", "SandboxSuspended"))
        self.out("delete", "sandboxclaim", "mine")
        self.assertIn("NotFound", self.kubectl("get", f"sandboxes.{GROUP}", "mine", check=False).stderr)
        self.apply_for_now(self.extension("SandboxClaim", "direct", warmPoolRef={"name": "py"}))
        self.out("wait", "--for=condition=Ready", "sandboxclaim/direct", "--timeout=150s")

    def test_a_claim_may_come_before_its_template(self):
        self.apply_for_now(self.extension("SandboxClaim", "early", warmPoolRef={"name": "later"}))
        self.assertEqual(self.claim_state("early"), (None, "False", "TemplateNotFound"))
        self.apply_for_now(self.template("later"))
        self.out("wait", "--for=condition=Ready", "sandboxclaim/early", "--timeout=150s")

    def test_a_claim_that_waits_is_tried_again_when_it_changes(self):
        self.apply_for_now(self.template("twice"))
        self.made("taken")
        self.apply_for_now(self.extension("SandboxClaim", "taken", warmPoolRef={"name": "twice"}))
        self.assertEqual(self.claim_state("taken"), (None, "False", "SANDBOX_ALREADY_EXISTS"))
        self.out("delete", f"sandboxes.{GROUP}", "taken")
        self.out("label", "sandboxclaim", "taken", "try=again")
        self.out("wait", "--for=condition=Ready", "sandboxclaim/taken", "--timeout=150s")

    def test_what_a_claim_may_not_have_is_told(self):
        self.apply_for_now(self.template("closed"))
        self.apply_for_now(self.extension("SandboxClaim", "sneaky", warmPoolRef={"name": "closed"},
                                          env=[{"name": "X", "value": "y"}]))
        self.assertEqual(self.claim_state("sneaky"), (None, "False", "FIELD_NOT_SERVED"))
        self.apply_for_now(self.template("closed", envVarsInjectionPolicy="Allowed"))
        self.out("wait", "--for=condition=Ready", "sandboxclaim/sneaky", "--timeout=150s")
        self.assertEqual(self.api.run("sneaky", "echo $X")[1]["stdout"], "y\n")
        self.assertIn("spec.volumeClaimTemplates", self.refused(self.extension(
            "SandboxClaim", "no", warmPoolRef={"name": "closed"}, volumeClaimTemplates=[{"metadata": {"name": "v"}, "spec": {}}])))
        self.assertIn("networkPolicy.egress", self.refused(self.template("no", networkPolicy={"egress": [{"ports": [{"port": 443}]}]})))
        self.assertIn("containers[0].ports", self.refused(self.extension("SandboxTemplate", "no", podTemplate={"spec": {
            "containers": [{"name": "a", "image": IMAGE, "ports": [{"containerPort": 1}]}]}})))

    def test_a_claim_goes_with_its_time(self):
        self.apply_for_now(self.template("timed"))
        self.apply(self.extension("SandboxClaim", "brief", warmPoolRef={"name": "timed"},
                                  lifecycle={"shutdownTime": in_time(0), "shutdownPolicy": "Delete"}))
        self.out("wait", "--for=delete", "sandboxclaim/brief", "--timeout=150s")
        self.apply_for_now(self.extension("SandboxClaim", "kept", warmPoolRef={"name": "timed"},
                                          lifecycle={"shutdownTime": in_time(0)}))
        self.out("wait", "--for=condition=Finished", "sandboxclaim/kept", "--timeout=150s")
        self.assertEqual(self.claim_state("kept"), ("kept", "False", "SandboxExpired"))


if __name__ == "__main__":
    main()
