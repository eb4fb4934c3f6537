"""What a session's policy allows works, and nothing beside it: names of the network, folders of the node."""
import json
import pathlib
import tempfile

from harness import Instance, main
from outside import FETCH, NameServer, loopback_address, serve_pages
from session_client import SessionTest


class Allowed(SessionTest):
    """An instance whose operators allow a network and one folder."""

    @classmethod
    def setUpClass(cls):
        address = loopback_address()
        names = NameServer(address)
        names.start()
        cls.port = serve_pages(cls, address)
        cls.shared = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="paddock-shared-"))).resolve()
        cls.shared.chmod(0o755)
        cls.fill()
        allowed = json.dumps([str(cls.shared / "allowed")])
        cls.instance = Instance()
        cls.instance.env.update(PADDOCK_CONTROLLER_CEILINGS_NETWORK="true", PADDOCK_NODE_AGENT_CEILINGS_NETWORK="true",
                                PADDOCK_NODE_AGENT_NETWORK_RESOLVERS=json.dumps(names.places),
                                PADDOCK_NODE_AGENT_NETWORK_ALLOW_RANGES=json.dumps([address + "/32"]),
                                PADDOCK_CONTROLLER_CEILINGS_HOST_MOUNTS=allowed,
                                PADDOCK_NODE_AGENT_CEILINGS_HOST_MOUNTS=allowed)
        cls.enterClassContext(cls.instance)
        cls.connect()

    @classmethod
    def fill(cls):
        """Folders that anybody may write to, as far as their own modes go."""
        for name in ("allowed/in", "allowed/out", "allowed/beside", "elsewhere"):
            folder = cls.shared / name
            folder.mkdir(parents=True)
            folder.chmod(0o777)
            (folder / "text").write_text(f"of {name}")
        (cls.shared / "allowed/link").symlink_to(cls.shared / "elsewhere")

    def given(self, name, mode):
        """A folder below `allowed` at /mnt/NAME."""
        return {"hostPath": str(self.shared / "allowed" / name), "sandboxPath": f"/mnt/{name}", "mode": mode}

    def mounted(self, **modes):
        return self.session({"hostMounts": [self.given(name, mode) for name, mode in modes.items()]})

    # proves: WSM-23, WSM-54
    def test_a_session_reaches_the_names_of_its_policy_and_nothing_else(self):
        name = self.session({"network": {"enabled": True, "allowDomains": [f"web.test:{self.port}"]},
                             "limits": {"timeoutMs": 120_000}})
        self.assertIn(self.api.file("PUT", name, "fetch.py", FETCH)[0], (200, 201))
        web = f"http://web.test:{self.port}"
        reached = self.result(name, f"python3 fetch.py {web}")
        self.assertEqual((reached["exitCode"], reached["stdout"]), (0, "from outside\n"), reached)
        self.assertNotIn("errorClass", reached)
        for url, attempt in ((f"{web}/elsewhere", ("name lookup", "hidden.test")),
                             (f"http://other.test:{self.port}", ("name lookup", "other.test")),
                             (f"http://sub.web.test:{self.port}", ("name lookup", "sub.web.test")),
                             (f"http://192.0.2.1:{self.port}", ("network connect", f"192.0.2.1:{self.port}"))):
            result = self.result(name, f"python3 fetch.py {url}")
            self.assertEqual(result["stdout"], f"refused {url}\n")
            self.assertEqual((result["errorClass"], result["code"]), ("CAPABILITY_DENIED", "E_CAPABILITY_DENIED"), url)
            self.assertIn(attempt, [(each["what"], each["target"]) for each in result["denials"]])
        quiet = self.session({"limits": {"timeoutMs": 120_000}})  # the policy of one is not that of another
        self.api.file("PUT", quiet, "fetch.py", FETCH)
        self.assertEqual(self.result(quiet, f"python3 fetch.py {web}")["code"], "E_CAPABILITY_DENIED")

    # proves: WSM-24, WSM-55
    def test_folders_are_mounted_as_the_policy_says_and_others_are_not_there(self):
        name = self.mounted(**{"in": "ro", "out": "rw"})
        self.assertEqual(self.output(name, "cat /mnt/in/text"), "of allowed/in")
        for attempt in ("echo changed > /mnt/in/text", "echo new > /mnt/in/new", "rm /mnt/in/text", "mkdir /mnt/in/folder",
                        "chmod 777 /mnt/in/text"):
            self.assertNotEqual(self.result(name, attempt)["exitCode"], 0, attempt)
        self.assertEqual({each.name: each.read_text() for each in (self.shared / "allowed/in").iterdir()},
                         {"text": "of allowed/in"})
        self.assertEqual(self.output(name, "cat /mnt/out/text; echo made > /mnt/out/made"), "of allowed/out")
        self.assertEqual((self.shared / "allowed/out/made").read_text(), "made\n")
        for path in ("/mnt/beside/text", self.shared / "allowed/beside/text", self.shared / "elsewhere/text",
                     "/mnt/in/../beside/text", "/mnt/out/../../" + str(self.shared / "elsewhere/text")):
            result = self.result(name, f"cat {path}")
            self.assertNotEqual(result["exitCode"], 0, path)
            self.assertEqual(result["stdout"], "", path)
        self.assertEqual(self.result(self.session(), "cat /mnt/in/text")["stdout"], "")

    # proves: WSM-24, WSM-79
    def test_folders_outside_of_what_the_operator_allows_are_refused(self):
        for path in (self.shared / "elsewhere", self.shared, "/etc", str(self.shared / "allowed") + "-not"):
            answer = self.api.create({"hostMounts": [{"hostPath": str(path), "sandboxPath": "/mnt/x", "mode": "ro"}]})
            self.assert_refused(answer, 400, "HOST_MOUNT_NOT_ALLOWED", "spec.security.hostMounts")
        answer = self.api.create({"hostMounts": [{"hostPath": str(self.shared / "allowed/../elsewhere"),
                                                  "sandboxPath": "/mnt/x", "mode": "ro"}]})
        self.assert_refused(answer, 400, "INVALID_FIELD", "hostMounts[0].hostPath")

    # proves: WSM-24
    def test_a_link_leads_nowhere_though_it_lies_in_an_allowed_folder(self):
        answer = self.api.create({"hostMounts": [self.given("in", "ro"), self.given("link", "rw")]})
        self.assert_refused(answer, 422, "LINK_IN_MOUNT", "spec.security.hostMounts[1].hostPath")
        self.assertNotIn(str(self.shared), json.dumps(answer[1]))

    # proves: WSM-54
    def test_a_folder_that_no_node_has_is_refused_before_there_is_a_session(self):
        answer = self.api.create({"hostMounts": [self.given("in", "ro"), self.given("absent", "ro")]})
        self.assert_refused(answer, 422, "MOUNT_NOT_FOUND", "spec.security.hostMounts[1].hostPath")
        self.assertNotIn(str(self.shared), json.dumps(answer[1]))

    # proves: WSM-24
    def test_a_folder_that_becomes_a_link_leads_nowhere(self):
        (self.shared / "allowed/swapped").mkdir()
        name = self.mounted(swapped="rw")
        (self.shared / "allowed/swapped").rmdir()
        (self.shared / "allowed/swapped").symlink_to(self.shared / "elsewhere")
        status, answer = self.api.run(name, "cat /mnt/swapped/text; echo made > /mnt/swapped/made")
        self.assertNotIn("of elsewhere", json.dumps(answer))
        self.assertFalse((self.shared / "elsewhere/made").exists())
        # A sandbox that was prepared before has the folder as it was, which is gone.
        self.assertTrue(status == 422 or (status == 200 and answer["exitCode"] != 0), (status, answer))
        self.assertNotIn(str(self.shared / "elsewhere"), json.dumps(answer))


if __name__ == "__main__":
    main()
