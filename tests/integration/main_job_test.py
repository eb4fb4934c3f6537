"""The main job through the real programs: what a user sees from `paddock up` to `paddock down`."""
import json
import os
import signal
import socket

from harness import PATIENCE_S, ProjectTest, main, make_project, pids_running, wait_until

SLOW = """
import sys, time
for i in range(6000):
    print(f"line {i}", flush=True)
    time.sleep(0.1)
"""
JOB = """
import json, os, sys
os.makedirs("models", exist_ok=True)
json.dump({"argv": sys.argv[1:]}, open("models/index.json", "w"))
open("models/index.bin", "wb").write(bytes(range(256)) * 1000)
open("models/helper.py", "w").write("print('no')")
open("models/page.html", "w").write("<p>no</p>")
os.symlink("/etc/passwd", "models/passwd.txt")
print("built", "*.json", flush=True)
print("to stderr", file=sys.stderr)
"""


class MainJob(ProjectTest):
    # proves: ORB-09, ORB-13, ORB-35, ORB-149
    def test_runs_a_job_and_brings_its_artifacts_back(self):
        make_project(self.project, job__py=JOB, requirements__txt="# nothing\n")
        done = self.instance.run("compute", self.project, "python3 job.py --variant s2 --no-acn",
                                 "--requirements", "requirements.txt", "--artifact-dir", "models/", "--verbose")
        self.assertIn("built *.json", done.stdout)
        self.assertIn("to stderr", done.stderr)
        self.assertEqual(json.loads((self.project / "models/index.json").read_text()),
                         {"argv": ["--variant", "s2", "--no-acn"]})
        self.assertEqual((self.project / "models/index.bin").stat().st_size, 256000)
        for refused in ("helper.py", "page.html", "passwd.txt"):
            self.assertFalse((self.project / "models" / refused).exists(), refused)
            self.assertIn(refused, done.stderr)
        for capability in ("filesystem", "network", "memory", "pids", "syscalls"):
            self.assertIn(capability, done.stderr)

    # proves: ORB-08, ORB-34
    def test_output_is_there_while_the_job_runs_and_its_two_streams_stay_apart(self):
        make_project(self.project, job__py="import sys, time\nfor i in range(3):\n    print('out', i, flush=True)\n"
                                           "    print('err', i, file=sys.stderr, flush=True)\ntime.sleep(600)\n")
        client = self.instance.start("compute", self.project, "python3 job.py", "--name", "live")
        self.assertEqual([client.stdout.readline() for _ in range(3)], [f"out {i}\n" for i in range(3)])
        self.assertIn("err 0\n", iter(client.stderr.readline, ""))
        self.assertEqual(self.instance.run_object("live")["status"]["phase"], "Running")  # all of that came before its end
        self.instance.run("cancel", "live")
        client.communicate(timeout=PATIENCE_S)
        events = [json.loads(line) for line in self.instance.run("events", "live", "-o", "json").stdout.splitlines()]
        for stream in ("stdout", "stderr"):
            text = "".join(each["data"] for each in events if each["type"] == stream)
            self.assertEqual(text, "".join(f"{stream[3:]} {i}\n" for i in range(3)))
        self.assertEqual([each["id"] for each in events], list(range(1, len(events) + 1)))
        nobody = self.instance.run("logs", "-f", "nobody", check=False)
        self.assertIn("RUN_NOT_FOUND", nobody.stderr)
        self.assertNotEqual(nobody.returncode, 0)

    # proves: ORB-17
    def test_only_the_named_folders_come_back_and_only_names_inside_the_project_pass(self):
        make_project(self.project, job__py="import os\nfor d in 'abc':\n    os.makedirs(d, exist_ok=True)\n    open(d + '/f.txt', 'w').write(d)\n")
        self.instance.run("compute", self.project, "python3 job.py", "--artifact-dir", "a", "--artifact-dir", "c/")
        self.assertEqual([(self.project / d / "f.txt").exists() for d in "abc"], [True, False, True])
        before = len(self.instance.get("runs")["items"])
        for bad in ("../out", "/tmp/out", "a/../../out", ".."):
            refused = self.instance.run("compute", self.project, "python3 job.py", "--artifact-dir", bad, check=False)
            self.assertNotEqual(refused.returncode, 0, bad)
            self.assertIn(bad, refused.stderr)
        self.assertEqual(len(self.instance.get("runs")["items"]), before)

    # proves: ORB-142
    def test_a_host_that_is_down_is_said_at_once_and_nothing_is_sent(self):
        make_project(self.project, job__py="print('ran')\n")
        token = self.project / "token"
        token.write_text("t" * 40)
        with socket.socket() as taken:  # bound and not listening: nobody answers, nobody else can
            taken.bind(("127.0.0.1", 0))
            url = f"https://127.0.0.1:{taken.getsockname()[1]}"
            down = self.instance.run("compute", self.project, "python3 job.py", "--server", url, "--token-file", token,
                                     check=False)
        self.assertNotEqual(down.returncode, 0)
        self.assertIn(url.removeprefix("https://"), down.stderr)
        self.assertNotIn("upload", down.stderr)

    # proves: ORB-07
    def test_a_second_run_uploads_nothing_and_says_so(self):
        make_project(self.project, job__py="print('hi')\n")
        first = self.instance.run("compute", self.project, "python3 job.py")
        self.assertNotIn("uploaded 0 B", first.stderr)
        second = self.instance.run("compute", self.project, "python3 job.py")
        self.assertIn("uploaded 0 B", second.stderr)

    # proves: ORB-143, ORB-144
    # proves partly: ORB-148, ORB-151, ORB-152, ORB-153, ORB-156, ORB-157, ORB-158
    def test_phases_are_told_in_their_order_and_end_in_one_line_of_times(self):
        make_project(self.project, job__py="import os; os.makedirs('out', exist_ok=True); open('out/a.txt', 'w').write('phases')\n")
        plain = self.instance.run("compute", self.project, "python3 job.py", "--artifact-dir", "out").stderr
        times = [line for line in plain.splitlines() if line.startswith("times: ")]
        self.assertEqual(len(times), 1, plain)
        names = [part.split()[0] for part in times[0].removeprefix("times: ").split(", ")]
        self.assertEqual(names, ["hash", "upload", "queue", "workspace", "environment", "run", "artifacts", "download", "total"])
        self.assertNotIn("\x1b", plain)
        (self.project / "more.txt").write_text("more")
        told = self.instance.run("compute", self.project, "python3 job.py", "--artifact-dir", "out", "--progress", "json")
        objects = [json.loads(line) for line in told.stderr.splitlines()]
        phases = [o["phase"] for o in objects if o["type"] == "phase"]
        self.assertEqual(phases[:2] + phases[-2:], ["hash", "upload", "Succeeded", "download"])
        self.assertIn({"type": "progress", "phase": "upload", "done": 4, "total": 4}, objects)
        self.assertEqual([o["type"] for o in objects[-2:]], ["timings", "result"])
        [created] = [o for o in objects if o["type"] == "run"]
        self.assertEqual(self.instance.run_object(created["name"])["metadata"]["uid"], created["uid"])
        self.assertEqual([o for o in objects if o["type"] == "artifact"],
                         [{"type": "artifact", "path": "out/a.txt", "size": 6, "file": str(self.project / "out/a.txt")}])
        end = objects[-1]
        self.assertEqual([end[k] for k in ("name", "phase", "status", "rc", "artifacts", "exitCode")],
                         [created["name"], "Succeeded", "OK", 0, 1, 0])
        failed = self.instance.run("run", "--progress", "json", "--", "sh", "-c", "exit 3", check=False)
        end = json.loads(failed.stderr.splitlines()[-1])
        self.assertEqual([end["type"], end["phase"], end["reason"], end["rc"], end["exitCode"], failed.returncode],
                         ["result", "Failed", "NonZeroExit", 3, 3, 3])
        self.assertEqual(self.instance.run("compute", self.project, "python3 job.py", "--progress", "xml", check=False).returncode, 2)

    # proves: ORB-148
    def test_a_failed_jobs_exit_code_comes_through_and_what_it_left_with_a_word(self):
        make_project(self.project, job__py="import os, sys; os.makedirs('out', exist_ok=True); "
                                           "open('out/left.txt', 'w').write('whole'); sys.exit(7)\n")
        done = self.instance.run("compute", self.project, "python3 job.py", "--artifact-dir", "out", "--name", "fails",
                                 check=False)
        self.assertEqual(done.returncode, 7)
        self.assertIn("of a run that did not succeed", done.stderr)
        self.assertEqual((self.project / "out" / "left.txt").read_text(), "whole")
        self.instance.run("artifacts", "fails", "--output", self.project / "back")
        self.assertEqual((self.project / "back" / "out" / "left.txt").read_text(), "whole")

    # proves: ORB-148
    def test_a_file_that_cannot_come_back_keeps_no_other_one_back_and_is_named(self):
        make_project(self.project, job__py="import os; os.makedirs('out', exist_ok=True)\n"
                                           "for name in ('a.json', 'b.json', 'c.json', 'win\\\\path.json', 'page.html'):\n"
                                           "    open('out/' + name, 'w').write(name)\n")
        (self.project / "results" / "out" / "b.json").mkdir(parents=True)
        done = self.instance.run("compute", self.project, "python3 job.py", "--artifact-dir", "out",
                                 "--output", self.project / "results", check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("ARTIFACTS_NOT_WRITTEN", done.stderr)
        self.assertIn("out/b.json", done.stderr)
        self.assertEqual((self.project / "results" / "out" / "a.json").read_text(), "a.json")
        self.assertEqual((self.project / "results" / "out" / "c.json").read_text(), "c.json")
        for left in ("path.json", "page.html"):
            self.assertIn(left, done.stderr.split("not brought back:")[1])

    # proves: ORB-19, ORB-120, VLT-44, VLT-97
    def test_a_timeout_ends_the_job_with_124_and_all_that_it_started(self):
        left = f"left-behind-{os.getpid()}.py"
        make_project(self.project, job__py=f"import subprocess\n"
                                           f"subprocess.Popen(['python3', '{left}'], start_new_session=True)\n"
                                           f"while True: pass\n")
        (self.project / left).write_text("import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)\n")
        for timeout in ("8s", "90s"):  # longer where the machine needs it for the job to start what it leaves behind
            job = self.instance.start("compute", self.project, "python3 job.py", "--timeout", timeout)
            wait_until("the job's daemon, or the end of its time", lambda: pids_running(left) or job.poll() is not None)
            seen = pids_running(left)
            job.communicate(timeout=PATIENCE_S)
            self.assertEqual(job.returncode, 124)
            self.assertEqual(pids_running(left), [])
            if seen:
                break
        self.assertTrue(seen, "there was a daemon")

    # proves: ORB-24, ORB-26, ORB-97, ORB-98, ORB-99
    def test_refused_commands_name_the_rule_and_start_nothing(self):
        make_project(self.project, job__py="print('ran')\n")
        before = len(self.instance.get("runs")["items"])
        for command, reason in (("python3 -c 'print(1)'", "COMMAND_FLAG_BLOCKED"),
                                ("python3 -Ic 'print(1)'", "COMMAND_FLAG_BLOCKED"),
                                ("python3 -m http.server", "COMMAND_FLAG_BLOCKED"),
                                ("ruby job.rb", "COMMAND_NOT_ALLOWED"),
                                ("python3 job.py | tee x", "COMMAND_METACHARACTER"),
                                ("python3 ../job.py", "PATH_ESCAPES_WORKSPACE")):
            done = self.instance.run("compute", self.project, command, check=False)
            self.assertEqual(done.returncode, 126, command + done.stderr)
            self.assertIn(reason, done.stderr, command)
        self.assertEqual(len(self.instance.get("runs")["items"]), before)

    # proves: ORB-57, ORB-58, ORB-59, ORB-60, ORB-61, ORB-62, ORB-64
    def test_the_environment_is_exactly_the_documented_one(self):
        make_project(self.project, job__py="import json, os; print(json.dumps(dict(os.environ)))\n")
        done = self.instance.run("compute", self.project, "python3 job.py")
        env = json.loads(done.stdout.strip().splitlines()[-1])
        env.pop("LC_CTYPE", None)  # set by CPython itself when the locale is missing (PEP 538)
        self.assertEqual(env, {"PATH": "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin", "HOME": "/workspace",
                               "TMPDIR": "/tmp", "PYTHONPATH": "", "LANG": "en_US.UTF-8"})

    def test_a_detached_run_can_be_followed_and_waited_for(self):
        make_project(self.project, job__py="import sys\nfor i in range(5): print('tick', i, flush=True)\nsys.exit(3)\n")
        name = self.instance.run("compute", self.project, "python3 job.py", "--detach").stdout.strip()
        followed = self.instance.run("logs", "-f", name)
        self.assertEqual([l for l in followed.stdout.splitlines() if l.startswith("tick")], [f"tick {i}" for i in range(5)])
        self.assertEqual(self.instance.run("wait", name, check=False).returncode, 3)
        again = self.instance.run("logs", name)
        self.assertEqual(again.stdout, followed.stdout)

    # proves: WSM-17
    def test_cancel_ends_a_running_job(self):
        make_project(self.project, job__py=SLOW)
        name = self.instance.run("compute", self.project, "python3 job.py", "--detach").stdout.strip()
        self.instance.wait_phase(name, "Running")
        self.instance.run("cancel", name)
        run = self.instance.wait_phase(name, "Canceled", "Succeeded", "Failed")
        self.assertEqual(run["status"]["phase"], "Canceled")
        self.assertEqual(run["status"]["result"]["status"], "CANCELED")

    def test_ctrl_c_cancels_a_foreground_run(self):
        make_project(self.project, job__py=SLOW)
        client = self.instance.start("compute", self.project, "python3 job.py", "--name", "ctrl-c")
        wait_until("first output", lambda: client.stdout.readline().startswith("line"))
        client.send_signal(signal.SIGINT)
        client.communicate(timeout=PATIENCE_S)
        self.assertEqual(self.instance.wait_phase("ctrl-c", "Canceled", "Failed", "Succeeded")["status"]["phase"], "Canceled")
        self.assertIn(client.returncode, (130, 143))

    def test_ctrl_c_on_logs_only_detaches(self):
        make_project(self.project, job__py=SLOW)
        name = self.instance.run("compute", self.project, "python3 job.py", "--detach").stdout.strip()
        reader = self.instance.start("logs", "-f", name)
        wait_until("first output", lambda: reader.stdout.readline().startswith("line"))
        reader.send_signal(signal.SIGINT)
        reader.communicate(timeout=PATIENCE_S)
        self.assertFalse(self.instance.run_object(name)["spec"]["cancelRequested"])
        self.instance.wait_phase(name, "Running")
        self.instance.run("cancel", name)
        self.instance.wait_phase(name, "Canceled")

    def test_output_formats_and_describe(self):
        make_project(self.project, job__py="print('x')\n")
        self.instance.run("compute", self.project, "python3 job.py", "--name", "shown")
        self.assertIn("NAME", self.instance.run("get", "runs").stdout)
        self.assertIn("shown", self.instance.run("get", "runs", "-o", "name").stdout)
        self.assertIn("kind: Run", self.instance.run("get", "run", "shown", "-o", "yaml").stdout)
        described = self.instance.run("describe", "run", "shown").stdout
        for word in ("Succeeded", "filesystem", "python3 job.py"):
            self.assertIn(word, described)
        events = self.instance.run("events", "shown").stdout
        self.assertIn("end", events)
        self.assertEqual(self.instance.run("get", "run", "nope", check=False).returncode, 127)

    # proves: ORB-02
    def test_a_run_that_asks_for_an_accelerator_waits_and_says_why(self):
        if self.instance.get("nodes")["items"][0]["status"]["devices"]:
            self.skipTest("this host has an accelerator")
        make_project(self.project, job__py="print('x')\n")
        name = self.instance.run("compute", self.project, "python3 job.py", "--detach", "--accelerator", "nvidia=1").stdout.strip()
        run = wait_until("the reason", lambda: (lambda r: r if "nvidia" in r["status"].get("message", "") else None)(
            self.instance.run_object(name)))
        self.assertEqual(run["status"]["phase"], "Pending")
        self.instance.run("cancel", name)
        self.assertEqual(self.instance.wait_phase(name, "Canceled")["status"]["phase"], "Canceled")


if __name__ == "__main__":
    main()
