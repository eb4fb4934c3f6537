"""`paddock pool slurm` with Debian's Slurm: pilots come for runs that wait and go when idle; whatever is killed, each run ends once."""
import json
import os
import pathlib
import signal
import subprocess

from harness import BIN, PATIENCE_S, Instance, find_file, main, make_project, pids_running, send, wait_until
from joined_hosts import Host, controller_of
from slurm_cluster import OnSlurm

QUICK = "print('done')\n"
# Until it is told to end, by a signal that whoever does not wait for it ignores.
WAITS = """import signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGWINCH])
print("started", flush=True)
signal.sigwait([signal.SIGWINCH])
"""
FIRST_WAITS = "import os\nif os.environ['PADDOCK_RANK'] != '0': raise SystemExit\n" + WAITS
IDLE_FOR_LONG = {"idleExit": "20s"}  # of the only pilot that may come: it does not go before a busy machine has given it the run
RETRIED = {"maxAttempts": 5, "backoff": "1s"}
# Submits, and kills the pool before it can hear of it; once.
KILLING_SBATCH = """#!/bin/bash
out=$(/usr/bin/sbatch "$@") || exit 1
if [ ! -e {marker} ]; then touch {marker}; kill -9 "$PPID"; fi
echo "$out"
"""
# Notes each look, and from the first note on says that all jobs began long ago.
AGING_SQUEUE = """#!/bin/bash
[ -e {looks} ] || exec /usr/bin/squeue "$@"
echo >>{looks}
/usr/bin/squeue "$@" | awk -F'|' -v OFS='|' '{{ $3 -= 3600; print }}'
"""


def slurm_programs(folder, **others):
    """A folder with Slurm's programs, of which these are others."""
    folder.mkdir()
    for program in ("sbatch", "scancel", "squeue", "srun"):
        if program in others:
            (folder / program).write_text(others[program])
            (folder / program).chmod(0o755)
        else:
            (folder / program).symlink_to(f"/usr/bin/{program}")
    return folder


class Pool:
    """The program with its configuration; one pool for each test."""

    def __init__(self, test, name, **settings):
        self.test = test
        self.name = name
        self.folder = test.instance.home / f"shared-{name}"
        self.config = test.instance.home / f"{name}.yaml"
        self.log = test.instance.home / f"{name}.log"
        self.program = None
        token = test.instance.home / f"{name}.token"
        scopes = [word for each in ("runs:read", "nodes:read", "nodes:write") for word in ("--scope", each)]
        token.write_text(test.instance.run("admin", "token", "create", name, *scopes).stdout)
        self.config.write_text(json.dumps({
            "name": name, "server": controller_of(test.instance), "caFile": str(find_file(test.instance.home, "tls/ca.pem")),
            "tokenFile": str(token), "folder": str(self.folder), "namespaces": ["default"],
            "pilot": {"program": str(BIN / "paddock-node-agent"), "idleExit": "3s", "walltime": "30m", "tempDir": str(test.temp),
                      **settings.pop("pilot", {})},
            "size": {"minMemory": "900Mi"}, "lookEvery": "300ms", "submitEvery": "300ms", **settings}))
        test.addCleanup(self.end)

    def start(self):
        with open(self.log, "a") as log:
            self.program = subprocess.Popen([str(BIN / "paddock"), "pool", "slurm", "--config", str(self.config)],
                                            env=self.test.instance.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self

    def end(self, how=signal.SIGTERM):
        if self.program:
            self.program.send_signal(how)
            self.program.wait(PATIENCE_S)
            self.program = None

    def said(self, words):
        return self.log.read_text().count(words)

    def state(self):
        path = self.folder / "state.json"
        return json.loads(path.read_text()) if path.exists() else {"pilots": [], "waiting": {}, "refused": ""}

    def jobs(self):
        return self.test.slurm.jobs(self.name)

    def wait_without(self, job):
        """Until nothing of it is left, as Slurm sees it."""
        wait_until("Slurm to have ended it", lambda: job not in self.jobs())


class PoolCase(OnSlurm):
    def setUp(self):
        self.slurm.settle()
        self.instance = self.enterContext(Instance())
        self.temp = self.instance.home / "tmp"  # of the compute node
        self.temp.mkdir()
        self.project = make_project(self.instance.home / "project", quick__py=QUICK, waits__py=WAITS, first_waits__py=FIRST_WAITS)
        self.mark = f"waits-{os.getpid()}"
        self.instance.run("compute", self.project, "python3 quick.py", "--name", "first")  # uploads the project
        self.workspace = self.instance.run_object("first")["spec"]["workspace"]
        self.instance.run("delete", "run", "first")
        self.own = self.instance.get("nodes")["items"][0]["metadata"]["name"]
        self.instance.run("cordon", self.own)
        self.addCleanup(self.show)

    def show(self):
        if any(error for _, error in self._outcome.result.errors + self._outcome.result.failures):
            for log in [*self.instance.home.glob("*.log"), *self.instance.home.glob("shared-*/logs/*.log")]:
                print(f"--- {log.name}\n{log.read_text(errors='replace')[-3000:]}")
            self.slurm.show()

    def create(self, name, script="quick.py", timeout="20m", **more):
        status, answer = self.instance.post_run(name, {"type": "compute", "command": ["python3", script, self.mark], "workspace": self.workspace,
                                                       "timeout": timeout, **more})
        self.assertEqual(status, 201, answer)

    def start_one_that_waits(self, pool, **more):
        """A run `run` that goes on until it is told to end; returns the job of its pilot, once it runs."""
        self.create("run", "waits.py", **more)
        pool.start()
        wait_until("it to run", lambda: "started" in self.instance.run("logs", "run", check=False).stdout)
        return self.instance.run_object("run")["status"]["nodeName"].rpartition("-")[2]

    def tell(self):
        for pid in pids_running(self.mark):
            send(signal.SIGWINCH, pid)

    def pilot_files(self, name):
        return [*self.temp.glob(f"paddock-pilot-*/{name}")]

    def why(self, run):
        return self.instance.run_object(run)["status"].get("message", "")

    def nodes(self):
        return [each["metadata"]["name"] for each in self.instance.get("nodes")["items"]]

    def phases(self):
        return {each["metadata"]["name"]: each["status"]["phase"] for each in self.instance.get("runs")["items"]}

    def wait_all(self):
        """Until all have succeeded; what waits is told, at each of its attempts."""
        wait_until("all runs to succeed", lambda: self.tell() or set(self.phases().values()) == {"Succeeded"}, 2 * PATIENCE_S)

    def assert_gone(self, pool):
        """Its pilots went by themselves, and nothing of them is left."""
        wait_until("the pilots to go", lambda: not pool.jobs())
        wait_until("their nodes to go", lambda: self.nodes() == [self.own])
        wait_until("their tokens to go", lambda: not [*pool.folder.glob("*.token"), *pool.folder.glob("*.given"), *pool.folder.glob("*.intent")])


class SlurmPool(PoolCase):
    def test_pilots_come_for_runs_and_go_when_idle(self):
        for number in range(20):
            self.create(f"run-{number}")
        pool = Pool(self, "demand", maxPilots=2).start()
        self.wait_all()
        runs = self.instance.get("runs")["items"]
        self.assertEqual(len(runs), 20)
        for run in runs:
            self.assertEqual((run["status"]["attempt"], run["status"]["nodeName"].rpartition("-")[0]), (1, "demand"))
        self.assert_gone(pool)
        self.assertLess(pool.said("a pilot was submitted"), 20, "one serves several runs")

    def test_a_pilot_offers_what_its_allocation_has(self):
        pool = Pool(self, "exact")
        job = self.start_one_that_waits(pool)
        node = wait_until("its node", lambda: next((each for each in self.instance.get("nodes")["items"]
                                                    if each["metadata"]["name"] == f"exact-{job}" and each["status"].get("ready")), None))
        self.assertEqual(node["status"]["capacity"]["cpu"], 1)
        self.assertEqual(node["status"]["capacity"]["memory"], "900Mi")
        self.assertEqual(node["metadata"]["labels"]["paddock.dev/pool"], "exact")
        self.assertIn("endsAt", node["status"])
        script = self.slurm.run("scontrol", "write", "batch_script", job, "-")
        self.assertIn("pool='exact'", script)
        self.assertNotIn("pdke", script, "what Slurm stores holds no token")
        self.wait_all()
        self.assertIn("exact", self.instance.run("pool", "describe", "--config", pool.config).stdout)

    def test_a_run_that_may_outlive_a_pilot_gets_none(self):
        self.create("long", timeout="5m")
        pool = Pool(self, "short", pilot={"walltime": "5m"}).start()
        wait_until("a reason", lambda: "pilot.walltime" in self.why("long"))
        self.assertEqual(pool.jobs(), {})
        self.create("brief", timeout="30s")
        self.instance.wait_phase("brief", "Succeeded")
        self.assertEqual(self.phases()["long"], "Pending")
        wait_until("the controller to say so, too", lambda: "ends in less than" in self.instance.run_object("long")["status"]["message"])

    def test_what_slurm_says_of_a_wrong_partition_is_why_a_run_waits(self):
        self.create("run")
        pool = Pool(self, "wrong", slurm={"partition": "nowhere"}).start()
        wait_until("a reason", lambda: "; pool wrong: sbatch: " in self.why("run") and "nvalid partition" in self.why("run"))
        self.assertIn("nvalid partition", self.instance.run("pool", "describe", "--config", pool.config).stdout)
        self.assertEqual(pool.jobs(), {})

    def test_a_size_that_slurm_refuses_holds_up_no_other_run(self):
        self.create("large", resources={"memory": "8Gi"})  # more than the node has
        pool = Pool(self, "refused", maxPilots=1, maxQueued=1).start()
        wait_until("a reason", lambda: "; pool refused: sbatch: " in self.why("large"))
        self.assertEqual([*pool.folder.glob("*.intent")], [], "sbatch said that there is no job")
        self.create("small")
        self.instance.wait_phase("small", "Succeeded")
        self.assertIn("sbatch: ", self.why("large"))
        self.assert_gone(pool)

    def test_a_limit_that_is_reached_is_why_a_run_waits(self):
        pool = Pool(self, "limit", maxPilots=1, maxQueued=1)
        self.start_one_that_waits(pool, resources={"cpu": 1})
        self.create("second", resources={"cpu": 2})  # more than the pilot has
        self.create("large", resources={"memory": "100Gi"})
        wait_until("a limit", lambda: "maxPilots" in self.why("second"))
        wait_until("a size", lambda: "size.maxMemory" in self.why("large"))
        self.instance.run("delete", "run", "large")
        self.wait_all()
        self.assertNotIn("pool", self.why("second"))
        self.assert_gone(pool)

    def test_a_pilot_that_is_canceled_loses_and_doubles_nothing(self):
        pool = Pool(self, "cancel")
        job = self.start_one_that_waits(pool, retry=RETRIED)
        self.slurm.run("scancel", job)
        pool.wait_without(job)
        self.wait_all()
        run = self.instance.run_object("run")
        self.assertEqual(run["status"]["attempt"], 2)
        self.assertNotEqual(run["status"]["nodeName"], f"cancel-{job}")
        self.assert_gone(pool)

    def test_a_pilot_that_is_killed_loses_and_doubles_nothing(self):
        pool = Pool(self, "kill")
        job = self.start_one_that_waits(pool, retry=RETRIED)
        self.slurm.kill_all_of(job)
        pool.wait_without(job)
        self.wait_all()
        self.assertEqual(self.instance.run_object("run")["status"]["attempt"], 2)
        self.assert_gone(pool)
        wait_until("the next pilot to have removed what was left of it", lambda: not self.pilot_files(""))

    def test_a_pilot_that_leaves_while_the_pool_is_away_notes_that_it_had_joined(self):
        pool = Pool(self, "noted")
        job = self.start_one_that_waits(pool)
        pool.end()
        given = pool.folder / f"{job}.given"
        given.write_text("")  # as if the pool had gone before it could note that
        self.tell()
        pool.wait_without(job)
        self.assertEqual(given.read_text(), "joined\n")
        pool.start()
        self.assert_gone(pool)

    def test_a_walltime_ends_a_run_once(self):
        pool = Pool(self, "wall")
        job = self.start_one_that_waits(pool)
        submitted = pool.said("a pilot was submitted")
        self.slurm.run("scontrol", "update", f"JobId={job}", "TimeLimit=1")  # its agent was told another time
        pool.wait_without(job)
        self.instance.wait_phase("run", "Failed")
        run = self.instance.run_object("run")
        self.assertEqual((run["status"]["attempt"], run["status"]["reason"]), (1, "NODE_LOST"))
        self.assert_gone(pool)
        self.assertEqual(pool.said("a pilot was submitted"), submitted, "a run that is over asks for nothing")

    def test_a_pilots_token_is_good_for_nobody_else(self):
        pool = Pool(self, "token")
        job = self.start_one_that_waits(pool)
        self.assertEqual([*pool.folder.glob("*.token")], [])
        mine = self.pilot_files("token")
        self.assertEqual([path.stat().st_mode & 0o777 for path in mine], [0o600])
        thief = Host(self.instance, "thief")
        for name, reason in ((f"token-{job}", "ENROLL_TOKEN_SPENT"), ("thief", "ENROLL_TOKEN_OTHER_NODE")):
            refused = thief.node("join", "--server", controller_of(self.instance), "--name", name, "--token-file", mine[0], "--ca-file",
                                 find_file(self.instance.home, "tls/ca.pem"), check=False)
            self.assertIn(reason, refused.stderr)
        self.wait_all()
        self.assert_gone(pool)

    def test_a_pool_that_is_killed_after_sbatch_submits_nothing_twice(self):
        self.create("run", "waits.py")
        binaries = slurm_programs(self.instance.home / "bin", sbatch=KILLING_SBATCH.format(marker=self.instance.home / "killed"))
        pool = Pool(self, "restart", slurm={"binDir": str(binaries)}, pilot=IDLE_FOR_LONG).start()
        self.assertEqual(pool.program.wait(PATIENCE_S), -signal.SIGKILL)
        wait_until("the job", lambda: len(pool.jobs()) == 1)
        self.assertEqual(len([*pool.folder.glob("*.intent")]), 1)
        pool.start()
        self.wait_all()
        self.assertEqual(pool.said("a pilot was submitted"), 0, "the one of the killed program did it all")
        self.assert_gone(pool)

    def test_slurmctld_may_be_away(self):
        pool = Pool(self, "away", maxPilots=1, maxQueued=1)
        self.start_one_that_waits(pool)
        self.slurm.stop_controller()
        try:
            self.create("late")
            self.tell()
            self.instance.wait_phase("run", "Succeeded")
            wait_until("the pool to say so", lambda: pool.said("the pool looks again later"))
        finally:
            self.slurm.start_controller()
        self.wait_all()
        for run in self.instance.get("runs")["items"]:
            self.assertEqual(run["status"]["attempt"], 1)
        self.assert_gone(pool)

    def test_the_controller_may_be_away(self):
        pool = Pool(self, "alone", maxPilots=1, maxQueued=1)
        self.start_one_that_waits(pool)
        self.instance.kill("paddock-controller")
        wait_until("the pool to say so", lambda: pool.said("the pool looks again later"))
        self.instance.run("up")
        self.wait_all()
        self.assertEqual(self.instance.run_object("run")["status"]["attempt"], 1)
        self.assert_gone(pool)

    def test_one_program_serves_a_pool(self):
        pool = Pool(self, "single").start()
        wait_until("its first look", lambda: (pool.folder / "state.json").exists())
        second = self.instance.run("pool", "slurm", "--config", pool.config, check=False)
        self.assertIn("LOCK_HELD", second.stderr)
        os.chmod(pool.folder, 0o755)
        pool.end()
        third = self.instance.run("pool", "slurm", "--config", pool.config, check=False)
        self.assertIn("CONFIG_INVALID", third.stderr)


class GangPool(PoolCase):
    NODES = 2

    def create_gang(self, nodes, **more):
        self.create("gang", "waits.py", nodes=nodes, **more)
        self.members = [f"gang-{rank}" for rank in range(nodes)]

    def running_again(self):
        states = {(status["phase"], status["attempt"]) for status in (self.instance.run_object(each)["status"] for each in self.members)}
        return len(states) == 1 and all(phase == "Running" and attempt >= 2 for phase, attempt in states)

    def running(self):
        return ["started" in self.instance.run("logs", each, check=False).stdout for each in self.members] == [True] * len(self.members)

    def test_a_gang_gets_all_its_pilots_at_once_and_each_member_one_of_its_own(self):
        self.create_gang(2, retry=RETRIED)
        pool = Pool(self, "gang", maxPilots=2).start()
        wait_until("both members to run", self.running)
        (job,) = pool.jobs()
        self.assertEqual({self.instance.run_object(each)["status"]["nodeName"] for each in self.members}, {f"gang-{job}-r0", f"gang-{job}-r1"})
        self.assertEqual(len(self.slurm.run("scontrol", "show", "hostnames", self.slurm.run("squeue", "--noheader", "--format=%N").strip())
                             .splitlines()), 2)
        self.assertEqual([each["node"] for each in pool.state()["pilots"]], [f"gang-{job}-r0", f"gang-{job}-r1"])
        self.assertEqual(len(self.pilot_files("")), 2)
        wait_until("the pool to note that both have joined", lambda: [path.read_text() for path in pool.folder.glob("*.given")] == 2 * ["joined\n"])
        pool.end()
        self.slurm.run("scancel", job)
        pool.wait_without(job)
        self.assertEqual(self.pilot_files(""), [], "each pilot had time to remove its data")
        self.assertEqual((pool.folder / "logs" / f"{job}.log").read_text().count("agent stopped"), 2)
        pool.start()
        wait_until("both members to be placed again, together", lambda: job not in pool.jobs() and self.running_again())
        self.wait_all()
        self.assertEqual(len(pool.jobs()), 1, "one job is all of a gang's pilots")

    def test_a_pilot_of_a_gang_that_is_killed_has_all_members_placed_again(self):
        self.create_gang(2, retry=RETRIED)
        pool = Pool(self, "killed").start()
        wait_until("both members to run", self.running)
        (job,) = pool.jobs()
        self.slurm.kill_all_of(job, self.slurm.nodes()[1])
        wait_until("both members to be placed again, together", self.running_again)
        self.wait_all()

    def test_a_pilot_of_a_gang_that_was_idle_and_left_costs_the_others_nothing(self):
        self.create("gang", "first_waits.py", nodes=2)
        looks = self.instance.home / "looks"
        binaries = slurm_programs(self.instance.home / "bin", squeue=AGING_SQUEUE.format(looks=looks))
        pool = Pool(self, "left", slurm={"binDir": str(binaries)}).start()
        self.instance.wait_phase("gang-1", "Succeeded")
        wait_until("the other to run", lambda: "started" in self.instance.run("logs", "gang-0", check=False).stdout)
        node = self.instance.run_object("gang-1")["status"]["nodeName"]
        for pid in pids_running(str(BIN / "paddock-node-agent")):  # as if it had been idle for two minutes
            if f"PADDOCK_NODE_AGENT_NAME={node}".encode() in pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                send(signal.SIGTERM, pid)
        wait_until("it to leave", lambda: node not in self.nodes())
        looks.touch()
        wait_until("the pool to have looked twice", lambda: len(looks.read_text()) >= 3)
        self.assertEqual({each["node"]: each["state"] for each in pool.state()["pilots"]}[node], "left")
        self.assertEqual(pool.said("was canceled"), 0)
        self.wait_all()
        self.assertEqual(self.instance.run_object("gang-0")["status"]["attempt"], 1)

    def test_a_gang_that_the_budget_cannot_hold_gets_none_and_says_so(self):
        self.create_gang(2)
        pool = Pool(self, "small", maxPilots=1, maxQueued=1).start()
        wait_until("the gang to say so", lambda: "; pool small: its gang's 2 members need a pilot each, and there are at most 1 (maxPilots)"
                   in self.why("gang"))
        self.create("run")
        self.instance.wait_phase("run", "Succeeded")
        self.assertEqual(pool.said("a pilot was submitted"), 1, "of the run behind it")

    def test_a_gang_of_more_members_than_slurm_has_nodes_says_what_slurm_says(self):
        self.create_gang(3)
        pool = Pool(self, "many").start()
        wait_until("the gang to say so", lambda: "; pool many: job " in self.why("gang") and "(PartitionNodeLimit)" in self.why("gang"))
        self.instance.run("delete", "run", "gang")
        wait_until("the job to be canceled", lambda: not pool.jobs())


if __name__ == "__main__":
    main()
