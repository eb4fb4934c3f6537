"""Arrays: a sweep as one run, with real elements on a real node, also while its controller is killed."""
import collections
import json
import subprocess
import time

from harness import ProjectTest, main, wait_until

# Notes that it began, and ends as its index says.
JOB = """
import os, sys
index = int(os.environ["PADDOCK_ARRAY_INDEX"])
print("element", index, "of", os.environ["PADDOCK_ARRAY_COUNT"], flush=True)
open("out.txt", "w").write(str(index))
sys.exit(3 if index in FAILS else 0)
"""


class Array(ProjectTest):
    def project_that_fails_at(self, *fails):
        (self.project / "job.py").write_text(JOB.replace("FAILS", repr(fails)))
        return self.project

    def counts(self, name):
        return self.instance.run_object(name)["status"]["array"]

    def elements(self, name):
        listed = json.loads(self.cli("get", "runs", "-l", f"paddock.dev/array={name}", "-o", "json").stdout)
        return {run["metadata"]["name"]: run for run in listed["items"]}

    def test_each_element_has_its_index_log_and_result_and_the_whole_one_status(self):
        project = self.project_that_fails_at(4, 7)
        seen = self.project / "seen.json"
        with seen.open("w") as out:
            watch = self.instance.start("get", "runs", "-l", "paddock.dev/array=sweep", "-w", "-o", "json", stdout=out,
                                        stderr=subprocess.DEVNULL)
        self.addCleanup(watch.wait)
        self.addCleanup(watch.kill)
        done = self.cli("run", project, "--name", "sweep", "--array", "20", "--max-parallel", "3", "--retry", "1",
                        "--", "python3", "job.py", code=3)
        self.assertIn("run sweep Failed", done.stderr)
        self.assertIn("sweep-4", done.stderr)
        status = self.instance.run_object("sweep")["status"]
        self.assertEqual((status["phase"], status["reason"]), ("Failed", "FAILED_INDEXES"))
        array = status["array"]
        self.assertEqual([array[each] for each in ("pending", "active", "succeeded", "failed", "canceled")],
                         [0, 0, 18, 2, 0])
        self.assertEqual(array["completedIndexes"], "0-3,5-6,8-19")
        self.assertEqual(array["failedIndexes"], "4,7")
        self.assertEqual((array["firstFailure"]["run"], array["firstFailure"]["rc"]), ("sweep-4", 3))
        elements = self.elements("sweep")
        self.assertEqual(len(elements), 20)
        for index in range(20):
            run = elements[f"sweep-{index}"]
            self.assertEqual(run["status"]["result"]["stdout"], f"element {index} of 20\n")
            self.assertEqual(run["metadata"]["labels"]["paddock.dev/array-index"], str(index))
        self.assertEqual(self.cli("logs", "sweep-11").stdout, "element 11 of 20\n")

        whole = self.cli("logs", "sweep").stdout
        self.assertEqual(whole, "".join(f"==> sweep-{index} <==\nelement {index} of 20\n" for index in range(20)))
        self.assertIn("these are 20", self.cli("logs", "-f", "sweep", code=2).stderr)
        self.assertEqual(self.cli("wait", "sweep", code=3).returncode, 3)
        rows = self.cli("get", "runs").stdout
        self.assertIn("Failed 18/20", rows)
        self.assertNotIn("sweep-11", rows)
        self.assertIn("sweep-11", self.cli("get", "runs", "--all-elements").stdout)
        self.assertIn("0-3,5-6,8-19", self.cli("describe", "run", "sweep").stdout)
        most = wait_until("the watch to show its last end", lambda: self.most_that_lived(seen.read_text()))
        watch.kill()
        self.assertEqual(most, 3)

    def test_files_and_logs_of_all_elements_come_by_the_name_of_the_array(self):
        (self.project / "job.py").write_text("import os; i = os.environ['PADDOCK_ARRAY_INDEX']; print(i); "
                                             "open('out/i.txt', 'w').write(i)")
        done = self.cli("run", self.project, "--name", "few", "--array", "3", "--artifact-dir", "out", "-l", "kind=few", "--",
                        "python3", "job.py")
        self.assertIn("paddock artifacts few --output DIR", done.stderr)
        elements = [f"few-{index}" for index in range(3)]
        for number, words in enumerate((["few"], ["-l", "kind=few"])):
            self.assertEqual(self.cli("logs", *words).stdout, "".join(f"==> {name} <==\n{name[-1]}\n" for name in elements))
            results = self.project / f"results-{number}"
            self.cli("artifacts", *words, "--output", results)
            self.assertEqual({path.name: (path / "out/i.txt").read_text() for path in results.iterdir()},
                             {name: name[-1] for name in elements})
        self.cli("run", "--name", "waits", "--array", "2", "--node-selector", "no=node", "--detach", "--", "true")
        self.assertIn("RUN_NOT_ENDED", self.cli("artifacts", "waits", "--output", "x", code=1).stderr)
        self.assertIn("`-` is no folder", self.cli("artifacts", "few", "--output", "-", code=2).stderr)

    def most_that_lived(self, watched):
        """In the order in which the store has the changes of elements, and not by a clock; None before all 20 have ended, of whom the
        last one may be written only in part."""
        alive, ended, most, text, decoder = set(), set(), 0, watched.lstrip(), json.JSONDecoder()
        while text:
            try:
                run, end = decoder.raw_decode(text)
            except json.JSONDecodeError:
                return None
            text = text[end:].lstrip()
            name = run["metadata"]["name"]
            if run["status"]["phase"] in ("Succeeded", "Failed", "Canceled"):
                alive.discard(name)
                ended.add(name)
            else:
                alive.add(name)
            most = max(most, len(alive))
        return most if len(ended) == 20 and not alive else None

    def test_a_cancel_ends_all_of_it_and_makes_no_more(self):
        name = self.cli("run", "--name", "long", "--array", "500", "--max-parallel", "4", "--detach", "--", "sleep",
                        "600").stdout.strip()
        wait_until("elements to run", lambda: any(run["status"]["phase"] == "Running" for run in self.elements(name).values()))
        self.cli("cancel", name)
        self.cli("wait", name, code=143)
        array = self.counts(name)
        self.assertEqual((array["canceled"], array["canceledIndexes"]), (500, "0-499"))
        self.assertLessEqual(len(self.elements(name)), 4)
        self.cli("cancel", name)
        self.cli("delete", "run", name)
        wait_until("it to be gone", lambda: not self.elements(name) and
                   self.instance.run("get", "run", name, check=False).returncode != 0)

    def test_too_many_failures_end_it_early(self):
        self.cli("run", "--name", "broken", "--array", "200", "--max-parallel", "2", "--max-failed", "3", "--detach", "--",
                 "false")
        self.cli("wait", "broken", code=1)
        status = self.instance.run_object("broken")["status"]
        self.assertEqual(status["reason"], "MAX_FAILED_INDEXES")
        self.assertLess(status["array"]["failed"], 10)

    def create(self, name, **more):
        """How long it took."""
        begin = time.monotonic()
        status, made = self.instance.post_run(name, {"type": "command", "command": ["true"], "nodeSelector": {"no": "node"}, **more})
        took = time.monotonic() - begin
        self.assertEqual(status, 201, made)
        return took

    def test_ten_thousand_are_one_create(self):
        array = {"count": 10000, "maxParallel": 1000}
        took, single = self.create("huge", array=array), self.create("single-0")
        # A busy machine lets one of them wait, and not each of them: the least of both is compared, taken in turn.
        for number in range(1, 11):
            single = min(single, self.create(f"single-{number}"))
            if number % 5 == 0:
                took = min(took, self.create(f"huge-too-{number}", array=array))
        print(f"10,000 elements created in {took * 1000:.0f} ms, one run in {single * 1000:.1f} ms", flush=True)
        self.assertLess(took, 100 * single, "it is one create, whatever its count")
        wait_until("the first of them", lambda: self.counts("huge")["created"] == 1000)
        self.assertEqual(self.counts("huge")["pending"], 9000)
        wait_until("it to say why", lambda: "huge-0" in self.instance.run_object("huge")["status"].get("message", ""))
        self.cli("delete", "run", "huge")
        wait_until("it to be gone", lambda: not self.elements("huge"))

    def test_a_controller_that_is_killed_makes_no_index_twice_and_loses_none(self):
        project = self.project_that_fails_at(9)
        self.cli("run", project, "--name", "killed", "--array", "40", "--max-parallel", "4", "--detach", "--", "python3", "job.py")
        for done in (3, 12, 25):
            wait_until(f"{done} to be over", lambda: sum(self.counts("killed")[each] for each in ("succeeded", "failed")) >= done)
            self.instance.kill("paddock-controller")
            self.instance.run("up")
        self.cli("wait", "killed", code=3)
        array = self.counts("killed")
        self.assertEqual((array["completedIndexes"], array["failedIndexes"]), ("0-8,10-39", "9"))
        outputs = collections.Counter(run["status"]["result"]["stdout"] for run in self.elements("killed").values())
        self.assertEqual(outputs, {f"element {index} of 40\n": 1 for index in range(40)})
        self.assertEqual({run["status"]["attempt"] for run in self.elements("killed").values()}, {1})


if __name__ == "__main__":
    main()
