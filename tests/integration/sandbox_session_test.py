"""Sandbox sessions: the acceptance criteria 1 to 7 of their design, what holds unless something is said, and what never
changes."""
import concurrent.futures
import json
import pathlib

from harness import ended, main, pids_running, wait_until
from session_client import SessionTest

DENIED = ("CAPABILITY_DENIED", "E_CAPABILITY_DENIED")


class AcceptanceCriteria(SessionTest):
    # proves: WSM-84, WSM-02, WSM-16, WSM-17, WSM-94, WSM-11
    def test_ac1_an_infinite_loop_is_terminated_and_does_not_go_on(self):
        for milliseconds in (5000, 60_000):  # longer where the machine needs it to start Python
            name = self.session({"limits": {"timeoutMs": milliseconds}})
            mark = f"endless-{name}"
            loop = f"python3 -c 'import time\nwhile True: open(\"beat\", \"w\").write(str(time.time()))' {mark}"
            result = self.result(name, loop)
            self.assertEqual((result["exitCode"], result["errorClass"]), (124, "TIMEOUT"))
            self.assertIn("command timeout", result["stderr"])
            self.assertFalse([pid for pid in pids_running(mark) if not ended(pid)])
            if self.api.file("GET", name, "beat")[0] == 200:
                break
        self.assertEqual(self.api.file("GET", name, "beat")[0], 200)  # it ran
        wait_until("the session to go on", lambda: self.result(name, "echo on")["stdout"] == "on\n")

    # proves: WSM-85, WSM-78, WSM-22, WSM-12
    def test_ac2_a_disallowed_network_attempt_is_a_denied_capability(self):
        name = self.session()
        result = self.result(name, "python3 -c 'import socket; socket.create_connection((\"192.0.2.1\", 80), 2)'")
        self.assertNotEqual(result["exitCode"], 0)
        self.assertEqual((result["errorClass"], result["code"]), DENIED)
        self.assertTrue(any("192.0.2.1" in each["target"] for each in result["denials"]), result)

    # proves: WSM-86, WSM-12
    def test_ac3_disallowed_paths_of_the_host_are_not_there(self):
        secret = pathlib.Path(self.instance.home, "secret")
        secret.write_text("of the host")
        name = self.session()
        for path in (str(secret), "/etc/shadow", "/root", str(self.instance.home), "/proc/1/root/etc/shadow",
                     "/proc/self/root/../../" + str(secret)):
            result = self.result(name, f"cat {path}")
            self.assertNotEqual(result["exitCode"], 0, path)
            self.assertNotIn("of the host", result["stdout"])

    # proves: WSM-87, WSM-04, WSM-33, WSM-34, WSM-38, WSM-93, WSM-66, WSM-67, WSM-69
    def test_ac4_a_flood_is_truncated_at_the_cap_and_says_so(self):
        limits = {"stdoutBytes": 1000, "stderrBytes": 500}
        for milliseconds in (3000, 60_000):  # longer where the machine needs it for so much output
            result = self.result(self.session({"limits": {**limits, "timeoutMs": milliseconds}}), "yes | cat")
            if "truncated" in result:
                break
        self.assertEqual(result["truncated"], {"stdout": True, "stderr": False})
        head, left_out, tail = result["stdout"].partition("\n[TRUNCATED at 1000 bytes]\n[")
        self.assertTrue(left_out)
        self.assertEqual(head, "y\n" * 250)
        self.assertEqual(len(tail[tail.index("]\n") + 2:]), 500)
        name = self.session({"limits": {**limits, "timeoutMs": 60_000}})
        exact = self.result(name, "head -c 1000 /dev/zero | tr '\\0' x; head -c 500 /dev/zero | tr '\\0' e >&2")
        self.assertEqual((len(exact["stdout"]), len(exact["stderr"])), (1000, 500))
        self.assertNotIn("truncated", exact)
        over = self.result(name, "head -c 1001 /dev/zero | tr '\\0' x; head -c 501 /dev/zero | tr '\\0' e >&2")
        self.assertEqual(over["truncated"], {"stdout": True, "stderr": True})
        self.assertEqual(over["code"], "E_LIMIT_OUTPUT")

    def announce(self, name, size):
        """The answer to a command of so many bytes of which none is ever sent."""
        connection = self.api.connect()
        try:
            connection.putrequest("POST", self.api.sandboxes(name, "/commands"))
            for header, value in (("Authorization", f"Bearer {self.api.token}"), ("Content-Length", size)):
                connection.putheader(header, value)
            connection.endheaders()
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    # proves: WSM-88, WSM-36, WSM-72, WSM-108
    def test_ac5_an_oversized_request_is_refused_before_it_is_parsed(self):
        name = self.session()
        self.assert_refused(self.announce(name, (8 << 20) + 1), 413, "E_LIMIT_RPC")
        whole = b"{" * ((8 << 20) + 1)  # sent to its end, and no JSON either
        self.assert_refused(self.api.ask("POST", self.api.sandboxes(name, "/commands"), whole), 413, "E_LIMIT_RPC")
        small = self.session({"limits": {"rpcBytes": 1024}})
        body = json.dumps({"command": "echo " + "x" * 2000})
        self.assert_refused(self.api.ask("POST", self.api.sandboxes(small, "/commands"), body), 413, "E_LIMIT_RPC")
        self.assert_refused(self.api.file("PUT", small, "f", b"x" * 1025), 413, "E_LIMIT_RPC")
        self.assertEqual(self.api.file("PUT", small, "f", b"x" * 1024)[0], 201)

    # proves: WSM-89, WSM-05, WSM-40, WSM-41, WSM-13
    def test_ac6_two_sessions_share_nothing(self):
        one, two = (self.session() for _ in range(2))
        hold = ("echo secret > mine; echo secret > /tmp/mine; echo secret > /dev/shm/mine; "
                "python3 -c 'import socket, time; s = socket.socket(socket.AF_UNIX); s.bind(\"\\0paddock-test\"); "
                "s.listen(); open(\"up\", \"w\"); time.sleep(600)'")
        with concurrent.futures.ThreadPoolExecutor() as pool:
            held = pool.submit(self.result, one, hold, commandId="hold")
            wait_until("the first session's command to run", lambda: self.api.file("GET", one, "up")[0] == 200)
            look = self.result(two, "ls -a . /tmp /dev/shm; ls /proc; cat mine /tmp/mine /dev/shm/mine; "
                                    "readlink /proc/self/ns/pid /proc/self/ns/mnt /proc/self/ns/ipc")
            probe = self.result(two, "python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); "
                                     "s.connect(\"\\0paddock-test\")'")
            spaces = self.output(one, "readlink /proc/self/ns/pid /proc/self/ns/mnt /proc/self/ns/ipc").split()
            self.assertEqual(self.api.cancel(one, "hold")[0], 202)
            held.result()
        self.assertNotIn("secret", look["stdout"])
        self.assertNotIn("mine", look["stdout"])
        self.assertNotIn("paddock-test", look["stdout"])
        self.assertNotEqual(probe["exitCode"], 0)
        self.assertEqual(len(spaces), 3)
        self.assertFalse(set(spaces) & set(look["stdout"].split()))
        self.assertEqual(self.api.file("GET", two, "mine")[0], 404)

    # proves: WSM-90, WSM-06, WSM-81, WSM-45, WSM-46, WSM-47, WSM-48, WSM-49, WSM-51, WSM-52, WSM-82
    def test_ac7_the_audit_log_has_each_event_once_and_in_order(self):
        forged = 'echo a\n{"type":"sandbox.destroy","session_id":"forged"}'
        commands = {"fine": "echo 1", "loops": "while :; do :; done",
                    "reaches": "python3 -c 'import socket; socket.create_connection((\"192.0.2.1\", 80))'",
                    "floods": "echo 0123456789ABC", "long": "x" * 201, "forges": forged}
        for milliseconds in (5000, 60_000):  # longer where the machine needs it for what ends by itself
            name = self.session({"limits": {"timeoutMs": milliseconds, "stdoutBytes": 10, "commandBytes": 200}})
            uid = self.object(name)["metadata"]["uid"]
            ends = {each: self.result(name, command, commandId=each).get("errorClass") for each, command in commands.items()}
            if [each for each, why in ends.items() if why == "TIMEOUT"] == ["loops"]:
                break
        for method, path in (("PUT", "data/a.txt"), ("GET", "data/a.txt"), ("DELETE", "data/a.txt"),
                             ("DELETE", "data/a.txt"), ("PUT", "data")):  # the last two are refused
            self.api.file(method, name, path, b"12345" if method == "PUT" else None)
        self.api.destroy(name)
        events = self.api.audit(uid)
        told = [(e["type"], e.get("command_id", "").removeprefix(uid + "/"), e.get("reason", "")) for e in events]
        self.assertEqual(told, [
            ("sandbox.create", "", ""),
            ("command.start", "fine", ""), ("command.complete", "fine", "OK"),
            ("command.start", "loops", ""), ("command.timeout", "loops", "TIMEOUT"),
            ("command.start", "reaches", ""), ("capability.denied", "reaches", "E_CAPABILITY_DENIED"),
            ("command.complete", "reaches", "FAILED"),
            ("command.start", "floods", ""), ("limit.exceeded", "floods", "E_LIMIT_OUTPUT"),
            ("command.complete", "floods", "OK"),
            ("limit.exceeded", "long", "E_LIMIT_COMMAND"),
            ("command.start", "forges", ""), ("command.complete", "forges", "FAILED"),
            ("file.write", "", ""), ("file.remove", "", ""),
            ("sandbox.destroy", "", "")])
        self.assertEqual([(e["details"]["path"], e["details"].get("bytes"), e["subject"]) for e in events
                          if e["type"].startswith("file.")], [("data/a.txt", "5", "admin"), ("data/a.txt", None, "admin")])
        for event in events:
            self.assertEqual(event["session_id"], uid)
            self.assertTrue(event["time"] and event["subject"] and event["object"] == f"sandboxes/{name}", event)
        self.assertEqual(next(e for e in events if e.get("command_id", "").endswith("/forges"))["details"]["command"],
                         forged)


class Defaults(SessionTest):
    # proves: WSM-99, WSM-100, WSM-101, WSM-102, WSM-103, WSM-104, WSM-105, WSM-106, WSM-107, WSM-108, WSM-54
    # proves: WSM-55, WSM-56, WSM-57, WSM-58, WSM-59, WSM-60, WSM-61, WSM-62, WSM-63, WSM-64
    def test_a_session_says_what_holds_in_it(self):
        status, made = self.api.create()
        self.assertEqual(status, 201, made)
        self.addCleanup(self.api.destroy, made["metadata"]["name"])
        security = self.object(made["metadata"]["name"])["spec"]["security"]
        self.assertEqual(security["network"], {"enabled": False, "allowDomains": [], "loopback": True})
        self.assertEqual(security["hostMounts"], [])
        self.assertIn("python3", security["toolAllowlist"])
        self.assertNotIn("curl", security["toolAllowlist"])
        self.assertEqual(security["limits"], {
            "timeoutMs": 10_000, "memoryBytes": 256 << 20, "fsBytes": 256 << 20, "fileCount": 100_000,
            "stdoutBytes": 1 << 20, "stderrBytes": 1 << 20, "commandBytes": 64 << 10, "rpcBytes": 8 << 20})
        asked = {"network": {"enabled": False, "allowDomains": [], "loopback": False}, "hostMounts": [],
                 "toolAllowlist": ["cat", "sh"],
                 "limits": {"timeoutMs": 1, "memoryBytes": 64 << 20, "fsBytes": 4096, "fileCount": 7,
                            "stdoutBytes": 1, "stderrBytes": 2, "commandBytes": 3, "rpcBytes": 1024}}
        self.assertEqual(self.object(self.session(asked))["spec"]["security"], asked)

    # proves: WSM-54, WSM-57, WSM-58, WSM-59, WSM-60, WSM-61, WSM-62, WSM-63, WSM-64, WSM-96
    def test_wrong_options_are_refused_with_their_field(self):
        wrong = [({"limits": {key: value}}, f"spec.security.limits.{key}")
                 for key in ("timeoutMs", "memoryBytes", "fsBytes", "fileCount", "stdoutBytes", "stderrBytes",
                             "commandBytes", "rpcBytes") for value in (0, -1, "1", 1.5, [], True)]
        wrong += [({"limits": {"timeoutMS": 1}}, "spec.security.limits.timeoutMS"),
                  ({"network": {"enabled": "no"}}, "spec.security.network.enabled"),
                  ({"network": {"enabled": False, "allowDomains": ["example.org"]}}, "allowDomains"),
                  ({"network": {"enabled": True, "allowDomains": ["10.0.0.1"]}}, "allowDomains"),
                  ({"toolAllowlist": "sh"}, "spec.security.toolAllowlist"),
                  ({"toolAllowlist": ["sh", "sh"]}, "spec.security.toolAllowlist[1]"),
                  ({"hostMounts": [{"hostPath": "/srv/../etc", "sandboxPath": "/data"}]}, "hostMounts[0].hostPath"),
                  ({"hostMounts": [{"hostPath": "/srv", "sandboxPath": "/workspace/x"}]}, "hostMounts[0]"),
                  ({"hostMounts": [{"hostPath": "/a", "sandboxPath": "/d"}, {"hostPath": "/b", "sandboxPath": "/d/e"}]},
                   "hostMounts[1].sandboxPath"),
                  ({"hostMounts": [{"hostPath": "/srv", "sandboxPath": "/data", "mode": "rwx"}]}, "mode"),
                  ({"allowPartial": True}, "spec.security.allowPartial")]
        for security, field in wrong:
            status, answer = self.api.create(security)
            self.assertTrue(400 <= status < 500, (security, answer))
            self.assertIn(field, json.dumps(answer), security)
        status, answer = self.api.ask("POST", self.api.sandboxes(), b'{"spec":{"security":{"limits":{"timeoutMs":NaN}}}}')
        self.assertEqual(status, 400, answer)

    # proves: WSM-54
    def test_what_its_node_has_not_is_refused_before_there_is_a_session(self):
        before = len(self.api.ask("GET", self.api.sandboxes())[1]["items"])
        for tools, index in ((["cat", "nosuchtool"], 1), (["../x"], 0), (["a b"], 0), (["/nowhere/x"], 0)):
            answer = self.api.create({"toolAllowlist": tools})
            self.assert_refused(answer, 422, "TOOL_UNAVAILABLE", f"spec.security.toolAllowlist[{index}]")
            self.assertTrue(answer[1]["message"].startswith(f"{tools[index]} "), answer)
        self.assertEqual(len(self.api.ask("GET", self.api.sandboxes())[1]["items"]), before)

    # proves: WSM-24, WSM-55, WSM-79
    def test_folders_of_the_node_need_its_operators_word(self):
        answer = self.api.create({"hostMounts": [{"hostPath": "/etc", "sandboxPath": "/data", "mode": "ro"}]})
        self.assert_refused(answer, 400, "HOST_MOUNT_NOT_ALLOWED", "spec.security.hostMounts")
        answer = self.api.create({"network": {"enabled": True, "allowDomains": ["example.org"]}})
        self.assert_refused(answer, 400, "NETWORK_NOT_ALLOWED", "spec.security.network")


class Policy(SessionTest):
    # proves: WSM-27, WSM-71, WSM-111
    def test_nothing_changes_the_policy(self):
        name = self.session()
        before = self.object(name)
        path = self.api.sandboxes(name)
        merge = {"Content-Type": "application/merge-patch+json"}
        for security in ({"network": {"enabled": True, "allowDomains": ["example.org"]}}, {"toolAllowlist": ["curl"]},
                         {"limits": {"timeoutMs": 99_000}}, {"hostMounts": [{"hostPath": "/srv", "sandboxPath": "/h"}]}):
            self.assert_refused(self.api.ask("PATCH", path, {"spec": {"security": security}}, merge), 422,
                                "FIELD_IMMUTABLE")
        for spec in ({"idleTimeout": "2h"}, {"nodeSelector": {"a": "b"}}):
            self.assert_refused(self.api.ask("PATCH", path, {"spec": spec}, merge), 422, "FIELD_IMMUTABLE")
        changed = json.loads(json.dumps(before))
        changed["spec"]["security"]["limits"]["memoryBytes"] = 1 << 30
        self.assert_refused(self.api.ask("PUT", path, changed), 422, "FIELD_IMMUTABLE")
        self.assertEqual(self.api.ask("PATCH", path + "/status", {"status": {"phase": "Pending"}}, merge)[0], 422)
        for extra in ({"security": {}}, {"limits": {"timeoutMs": 1}}, {"timeoutMs": 5}, {"env": {"A": "b"}},
                      {"stream": True}):
            status, answer = self.api.run(name, "true", **extra)
            self.assertEqual((status, answer["error"]["code"]), (400, "UNKNOWN_FIELD"), extra)
        self.assertEqual(self.object(name)["spec"], before["spec"])

    # proves: WSM-03
    def test_network_files_of_the_host_and_programs_are_each_closed_unless_given(self):
        given = pathlib.Path(self.instance.home, "closed")
        given.mkdir()
        (given / "secret").write_text("of the host")
        name = self.session({"toolAllowlist": ["sh", "cat", "python3"]})
        for command in ("uname", "python3 -c 'import socket; socket.create_connection((\"192.0.2.1\", 80), 2)'"):
            result = self.result(name, command)
            self.assertEqual((result.get("errorClass"), result.get("code")), DENIED, command)
        for path in (given / "secret", "/data/secret"):
            result = self.result(name, f"cat {path}")
            self.assertEqual((result["exitCode"], result["stdout"]), (1, ""), path)
        self.assert_refused(self.api.create({"hostMounts": [{"hostPath": str(given), "sandboxPath": "/data", "mode": "ro"}]}),
                            400, "HOST_MOUNT_NOT_ALLOWED", "spec.security.hostMounts")

    # proves: WSM-25, WSM-26, WSM-56, WSM-80, WSM-101
    def test_a_program_that_is_not_allowed_is_denied_however_it_is_tried(self):
        name = self.session({"toolAllowlist": ["sh", "cat", "cp", "chmod", "ln", "python3", "echo"]})
        program = "uname"
        for command in (program, f"{program} -a | cat", f"echo $({program})", f"`{program}`", f"/usr/bin/{program}",
                        f"echo {program} > s.sh; sh s.sh", f"cp /usr/bin/{program} mine; chmod +x mine; ./mine",
                        f"ln -s /usr/bin/{program} link; ./link", f"cp /usr/bin/{program} /tmp/t; chmod +x /tmp/t; /tmp/t",
                        f"python3 -c 'import os; os.execv(\"/usr/bin/{program}\", [\"cat\"])'",
                        f"exec {program}", "printf '#!/bin/sh\\necho Linux\\n' > own; chmod +x own; ./own"):
            result = self.result(name, command)
            self.assertEqual((result.get("errorClass"), result.get("code")), DENIED, (command, result))
            self.assertNotIn("Linux", result["stdout"], command)
            self.assertTrue(any(each["what"] == "execute" for each in result["denials"]), result)
        self.assertEqual(self.output(name, "cat /dev/null; echo fine"), "fine\n")
        missing = self.result(name, "no-such-program")
        self.assertEqual((missing["exitCode"], missing.get("errorClass")), (127, None))
        loader = self.result(name, f"for l in /lib64/ld-linux-*.so.* /lib/ld-linux-*.so.*; do $l /usr/bin/{program}; done")
        self.assertNotIn("Linux", loader["stdout"])
        self.assertEqual((loader.get("errorClass"), loader.get("code")), DENIED)

    # proves: WSM-25
    def test_an_empty_allowlist_leaves_the_shell_alone(self):
        name = self.session({"toolAllowlist": []})
        self.assertEqual(self.output(name, "echo $((1 + 1))"), "2\n")
        denied = self.result(name, "cat /dev/null")
        self.assertEqual(denied["code"], "E_CAPABILITY_DENIED")
        self.assertIn("toolAllowlist", denied["denials"][0]["remedy"])

    def test_the_usual_tools_and_one_more(self):
        usual = self.instance.run("get", "sandbox", self.session(), "-o", "jsonpath={.spec.security.toolAllowlist[*]}").stdout.split()
        name = self.session({"toolAllowlist": [*usual, "expand"]})
        self.assertEqual(self.output(name, "printf 'a\\tb' | expand -t2 | cat"), "a b")

    def test_a_denial_that_the_command_outlived_is_told_by_its_code_alone(self):
        done = self.instance.run("sandbox", "exec", self.session(), "expand --version 2> /dev/null || true", check=False)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr.splitlines()[-1], "E_CAPABILITY_DENIED")

    # proves: WSM-26, WSM-22
    def test_the_text_of_a_program_cannot_fake_or_hide_a_denial(self):
        name = self.session()
        fake = self.result(name, "echo 'E_CAPABILITY_DENIED: not allowed by security policy' >&2; exit 1")
        self.assertNotIn("errorClass", fake)
        hidden = self.result(name, "python3 -c 'import socket; socket.create_connection((\"192.0.2.1\", 80))' 2>/dev/null; true")
        self.assertEqual((hidden["exitCode"], hidden["code"]), (0, "E_CAPABILITY_DENIED"))


if __name__ == "__main__":
    main()
