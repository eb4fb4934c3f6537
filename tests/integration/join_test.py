"""A host joins in one line, keeps its credential fresh, and leaves: real programs, and what a stolen token is good for."""
import json
import shlex
import signal
import subprocess

from harness import BIN, PATIENCE_S, Instance, contents_below, find_file, main, wait_until
from joined_hosts import JoinedHosts, controller_of, make_token


def post(instance, path, credential):
    """What the controller answers to a node: (status, body)."""
    return instance.ask("POST", f"/apis/paddock.dev/v1alpha1/nodes/{path}", {}, credential)


def audit(instance, **fields):
    lines = [json.loads(line) for line in instance.run("audit", "-o", "json").stdout.splitlines()]
    return [each for each in lines if all(each.get(key) == value for key, value in fields.items())]


class Join(JoinedHosts):
    def refused(self, code, done, *words):
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"[{code}]", done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_the_printed_line_is_all_that_a_host_needs(self):
        token, line = make_token(self.instance, "gpu-1")
        host = self.host()
        said = host.join(line).stderr
        self.assertIn(f"paddock-node-agent --config {host.config}", said)
        self.assertNotIn(token, said)
        self.assertEqual((host.data / "credential").stat().st_mode & 0o777, 0o600)
        self.assertEqual((host.data / "identity").stat().st_mode & 0o777, 0o600)
        self.assertEqual((host.data / "controller-ca.pem").read_text(), find_file(self.instance.home, "tls/ca.pem").read_text())
        self.assertIn(f"server: {controller_of(self.instance)}", host.config.read_text())
        self.instance.run("cordon", self.own)
        host.start()
        self.assert_takes_runs()
        before = host.credential()
        self.refused("DATA_DIR_IN_USE", host.join(line, check=False), "systemctl stop paddock-node-agent")
        host.end()
        self.refused("ALREADY_JOINED", host.join(line, check=False), "paddock node leave", "gpu-1")
        self.assertEqual(host.credential(), before)
        host.join(line, "--force")
        self.assertNotEqual(host.credential(), before)
        host.start()
        self.assert_takes_runs()
        self.assertEqual(len(audit(self.instance, type="node.token", object="nodes/gpu-1")), 1)
        self.assertEqual(len(audit(self.instance, type="node.enroll", subject="enroll:gpu-1")), 2)
        secrets = [token.split(".")[0], before, host.credential(), (host.data / "identity").read_text().strip()]
        told = json.dumps(audit(self.instance)) + "".join(text.decode(errors="replace") for _, text in contents_below(self.instance.home, ending="latest.log"))
        self.assertEqual([each for each in secrets if each in told], [])

    def test_a_token_is_for_one_host_and_one_name(self):
        _, line = make_token(self.instance, "gpu-1")
        first, thief = self.host("first"), self.host("thief")
        self.refused("ENROLL_TOKEN_OTHER_NODE", first.join(line.replace("--name gpu-1", "--name gpu-2"), check=False), "--name gpu-1")
        first.join(line)
        self.refused("ENROLL_TOKEN_SPENT", thief.join(line, check=False), "paddock node token gpu-1")
        _, again = make_token(self.instance, "gpu-1")
        self.refused("NODE_NAME_TAKEN", thief.join(again, check=False), "delete the node first")
        self.assertFalse(thief.has_joined())
        self.assertFalse(thief.config.exists())
        first.start()
        self.instance.run("cordon", self.own)
        self.assert_takes_runs()  # whatever was tried with its token
        reasons = [each["reason"] for each in audit(self.instance, type="access.denied")]
        self.assertEqual(reasons, ["ENROLL_TOKEN_OTHER_NODE", "ENROLL_TOKEN_SPENT"])

    def test_what_is_typed_wrongly_is_refused_before_anything_is_written(self):
        token, line = make_token(self.instance, "gpu-1")
        url = controller_of(self.instance)
        host = self.host()
        self.refused("ENROLL_TOKEN_MALFORMED", host.join(line.replace(token, token[:-9]), check=False), "cut or changed")
        self.refused("ENROLL_TOKEN_MALFORMED", host.node("join", "--server", url, "--token", "pdk_x", check=False))
        self.refused("INVALID_SERVER", host.node("join", "--server", "http://192.0.2.1:1", "--token", token, check=False), "--server")
        self.refused("USAGE", host.node("join", "--server", url, check=False), "paddock node token NAME")
        self.refused("SERVER_NOT_TRUSTED",
                     host.node("join", "--server", url, "--name", "gpu-1", "--token", token.split(".")[0], check=False), "--ca-file")
        host.config.write_text("server: >-\n  https://elsewhere\n")
        self.refused("AGENT_CONFIG_INVALID", host.join(line, check=False), "name: gpu-1")
        host.config.write_text("server: https://elsewhere\nname: [\n")
        self.refused("AGENT_CONFIG_INVALID", host.join(line, check=False), f"{host.config}: the agent's configuration: ")
        host.config.unlink()
        self.assertFalse(host.has_joined())
        self.assertIn(" --server https://c.example:8443 ", make_token(self.instance, "gpu-9", "--url", "https://c.example:8443")[1])
        host.join(line)  # the token was good all along, and what was begun is finished
        self.assertTrue(host.has_joined())

    def test_a_credential_is_replaced_while_the_agent_works(self):
        host = self.joined()
        self.run_long()
        before = host.credential()
        self.assertIn("has a new credential", host.node("rotate").stderr)
        after = host.credential()
        self.assertNotEqual(after, before)
        self.assertEqual((host.data / "credential").stat().st_mode & 0o777, 0o600)
        status, refusal = post(self.instance, "gpu-1/credential", before)
        self.assertEqual((status, refusal["error"]["code"]), (403, "CREDENTIAL_REPLACED"))
        self.assert_takes_runs()
        self.assertIsNone(host.agent.poll())
        self.instance.run("cancel", "long")
        self.instance.wait_phase("long", "Canceled")
        self.assertEqual(len(audit(self.instance, type="node.rotate", subject="node:gpu-1")), 1)
        self.assertEqual(len(audit(self.instance, type="node.revoke", subject="node:gpu-1")), 1)

    def test_an_agent_killed_anywhere_in_between_keeps_its_place(self):
        host = self.joined()
        self.assert_takes_runs()
        # Killed before the answer was on the disk: the older one is good.
        status, answer = post(self.instance, "gpu-1/credential", host.credential())
        self.assertEqual(status, 201)
        host.end(signal.SIGKILL)
        host.start()
        self.assert_takes_runs()
        # Killed behind it, before the new one was used.
        status, answer = post(self.instance, "gpu-1/credential", host.credential())
        self.assertEqual(status, 201)
        host.end(signal.SIGKILL)
        (host.data / "credential").write_text(answer["credential"])
        host.start()
        self.assert_takes_runs()
        # Anywhere, while it does nothing else all the time.
        host.end()
        with open(host.config, "a") as config:
            config.write("rotateCredential: 1s\n")
        for _ in range(4):
            host.start()
            before = host.credential()
            wait_until("a new credential", lambda: host.credential() != before)
            self.assert_takes_runs()
            host.end(signal.SIGKILL)
        host.start()
        self.assert_takes_runs()

    def test_a_restored_backup_knows_the_credential_before(self):
        host = self.joined()
        self.assert_takes_runs()
        self.instance.run("admin", "backup", "first")
        older = host.credential()
        host.node("rotate")
        newer = host.credential()
        self.assert_takes_runs()
        self.instance.run("down")
        backup = find_file(self.instance.home, "backups/first.db")
        subprocess.run([str(BIN / "paddock-controller"), "--data-dir", str(backup.parent.parent), "--restore", str(backup)],
                       env=self.instance.env, check=True, capture_output=True, timeout=60)
        self.instance.run("up")
        wait_until("the agent to go back to it", lambda: host.credential() == older)
        self.runs += 10  # the backup knows the names of the first ones
        self.assert_takes_runs()
        self.assertEqual((host.data / "credential.previous").read_text().strip(), newer)

    def test_a_host_leaves(self):
        host = self.joined()
        self.refused("DATA_DIR_IN_USE", host.node("leave", check=False), "systemctl stop")
        self.run_long()
        host.end()  # its run goes on
        self.refused("NODE_HAS_RUNS", host.node("leave", check=False), "paddock drain gpu-1", "--force")
        self.assertTrue(host.has_joined())
        credential = host.credential()
        self.assertIn("has left", host.node("leave", "--force").stderr)
        self.assertEqual([each["metadata"]["name"] for each in self.instance.get("nodes")["items"]], [self.own])
        self.instance.wait_phase("long", "Failed")
        self.assertEqual(post(self.instance, "gpu-1/credential", credential)[0], 401)
        self.assertFalse(host.has_joined() or (host.data / "identity").exists())
        self.refused("NOT_JOINED", host.node("leave", check=False))
        host.start()
        self.assertNotEqual(host.agent.wait(PATIENCE_S), 0)
        self.assertIn("ENROLL_TOKEN_MISSING", (host.folder / "latest.log").read_text())
        other = self.host("other")  # the name is free
        other.join(make_token(self.instance, "gpu-1")[1])
        self.assertEqual(len(audit(self.instance, type="node.leave", subject="node:gpu-1")), 1)

    def test_leaving_without_a_controller_says_what_is_left_to_do(self):
        host = self.host()
        host.join(make_token(self.instance, "gpu-1")[1])
        self.instance.run("down")
        self.refused("LEAVE_UNREACHABLE", host.node("leave", "--patience", "1s", check=False), "paddock delete node gpu-1", "--local")
        self.assertTrue(host.has_joined())
        self.assertIn("paddock delete node gpu-1", host.node("leave", "--local").stderr)
        self.assertFalse(host.has_joined())

    def test_joining_and_leaving_wait_for_a_controller_that_comes_back(self):
        host = self.host()
        _, line = make_token(self.instance, "gpu-1")
        for command in (shlex.split(line)[1:], ["node", "leave"]):
            self.instance.run("down")
            waiting = host.begin(*command)
            wait_until("it to say that it tries again", lambda: "trying again" in host.said())
            self.instance.run("up")
            self.assertEqual(waiting.wait(PATIENCE_S), 0, host.said())
        self.assertFalse(host.has_joined())

    def test_a_node_outlasts_its_controllers_restart_and_move(self):
        host = self.joined()
        self.assert_takes_runs()
        uid = self.instance.get("node", "gpu-1")["metadata"]["uid"]
        url = controller_of(self.instance)
        self.instance.kill("paddock-controller")
        self.instance.run("up")
        self.assertEqual(controller_of(self.instance), url)
        self.assert_takes_runs()
        credential = host.credential()
        self.instance.run("down")
        self.instance.up()  # at another port
        moved = controller_of(self.instance)
        self.assertNotEqual(moved, url)
        host.end()
        host.config.write_text(host.config.read_text().replace(url, moved))
        host.start()
        self.assert_takes_runs()
        self.assertEqual(host.credential(), credential)
        self.assertEqual(self.instance.get("node", "gpu-1")["metadata"]["uid"], uid)

    def test_a_node_is_told_its_controllers_new_address(self):
        host = self.joined()
        self.run_long()
        uid = self.instance.get("node", "gpu-1")["metadata"]["uid"]
        credential, before, former = host.credential(), host.config.read_text(), controller_of(self.instance)
        self.refused("INVALID_SERVER", host.node("move", "--server", "http://192.0.2.1:1", check=False), "--server")
        self.refused("CA_FILE_UNREADABLE", host.node("move", "--server", former, "--ca-file", host.folder / "none.pem", check=False))
        with Instance("other") as other:  # a controller, but not this node's
            elsewhere = ("move", "--server", controller_of(other))
            self.refused("SERVER_NOT_TRUSTED", host.node(*elsewhere, check=False))
            ca = find_file(other.home, "tls/ca.pem")
            self.refused("MOVE_REFUSED", host.node(*elsewhere, "--ca-file", ca, check=False), "gpu-1", "paddock node join --force")
        self.assertNotEqual(host.node(*elsewhere, "--patience", "1s", check=False).returncode, 0)  # nobody answers there any more
        self.assertEqual(host.config.read_text(), before)
        self.instance.kill("paddock-controller")
        self.instance.up()  # at another port
        moved = controller_of(self.instance)
        self.assertNotEqual(moved, former)
        said = host.node("move", "--server", moved + "/").stderr  # while the agent runs, and asks at the former address
        self.assertIn(f"\n  paddock-node-agent --config {host.config}", said)
        self.assertEqual(host.config.read_text(), before.replace(former, moved))
        self.assertIsNone(host.agent.poll())
        host.end()
        host.start()
        self.assert_takes_runs()
        self.assertEqual(self.instance.run_object("long")["status"]["phase"], "Running")
        # Another CA comes along without a moment in which the former configuration has it.
        ca = find_file(self.instance.home, "tls/ca.pem")
        for name in ("controller-ca.moved.pem", "controller-ca.pem"):
            host.node("move", "--server", moved, "--ca-file", ca)
            self.assertIn(f"caFile: {host.data / name}\n", host.config.read_text())
            self.assertEqual((host.data / name).read_text(), ca.read_text())
        host.end()
        host.start()
        self.assert_takes_runs()
        self.assertEqual(host.credential(), credential)
        self.assertEqual(self.instance.get("node", "gpu-1")["metadata"]["uid"], uid)


if __name__ == "__main__":
    main()
