"""What an operator adds of /etc: seen in every kind of sandbox of the node, and nothing that must not be."""
import json
import pathlib
import unittest

from harness import Instance, main

NAME = "login.defs"


@unittest.skipUnless(pathlib.Path("/etc", NAME).exists(), f"this host has no /etc/{NAME}")
class EtcFiles(unittest.TestCase):
    def test_what_the_operator_named_is_there(self):
        instance = Instance()
        instance.env["PADDOCK_NODE_AGENT_ETC_FILES"] = json.dumps([NAME])
        with instance:
            wanted = pathlib.Path("/etc", NAME).read_text()
            self.assertEqual(instance.run("run", "--", "cat", f"/etc/{NAME}").stdout, wanted)
            name = instance.run("sandbox", "create").stdout.strip()
            self.assertEqual(instance.run("sandbox", "exec", name, f"cat /etc/{NAME}").stdout, wanted)
            self.assertNotEqual(instance.run("run", "--", "cat", "/etc/adduser.conf", check=False).returncode, 0)

    def test_what_no_sandbox_may_see_ends_the_start(self):
        instance = Instance()
        instance.env["PADDOCK_NODE_AGENT_ETC_FILES"] = json.dumps([NAME, "shadow"])
        try:
            refused = instance.run("up", check=False)
            logs = "".join(path.read_text(errors="replace") for path in instance.home.rglob("*.log"))
            self.assertIn("etcFiles[1]", refused.stderr + logs)
        finally:
            instance.__exit__(None, None, None)


if __name__ == "__main__":
    main()
