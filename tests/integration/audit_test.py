"""The audit log of a live instance: what really happened, once and in order."""

import json
import tempfile
import unittest

from harness import Instance, make_project

FORGED = '{"id":1,"type":"sandbox.destroy","subject":"admin"}'


class Audit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.instance = Instance()
        cls.enterClassContext(cls.instance)
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="paddock-project-"))
        cls.project = make_project(
            folder,
            ok__py="print('fine')\n",
            reach__py="import socket\nsocket.create_connection(('10.1.2.3', 80), 1)\n",
            flood__py="import sys\nsys.stdout.write('x' * ((64 << 20) + 1))\n",
            spin__py="while True: pass\n",
            forge__py=f"import sys\nprint({FORGED!r})\nprint({FORGED!r}, file=sys.stderr)\n")

    def run_and_read(self, name, script, *options):
        """The audit events of one run, oldest first."""
        self.instance.run("compute", self.project, f"python3 {script}", "--name", name, *options, check=False)
        uid = self.instance.run_object(name)["metadata"]["uid"]
        lines = self.instance.run("audit", "--session", uid, "-o", "json").stdout.splitlines()
        return [json.loads(line) for line in lines]

    # proves: WSM-45, WSM-51
    def test_a_command_is_told_once_in_order_with_its_keys(self):
        events = self.run_and_read("ok", "ok.py")
        self.assertEqual([e["type"] for e in events], ["object.create", "command.start", "command.complete"])
        self.assertEqual(events[0]["subject"], "admin")
        start, end = events[1:]
        self.assertEqual(start["command_id"], start["session_id"] + "/1")
        self.assertEqual(end["command_id"], start["command_id"])
        self.assertEqual((end["details"]["status"], end["details"]["rc"]), ("OK", "0"))
        self.assertEqual(sorted(e["id"] for e in events), [e["id"] for e in events])

    # proves: WSM-46, WSM-90
    def test_a_timeout_is_told_as_such(self):
        types = [e["type"] for e in self.run_and_read("spin", "spin.py", "--timeout", "1s")]
        self.assertEqual(types[-1], "command.timeout")
        self.assertNotIn("command.complete", types)

    # proves: WSM-46
    def test_a_cancel_is_told_with_who_asked(self):
        self.instance.run("compute", self.project, "python3 spin.py", "--name", "canceled", "--detach")
        self.instance.wait_phase("canceled", "Running")
        self.instance.run("cancel", "canceled")
        self.instance.wait_phase("canceled", "Canceled")
        uid = self.instance.run_object("canceled")["metadata"]["uid"]
        lines = self.instance.run("audit", "--session", uid, "-o", "json").stdout.splitlines()
        events = [json.loads(line) for line in lines]
        self.assertEqual([(e["type"], e.get("subject", "").split(":")[0]) for e in events][-2:],
                         [("run.cancel", "admin"), ("command.cancelled", "node")])

    # proves: WSM-47, WSM-90
    def test_a_denial_is_told_with_its_target(self):
        denied = [e for e in self.run_and_read("reach", "reach.py") if e["type"] == "capability.denied"]
        self.assertEqual(len(denied), 1)
        self.assertEqual(denied[0]["reason"], "E_CAPABILITY_DENIED")
        self.assertIn("10.1.2.3", denied[0]["details"]["target"])

    # proves: WSM-48, WSM-90
    def test_a_limit_is_told_with_its_name(self):
        limits = [e for e in self.run_and_read("flood", "flood.py") if e["type"] == "limit.exceeded"]
        self.assertEqual([e["details"]["limit"] for e in limits], ["stdout"])

    # proves: WSM-50, WSM-52
    def test_a_program_cannot_forge_an_event(self):
        events = self.run_and_read("forge", "forge.py")
        self.assertEqual([e["type"] for e in events], ["object.create", "command.start", "command.complete"])
        everything = self.instance.run("audit", "-o", "json", "--limit", "5000").stdout.splitlines()
        self.assertNotIn("sandbox.destroy", [json.loads(line)["type"] for line in everything])

    def test_a_table_for_people(self):
        self.run_and_read("shown", "ok.py")
        table = self.instance.run("audit", "--type", "command.complete", "--since", "1h").stdout
        self.assertIn("default/runs/shown", table)
        self.assertTrue(table.startswith("ID"), table)


if __name__ == "__main__":
    unittest.main()
