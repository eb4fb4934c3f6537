"""A host that is lent until a known time, by a batch system or as a spot instance: its agent takes what ends before, and goes."""
import datetime

from harness import PATIENCE_S, main, wait_until
from joined_hosts import JoinedHosts, make_token


def from_now(**time):
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(**time)).strftime("%Y-%m-%dT%H:%M:%SZ")


class LentHost(JoinedHosts):
    def nodes(self):
        return [each["metadata"]["name"] for each in self.instance.get("nodes")["items"]]

    def start(self, *options):
        """Joined and started, whether or not it is there for long enough to be seen."""
        host = self.host("lent")
        host.join(make_token(self.instance, "lent")[1])
        with open(host.config, "a") as config:
            config.writelines(line + "\n" for line in options)
        host.start()
        return host

    def assert_went(self, host, why):
        said = host.folder / "latest.log"
        self.assertEqual(host.agent.wait(PATIENCE_S), 0, said.read_text())
        self.assertIn(why, said.read_text())
        self.assertEqual(self.nodes(), [self.own], said.read_text())
        self.assertFalse(host.has_joined(), "a node that left has no credential")

    def test_it_gets_only_what_ends_before_it(self):
        host = self.joined("lent", f"endsAt: {from_now(minutes=30)}")
        self.assertIn("runs that end before", self.instance.run("describe", "node", "lent").stdout)
        self.assertEqual(self.instance.get("node", "lent")["status"].get("maxSessions", 0), 0)
        self.instance.run("compute", self.project, "python3 quick.py", "--detach", "--name", "long", "--timeout", "30m")
        wait_until("a reason", lambda: "ends in less than 32m (the longest stays" in self.instance.run_object("long")["status"].get("message", ""))
        self.instance.run("compute", self.project, "python3 quick.py", "--name", "short", "--timeout", "5m")
        self.assertEqual(self.instance.run_object("short")["status"]["nodeName"], "lent")
        self.instance.run("uncordon", self.own)
        self.instance.wait_phase("long", "Succeeded")
        host.end()
        wait_until("a lent host whose agent stopped to be listed no more", lambda: self.nodes() == [self.own])

    def test_its_runs_take_commands_and_files_though_it_takes_no_sessions(self):
        host = self.joined("lent", f"endsAt: {from_now(minutes=30)}")
        self.instance.run("run", "--detach", "--name", "here", "--timeout", "5m", "--", "sh", "-c", "echo READY; while [ ! -e go ]; do sleep 0.05; done")
        wait_until("the run", lambda: "READY" in self.instance.run("logs", "here").stdout)
        self.assertEqual(self.instance.run_object("here")["status"]["nodeName"], "lent")
        self.assertEqual(self.instance.run("exec", "here", "--", "echo", "seen").stdout, "seen\n")
        self.instance.run("cp", __file__, "here:go")
        self.instance.wait_phase("here", "Succeeded")
        self.instance.run("uncordon", self.own)
        host.end()

    def test_it_goes_when_its_time_is_over(self):
        self.assert_went(self.start(f"endsAt: {from_now(seconds=2)}"), "its host's time is over")

    def test_it_goes_when_it_is_idle(self):
        self.assert_went(self.start(f"endsAt: {from_now(hours=1)}", "idleExit: 1s"), "nothing ran here for 1s")


if __name__ == "__main__":
    main()
