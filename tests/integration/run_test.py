"""`paddock run`: any program with any words, its variables, its limits, its input; and what compute says of it."""
import concurrent.futures
import json
import os
import shutil
import signal
import subprocess
import tempfile
import unittest

from harness import BIN, PATIENCE_S, ProjectTest, main, make_project, wait_until

ODD_WORDS = ["-c", "conf.yaml", "-m", "x", "--prompt", "what; is > this | ?", "http://x/?a=1&b=2", "/volumes/captions",
             "/tmp/x", "../up", "", "two words", "$HOME `id` $(id)", "*", "~", "ä🦀", "a\nb", "--"]
SHOW = "import json, sys\nprint(json.dumps(sys.argv[1:]))\n"


class Runs(ProjectTest):
    def paddock(self, *words, stdin=None, check=True, **variables):
        done = subprocess.run([str(BIN / "paddock"), *map(str, words)], env={**self.instance.env, **variables}, input=stdin,
                              stdin=None if stdin is not None else subprocess.DEVNULL, text=True, capture_output=True,
                              timeout=PATIENCE_S * 2, cwd=self.project)
        if check and done.returncode != 0:
            self.instance.print_logs()
            self.fail(f"paddock {words} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    def runs(self):
        return len(self.instance.get("runs")["items"])

    # --- any program, any words ---

    def test_a_program_gets_its_words_as_they_are(self):
        make_project(self.project, show__py=SHOW)
        for options in ((), ("--detach",)):
            done = self.paddock("run", ".", *options, "--", "python3", "show.py", *ODD_WORDS)
            out = done.stdout
            if options:
                self.assertEqual(self.paddock("wait", out.strip()).returncode, 0)
                out = self.paddock("logs", out.strip()).stdout
            self.assertEqual(json.loads(out), ODD_WORDS)

    def test_modules_scripts_and_shells_run_as_they_are(self):
        make_project(self.project, pkg__py="print('a module')\n", go__sh="echo script; exec 2>&1; echo two >&2\n")
        self.assertEqual(self.paddock("run", ".", "--", "python3", "-m", "pkg").stdout, "a module\n")
        self.assertEqual(self.paddock("run", ".", "--", "python3", "-c", "print(6 * 7)").stdout, "42\n")
        self.assertEqual(self.paddock("run", ".", "--", "bash", "go.sh").stdout, "script\ntwo\n")
        self.assertEqual(self.paddock("run", ".", "--", "sh", "-c", "echo a b | tr ' ' '\\n' | sort -r; ls").stdout,
                         "b\na\ngo.sh\npkg.py\n")
        for program, words in (("perl", ["-e", "print 6 * 7"]), ("awk", ["BEGIN { print 6 * 7 }"])):
            if shutil.which(program):
                self.assertEqual(self.paddock("run", "--", program, *words).stdout.strip(), "42", program)

    def test_a_programs_own_file_is_executed_where_it_may_be(self):
        make_project(self.project, tool="#!/bin/sh\necho tool \"$@\"\n", text="#!/bin/sh\necho no\n")
        (self.project / "tool").chmod(0o755)
        self.assertEqual(self.paddock("run", ".", "--", "./tool", "a b").stdout, "tool a b\n")
        self.assertEqual(self.paddock("run", ".", "--", "/workspace/tool").stdout, "tool\n")
        self.assertEqual(self.paddock("run", "--", "/usr/bin/env", "echo", "absolute").stdout, "absolute\n")
        denied = self.paddock("run", ".", "--", "./text", check=False)
        self.assertEqual(denied.returncode, 126)
        self.assertIn("Permission denied", denied.stderr)

    @unittest.skipUnless(shutil.which("gcc"), "gcc is not here")
    def test_what_is_compiled_inside_runs_inside(self):
        make_project(self.project, main__c='#include <stdio.h>\nint main(void) { puts("compiled"); return 3; }\n')
        done = self.paddock("run", ".", "--", "sh", "-c", "gcc -o out main.c && ./out", check=False)
        self.assertEqual((done.returncode, done.stdout), (3, "compiled\n"), done.stderr)

    def test_a_program_that_is_not_there_is_named(self):
        gone = self.paddock("run", "--name", "gone", "--", "no-such-program", "x", check=False)
        self.assertEqual(gone.returncode, 127)
        self.assertIn("command not found: no-such-program", gone.stderr)
        self.assertIn("command not found", self.instance.run_object("gone")["status"]["message"])
        make_project(self.project, tool="#!/bin/sh\n")
        self.assertIn("`paddock run DIR", self.paddock("run", "--", "./tool", check=False).stderr)

    def test_a_folder_that_is_not_there_is_named_whole(self):
        make_project(self.project, text="x")
        missing, file = os.path.join(self.project, "deep", "er"), os.path.join(self.project, "text")
        for words in (["run", missing, "--", "true"], ["compute", missing, "python3 a.py"], ["plan", missing, "python3 a.py"]):
            said = self.paddock(*words, check=False)
            self.assertIn(f"there is no folder {missing}", said.stderr)
            self.assertIn("ROOT_NOT_FOUND", said.stderr)
        said = self.paddock("compute", file, "python3 a.py", check=False)
        self.assertIn(f"{file} is no folder", said.stderr)

    def test_exit_codes_come_through(self):
        for code in (1, 7, 255):
            self.assertEqual(self.paddock("run", "--", "sh", "-c", f"exit {code}", check=False).returncode, code)
        killed = self.paddock("run", "--", "sh", "-c", "kill -SEGV $$", check=False)
        self.assertEqual(killed.returncode, 139)
        self.assertIn("signal 11", killed.stderr)

    # --- files ---

    def test_without_a_folder_no_file_is_sent(self):
        make_project(self.project, secret="tell nobody")
        done = self.paddock("run", "--name", "bare", "--", "sh", "-c", "pwd; ls -A | wc -l")
        self.assertEqual(done.stdout.split(), ["/workspace", "0"])
        self.assertNotIn("project:", done.stderr)
        self.assertNotIn("workspace", self.instance.run_object("bare")["spec"])

    def test_artifacts_come_back(self):
        self.paddock("run", ".", "--artifact-dir", "out", "--", "sh", "-c", "echo kept > out/a.txt")
        self.assertEqual((self.project / "out/a.txt").read_text(), "kept\n")

    # --- variables ---

    def test_variables_are_the_callers(self):
        make_project(self.project, vars="# a comment\r\nexport A='x # y'\r\nB=\"two\\nlines\"\nMINE\nC=of file\n")
        done = self.paddock("run", "--env-file", "vars", "-e", "C=of option", "--env", "EMPTY=", "--env", "NOBODYS",
                            "--env", "LANG=C", "--", "python3", "-c",
                            "import json, os; print(json.dumps(dict(os.environ)))", MINE="own")
        seen = json.loads(done.stdout)
        self.assertEqual({k: seen.get(k) for k in ("A", "B", "C", "MINE", "EMPTY", "NOBODYS", "LANG")},
                         {"A": "x # y", "B": "two\nlines", "C": "of option", "MINE": "own", "EMPTY": "", "NOBODYS": None,
                          "LANG": "C"})
        self.assertNotIn("PADDOCK_HOME", seen)
        bad = self.paddock("run", "--env-file", "none", "--", "true", check=False)
        self.assertEqual((bad.returncode, "--env-file" in bad.stderr), (2, True))
        (self.project / "vars").write_text("OK=1\nnot a line\n")
        self.assertIn("vars:2", self.paddock("run", "--env-file", "vars", "--", "true", check=False).stderr)

    def test_what_would_change_the_loader_is_refused_with_the_way(self):
        before = self.runs()
        for name in ("LD_PRELOAD", "LD_LIBRARY_PATH", "GLIBC_TUNABLES", "PADDOCK_TOKEN"):
            refused = self.paddock("run", "--env", f"{name}=/workspace/x.so", "--", "true", check=False)
            self.assertNotEqual(refused.returncode, 0, name)
            self.assertIn(name, refused.stderr)
        self.assertEqual(self.runs(), before)

    # --- standard input ---

    def test_standard_input_is_a_file_a_pipe_or_nothing(self):
        make_project(self.project, numbers="3\n1\n2\n")
        outside = tempfile.NamedTemporaryFile("w", prefix="paddock-in-")
        self.addCleanup(outside.close)
        outside.write("outside\n")
        outside.flush()
        self.assertEqual(self.paddock("run", ".", "--stdin", "numbers", "--", "sort").stdout, "1\n2\n3\n")
        self.assertEqual(self.paddock("run", ".", "--stdin", "-", "--", "sh", "-c", "cat; cat numbers", stdin="piped\n").stdout,
                         "piped\n3\n1\n2\n")
        self.assertEqual(self.paddock("run", "--stdin", "-", "--", "cat", stdin="x" * 300_000).stdout, "x" * 300_000)
        self.assertEqual(self.paddock("run", "--stdin", outside.name, "--", "cat").stdout, "outside\n")
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            texts = [f"of its own {i}\n" for i in range(4)]
            ran = pool.map(lambda text: self.paddock("run", "--stdin", "-", "--", "cat", stdin=text).stdout, texts)
            self.assertEqual(list(ran), texts)
        self.assertEqual(self.paddock("run", "--stdin", "-", "--", "wc", "-c", stdin="").stdout.strip(), "0")
        self.assertEqual(self.paddock("run", "--", "wc", "-c", stdin="never read").stdout.strip(), "0")
        detached = self.paddock("run", "--detach", "--stdin", "-", "--", "cat", stdin="later").stdout.strip()
        self.paddock("wait", detached)
        self.assertEqual(self.paddock("logs", detached).stdout, "later")

    def test_a_compute_run_reads_its_input_too(self):
        make_project(self.project, read__py="import sys\nprint(sys.stdin.read().upper())\n", text="quiet")
        self.assertEqual(self.paddock("compute", ".", "--stdin", "text", "--", "python3", "read.py").stdout, "QUIET\n")

    def test_an_input_that_is_none_is_refused(self):
        before = self.runs()
        os.mkfifo(self.project / "fifo")
        for source in ("none", "fifo", ".", "/dev/zero"):
            refused = self.paddock("run", "--stdin", source, "--", "cat", check=False)
            self.assertEqual(refused.returncode, 2, source)
            self.assertIn("--stdin", refused.stderr)
        twice = self.paddock("run", "--stdin", "-", "--policy", "-", "--", "cat", stdin="{}", check=False)
        self.assertIn("STDIN_TWICE", twice.stderr)
        for name, field in (("../../etc/passwd", "../"), ("/etc/passwd", "/etc"), ("missing", "missing")):
            status, answer = self.instance.post_run(f"in-{len(name)}", {"type": "command", "command": ["cat"], "stdinFile": name})
            self.assertEqual((status, answer["details"]["causes"][0]["field"]), (400, "spec.stdinFile"), answer)
        self.assertEqual(self.runs(), before)

    # --- limits ---

    def test_limits_are_told_held_and_named(self):
        done = self.paddock("run", "--name", "limits", "--memory", "64Mi", "--pids", "40", "--cpu", "1", "--disk", "8Mi", "--timeout",
                            "5m", "--", "true")
        self.assertIn("limits: 5m, 64Mi memory, 40 processes, 8Mi disk, 1 core, no network", done.stderr)
        run = self.instance.run_object("limits")
        self.assertEqual(run["spec"]["resources"], {"cpu": 1, "memory": "64Mi", "disk": "8Mi"})
        self.assertEqual(run["status"]["policy"]["limits"]["pids"], 40)
        for options, program, word, option in (
                (["--timeout", "1s"], ["sleep", "600"], "Timeout", "--timeout"),
                (["--memory", "64Mi"], ["python3", "-c", "x = bytearray(1 << 30)"], "MEM_LIMIT", "--memory"),
                (["--pids", "8"], ["python3", "-c", "import os, time\nfor _ in range(50):\n  if os.fork() == 0: time.sleep(60)"],
                 "pids limit", "--pids"),
                (["--disk", "1Mi"], ["sh", "-c", "cat /dev/zero > big"], "limit", "--disk")):
            struck = self.paddock("run", *options, "--", *program, check=False)
            self.assertNotEqual(struck.returncode, 0, program)
            if "MemoryError" in struck.stderr:  # the host holds each process to it
                continue
            self.assertIn(word, struck.stderr)
            self.assertIn(f"{option} raises it", struck.stderr)

    def test_loud_output_is_cut_and_says_by_what(self):
        loud = self.paddock("run", "--output-bytes", "1Ki", "--", "sh", "-c", "head -c 100000 /dev/zero | tr '\\0' x")
        self.assertIn("limit: stdout was 1Ki; --output-bytes raises it", loud.stderr)

    def test_what_is_absurd_or_over_a_ceiling_is_refused_by_field(self):
        before = self.runs()
        for words, told in ((["--timeout", "999h"], "spec.timeout"), (["--allow-domain", "example.org"], "NETWORK_NOT_ALLOWED"),
                            (["--mount", "/srv:/data:ro"], "HOST_MOUNT_NOT_ALLOWED"), (["--open-files", "999999"], "openFiles"),
                            (["--profile", "none"], "PROFILE_UNKNOWN"), (["--memory", "1"], "limits.memory"),
                            (["--profile", "compute", "--env", "A=1"], "ENV_NOT_ALLOWED"), (["--mount", "x:/data"], "--mount"),
                            (["--memory", "lots"], "--memory"), (["--pids", "0"], "--pids")):
            refused = self.paddock("run", *words, "--", "true", check=False)
            self.assertNotEqual(refused.returncode, 0, words)
            self.assertIn(told, refused.stderr)
        self.assertEqual(self.runs(), before)

    def test_a_policy_and_placement_go_along(self):
        make_project(self.project, policy__yaml="limits: {pids: 33, memory: 96Mi}\nenv: {FROM: policy}\n")
        done = self.paddock("run", "--name", "placed", "--policy", "policy.yaml", "--memory", "128Mi", "--priority", "7", "--retry", "2",
                            "--label", "team=a", "--", "sh", "-c", "echo $FROM")
        self.assertEqual(done.stdout, "policy\n")
        run = self.instance.run_object("placed")
        self.assertEqual((run["spec"]["priority"], run["spec"]["retry"]["maxAttempts"]), (7, 3))
        self.assertEqual((run["status"]["policy"]["limits"]["pids"], run["status"]["policy"]["limits"]["memory"]), (33, "128Mi"))

    def test_a_plan_says_the_same_and_creates_nothing(self):
        before = self.runs()
        self.assertIn("would run at once", self.paddock("plan", ".", "--type", "command", "--env", "A=1", "--", "sh", "-c", "a; b").stdout)
        self.assertIn("would run at once", self.paddock("plan", ".", "--", "sh", "-c", "a; b").stdout)
        bare = self.paddock("plan", "--memory", "64Mi", "--", "true").stdout
        self.assertIn("would run at once", bare)
        self.assertNotIn("project:", bare)
        waits = self.paddock("plan", ".", "--type", "command", "--cpu", "4000", "--", "true", check=False)
        self.assertEqual((waits.returncode, "would wait" in waits.stdout), (1, True))
        self.assertEqual(self.runs(), before)

    # --- following ---

    # proves partly: ORB-143
    def test_the_log_of_python_is_live(self):
        slow = "import time\nprint('step')\ntime.sleep(600)\n"
        make_project(self.project, slow__py=slow)
        for name, words in (("live-run", ["run", ".", "--name", "live-run", "--", "python3", "slow.py"]),
                            ("live-compute", ["compute", ".", "--name", "live-compute", "--", "python3", "slow.py"])):
            with self.instance.start(*words, cwd=self.project) as follower:
                self.assertEqual(follower.stdout.readline(), "step\n")  # while it sleeps
                self.paddock("cancel", name)
                follower.communicate(timeout=PATIENCE_S)
                self.assertEqual(follower.returncode, 143)
        self.assertEqual(self.instance.run_object("live-compute")["status"]["result"]["cmd"], ["python3", "-u", "slow.py"])

    def test_a_closed_terminal_leaves_the_run_and_ctrl_c_ends_it(self):
        for name, sent, phase in (("hung-up", signal.SIGHUP, "Running"), ("stopped", signal.SIGINT, "Canceled")):
            with self.instance.start("run", "--name", name, "--", "sh", "-c", "echo on; sleep 600") as follower:
                self.assertEqual(follower.stdout.readline(), "on\n")
                follower.send_signal(sent)
                follower.communicate(timeout=PATIENCE_S)
            self.assertEqual(self.instance.wait_phase(name, phase)["status"]["phase"], phase)
        self.paddock("cancel", "hung-up")
        self.instance.wait_phase("hung-up", "Canceled")

    def test_what_nohup_ignores_stays_ignored(self):
        follower = subprocess.Popen(["nohup", str(BIN / "paddock"), "run", "--", "sh", "-c", "echo on; sleep 2; echo off"],
                                    env=self.instance.env, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, cwd=self.project)
        self.assertEqual(follower.stdout.readline(), "on\n")
        follower.send_signal(signal.SIGHUP)
        out, _ = follower.communicate(timeout=PATIENCE_S)
        self.assertEqual((follower.returncode, out), (0, "off\n"))

    def test_what_was_enforced_is_one_line_unless_asked_for(self):
        self.assertRegex(self.paddock("run", "--", "true").stderr, r"enforced: \d+ of \d+")
        self.assertIn("CAPABILITY", self.paddock("run", "-v", "--", "true").stderr)

    # --- compute names the way ---

    # proves partly: ORB-24, ORB-25, ORB-26
    def test_compute_refuses_and_names_the_line_that_works(self):
        make_project(self.project, m__py=SHOW, go__sh="echo $1\n")
        for words, reason in ((["python3 m.py -c conf.yaml"], "COMMAND_FLAG_BLOCKED"),
                              (["python3 m.py --prompt 'what; is > this'"], "COMMAND_METACHARACTER"),
                              (["--", "python3", "m.py", "it's & that"], "COMMAND_METACHARACTER"),
                              (["python3 m.py --out /tmp/x"], "PATH_ESCAPES_WORKSPACE"),
                              (["perl -v"], "COMMAND_NOT_ALLOWED"),
                              (["--env", "A=1", "--", "python3", "m.py"], "ENV_NOT_ALLOWED")):
            refused = self.paddock("compute", ".", *words, check=False)
            self.assertNotEqual(refused.returncode, 0, words)
            self.assertIn(reason, refused.stderr)
            line = next(line for line in refused.stderr.splitlines() if "paddock run ." in line)
            line = line[line.index("paddock run ."):].replace("paddock", str(BIN / "paddock"), 1)
            if words[0].startswith("perl") and not shutil.which("perl"):
                continue
            works = subprocess.run(["sh", "-c", line], env=self.instance.env, cwd=self.project, text=True, capture_output=True,
                                   stdin=subprocess.DEVNULL, timeout=PATIENCE_S * 2)
            self.assertEqual(works.returncode, 0, line + works.stderr)

    def test_a_created_object_of_the_type_runs(self):
        make_project(self.project, run__yaml="apiVersion: paddock.dev/v1alpha1\nkind: Run\nmetadata: {name: of-yaml}\nspec:\n"
                                             "  type: command\n  command: [sh, -c, 'echo $A | tr a b']\n  sandbox: {env: {A: aha}}\n")
        self.paddock("create", "-f", "run.yaml")
        self.assertEqual(self.instance.wait_phase("of-yaml", "Succeeded", "Failed")["status"]["result"]["stdout"], "bhb\n")


if __name__ == "__main__":
    main()
