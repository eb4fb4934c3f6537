"""Objects of any kind through the CLI: apply, create, get as it changes, label, delete, explain."""
import errno
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

from harness import BIN, PATIENCE_S, SOURCE, Instance, find_file, main, wait_until

WORKSPACE = "apiVersion: paddock.dev/v1alpha1\nkind: Workspace\nmetadata: {name: w}\n"


def run(metadata, code="print(1)", kind="Run"):
    return f"apiVersion: paddock.dev/v1alpha1\nkind: {kind}\nmetadata: {metadata}\nspec: {{type: code, code: {code!r}}}\n"


class Objects(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.instance = cls.enterClassContext(Instance())

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def file(self, *documents, name="objects.yaml"):
        path = self.folder / name
        path.write_text("---\n".join(documents))
        return path

    def cli(self, *words, code=0):
        done = self.instance.run(*words, check=False, cwd=self.folder)
        self.assertEqual(done.returncode, code, done)
        return done

    def names(self, *words):
        return self.cli("get", "runs", *words, "-o", "jsonpath={.items[*].metadata.name}").stdout.split()

    def test_waiting_for_a_file_that_nobody_writes_ends_with_the_first_signal(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)

        def end_to_write():
            """Opens the pipe for writing, once somebody has it open to read, or is about to."""
            try:
                return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                self.assertEqual(error.errno, errno.ENXIO)

        for words in (("apply", "-f", "pipe"), ("create", "-f", "pipe"), ("delete", "-f", "pipe"), ("execute", "pipe")):
            with self.subTest(words):
                process = self.instance.start(*words, cwd=self.folder)
                with open(wait_until("the command to open the pipe", end_to_write), "wb"):
                    process.send_signal(signal.SIGTERM)
                    process.communicate(timeout=PATIENCE_S)
                self.assertIn(process.returncode, (128 + signal.SIGTERM, -signal.SIGTERM))

    def test_applied_again_nothing_changes_and_a_changed_label_is_all_that_changes(self):
        path = self.file(WORKSPACE, run("{name: applied, labels: {stage: a}}"))
        self.assertEqual(self.cli("apply", "-f", path).stdout,
                         "workspace.paddock.dev/w created\nrun.paddock.dev/applied created\n")
        self.instance.run("wait", "applied")
        self.assertEqual(self.cli("apply", "-f", path).stdout,
                         "workspace.paddock.dev/w unchanged\nrun.paddock.dev/applied unchanged\n")
        self.file(WORKSPACE, run("{name: applied, labels: {other: b}}"))
        self.assertEqual(self.cli("apply", "-f", path, "-o", "jsonpath={.items[1].metadata.labels}").stdout,
                         '{"other":"b"}')

    def test_a_dry_run_says_what_would_be_and_keeps_nothing(self):
        done = self.cli("apply", "--dry-run", "-f", self.file(run("{name: dry}")))
        self.assertEqual(done.stdout, "run.paddock.dev/dry created (dry run)\n")
        self.cli("get", "run", "dry", code=127)

    def test_a_fault_in_any_document_is_named_and_then_nothing_is_sent(self):
        path = self.file(run("{name: whole}"), run("{}"), run("{name: x}", kind="Rum"))
        done = self.cli("apply", "-f", path, code=2)
        for words in ["BAD_MANIFEST", f"{path}:8: metadata.name: a name is missing", f"{path}:12: kind: `Rum`"]:
            self.assertIn(words, done.stderr)
        self.cli("get", "run", "whole", code=127)

    def test_a_file_that_cannot_be_opened_is_named_as_it_was_typed(self):
        for words, code in ((("apply", "-f", "sub/nope.yaml"), 127), (("create", "-f", "sub/nope.yaml"), 127), (("execute", "sub/nope.yaml"), 127),
                            (("kubeconfig", "--output-file", "sub/nope.yaml"), 127),
                            (("get", "runs", "--server", "https://127.0.0.1:1", "--token-file", "sub/nope.yaml"), 2)):
            self.assertIn("`sub/nope.yaml`: ", self.cli(*words, code=code).stderr)

    def test_what_the_controller_refuses_is_named_and_the_others_are_made(self):
        path = self.file(run("{name: bad}", code=""), run("{name: good}"))
        done = self.cli("create", "-f", path, code=2)
        self.assertEqual(done.stdout, "run.paddock.dev/good created\n")
        self.assertIn(f"{path}:4: spec", done.stderr)
        path = self.file(run("{name: bad}").replace("spec: {", "spec: {\n  timeuot: 1m,\n  odd: 2,\n  priority: high,\n  "))
        for verb in ("create", "apply"):
            told = self.cli(verb, "-f", path, code=2).stderr
            self.assertEqual(told, f"error: {path}:5: spec.timeuot: unknown field; did you mean `timeout`? (and 2 more) [INVALID_FIELD]\n"
                                   f"  {path}:6: spec.odd: unknown field\n  {path}:7: spec.priority: expected integer, got string\n")
        self.assertIn("RUN_ALREADY_EXISTS", self.cli("create", "-f", self.file(run("{name: good}")), code=125).stderr)

    def test_several_objects_are_shown_by_name_as_they_are_deleted(self):
        self.cli("create", "-f", self.file(run("{name: one}"), run("{name: two}")))
        for words in (("run", "one", "two"), ("run/one", "runs/two"), ("runs", "run/one", "two", "one")):
            lines = self.cli("get", *words).stdout.splitlines()
            self.assertEqual([line.split()[0] for line in lines], ["NAME", "one", "two"])
            self.assertEqual(self.cli("get", *words, "-o", "name").stdout, "run.paddock.dev/one\nrun.paddock.dev/two\n")
            self.assertEqual(self.cli("get", *words, "-o", "jsonpath={.items[*].metadata.name}").stdout, "one two")
            described = self.cli("describe", *words).stdout
            self.assertLess(described.index("one"), described.index("two"))
        some = self.cli("get", "run/one", "run/none", "run/two", "-o", "name", code=127)
        self.assertEqual(some.stdout, "run.paddock.dev/one\nrun.paddock.dev/two\n")
        self.assertIn("RUN_NOT_FOUND", some.stderr)
        self.assertIn("`paddock get run/one`, then `paddock get node/x`", self.cli("get", "run/one", "node/x", code=2).stderr)
        self.assertIn("--selector", self.cli("get", "run/one", "run/two", "-w", code=2).stderr)
        self.assertIn("KIND/NAME", self.cli("get", "run/one", "two", code=2).stderr)

    def test_a_field_of_someone_else_is_taken_only_by_force(self):
        self.cli("create", "-f", self.file(run("{name: shared}")))
        self.cli("label", "run", "shared", "owner=one")
        path = self.file(run("{name: shared, labels: {owner: two}}"))
        self.assertIn('conflict with "paddock-label"', self.cli("apply", "-f", path, code=1).stderr)
        self.assertEqual(self.cli("apply", "--force", "-f", path).stdout, "run.paddock.dev/shared configured\n")

    def test_the_shipped_examples_would_be_applied(self):
        for path in sorted((SOURCE / "manifests/examples").glob("run-*.yaml")):
            with self.subTest(path.name):
                wanted = self.instance.run("apply", "--dry-run", "-f", path, check=False)
                said = wanted.stdout + wanted.stderr
                # Each needs its workspace; all else of it is well.
                self.assertTrue(wanted.returncode == 0 or "WORKSPACE_NOT_FOUND" in said or "GRANT" in said, said)

    def test_a_token_is_never_made_where_its_secret_would_be_lost(self):
        self.assertIn("TOKEN_IN_FILE", self.cli("create", "-f", self.file(run("{name: t}", kind="ToolToken")), code=2).stderr)

    def test_labels_are_set_kept_replaced_and_removed(self):
        self.cli("create", "-f", self.file(run("{name: labeled}")))
        self.assertEqual(self.cli("label", "run", "labeled", "a=1", "b=2").stdout, "run.paddock.dev/labeled labeled\n")
        self.assertIn("LABEL_EXISTS", self.cli("label", "run", "labeled", "a=3", code=125).stderr)
        self.cli("label", "run/labeled", "a=3", "b-", "--overwrite")
        self.assertEqual(self.cli("get", "run/labeled", "-o", "jsonpath={.metadata.labels}").stdout, '{"a":"3"}')
        self.assertIn("LABEL_INVALID", self.cli("label", "run", "labeled", "a b=1", code=2).stderr)
        node = self.cli("get", "nodes", "-o", "jsonpath={.items[0].metadata.name}").stdout
        self.cli("label", "node", node, "zone=a")

    def test_annotations_are_set_kept_replaced_and_removed(self):
        self.cli("create", "-f", self.file(run("{name: noted, labels: {a: '1'}, annotations: {old: x}}")))
        noted = "run.paddock.dev/noted annotated\n"
        self.assertEqual(self.cli("annotate", "run", "noted", "a=two words", "old-").stdout, noted)
        self.assertIn("run.paddock.dev/noted: the annotation `a` has", self.cli("annotate", "run/noted", "a=b", code=125).stderr)
        self.assertEqual(self.cli("annotate", "runs", "-l", "a=1", "a=b", "--overwrite").stdout, noted)
        self.assertEqual(self.cli("annotate", "run", "noted", "a=b").stdout, "run.paddock.dev/noted unchanged\n")
        self.assertEqual(self.cli("get", "run/noted", "-o", "jsonpath={.metadata.annotations} {.metadata.labels}").stdout, '{"a":"b"} {"a":"1"}')
        self.cli("annotate", "run", "noted", "a-")
        self.assertEqual(self.cli("get", "run/noted", "-o", "jsonpath={.metadata.annotations}").stdout, "")
        self.assertIn("LABEL_INVALID", self.cli("annotate", "run", "noted", "a b=1", code=2).stderr)
        self.assertIn("annotation", self.cli("annotate", "run", "noted", code=2).stderr)

    def test_labels_of_several_objects(self):
        self.cli("create", "-f", self.file(*(run(f"{{name: many{i}, labels: {{set: many}}}}") for i in range(3))))
        labeled = lambda *names: "".join(f"run.paddock.dev/{name} labeled\n" for name in names)
        self.assertEqual(self.cli("label", "run", "many0", "many1", "a=1", "b=2").stdout, labeled("many0", "many1"))
        self.assertEqual(self.cli("label", "run/many1", "run.paddock.dev/many2", "a=1", "b-").stdout,
                         "run.paddock.dev/many1 labeled\nrun.paddock.dev/many2 labeled\n")
        self.assertEqual(self.cli("label", "runs", "-l", "set=many", "c=3").stdout, labeled("many0", "many1", "many2"))
        some = self.cli("label", "run", "many0", "none", "many2", "a=2", code=125)
        self.assertIn("run.paddock.dev/many0: the label `a` has another value", some.stderr)
        self.assertIn("RUN_NOT_FOUND", some.stderr)
        some = self.cli("label", "run", "none", "many2", "d=4", code=127)
        self.assertEqual(some.stdout, labeled("many2"), "one that fails stops none of the others")
        self.assertIn("nothing was labeled", self.cli("label", "runs", "-l", "set=none", "a=1").stderr)
        for words in (("runs", "a=1"), ("run", "many0", "many1"), ("run", "many0", "a=1", "many1"), ("runs", "many0", "--all", "a=1")):
            self.cli("label", *words, code=2)

    def test_deletes_by_names_by_labels_and_by_file(self):
        path = self.file(*(run(f"{{name: d{i}, labels: {{group: d{i % 2}}}}}") for i in range(6)))
        self.cli("create", "-f", path)
        for i in range(6):
            self.instance.run("wait", f"d{i}")
        self.assertEqual(self.cli("delete", "run", "d0", "d1").stdout,
                         "run.paddock.dev/d0 deleted\nrun.paddock.dev/d1 deleted\n")
        self.cli("delete", "runs", "-l", "group=d0")
        self.assertEqual(self.names("-l", "group in (d0,d1)"), ["d3", "d5"])
        self.assertIn("RUN_NOT_FOUND", self.cli("delete", "-f", path, code=127).stderr)
        self.assertEqual(self.names("-l", "group in (d0,d1)"), [])
        self.assertEqual(self.cli("delete", "-f", path, "--ignore-not-found").stdout, "")
        self.assertIn("say which", self.cli("delete", "runs", code=2).stderr)
        for words in (("delete", "runs"), ("cancel",), ("sandbox", "destroy")):
            self.assertIn("say which", self.cli(*words, "--selector", " ", code=2).stderr, "blanks are no word for all")

    def test_waits_for_and_cancels_several_runs_by_names_and_labels(self):
        ends = {"ended-well": 0, "ended-3": 3, "ended-4": 4}
        self.cli("create", "-f", self.file(*(run(f"{{name: {name}, labels: {{group: ended}}}}", f"raise SystemExit({code})")
                                             for name, code in ends.items())))
        names = self.cli("get", "runs", "-l", "group=ended", "-o", "name").stdout.split()
        self.assertEqual(len(names), 3)
        self.assertEqual(self.cli("wait", "ended-well", "runs/ended-3", "run.paddock.dev/ended-4", code=3).stdout, "")
        self.assertIn(self.instance.run("wait", "-l", "group=ended", check=False).returncode, (3, 4))
        told = self.cli("cancel", *names).stderr
        self.assertEqual(told.count(" (Succeeded); "), 1)
        self.assertEqual(told.count(" (Failed); "), 2)
        self.assertIn("RUN_NOT_FOUND", self.cli("cancel", "nobody", *names, code=127).stderr)
        self.assertIn("NO_RUN", self.cli("wait", "-l", "group=none", code=127).stderr)
        self.assertIn("names, or --selector", self.cli("wait", code=2).stderr)
        never = self.cli("run", "--detach", "--cpu", "4000", "--", "true").stdout.strip()
        self.addCleanup(self.cli, "cancel", never)
        told = self.cli("wait", never, "nobody", code=127).stderr  # now, and not once the other has ended
        self.assertIn("RUN_NOT_FOUND", told)
        self.assertNotIn(never, told)
        self.cli("run", "--detach", "--cpu", "4000", "--name", "gone", "--", "true")
        waits = self.instance.start("wait", "ended-3", "gone", "ended-4")
        self.assertIn("ended-3 Failed", waits.stderr.readline())  # it has seen by now that all are there
        self.cli("delete", "run", "gone")
        told = waits.communicate(timeout=PATIENCE_S)[1]
        self.assertEqual((waits.returncode, "RUN_NOT_FOUND" in told, "ended-4 Failed" in told), (3, True, True), told)
        self.assertIn("leave one of the two out", self.cli("cancel", "ended-3", "-l", "group=ended", code=2).stderr)
        self.assertIn("`node/ended-3` is none", self.cli("logs", "node/ended-3", code=2).stderr)

    def test_a_list_is_put_in_order_and_narrowed(self):
        labels = {"order-b": "two", "order-a": "ten", "order-c": "one"}
        for name, label in labels.items():
            self.cli("create", "-f", self.file(run(f"{{name: {name}, labels: {{order: {label}, x.example/rank: r}}}}")))
        self.cli("wait", *labels)
        rows = lambda *words: [row.split() for row in self.cli("get", "runs", "-l", "order", *words).stdout.splitlines()]
        names = lambda *words: [row[0] for row in rows(*words)[1:]]
        made = lambda: self.names("-l", "order", "--sort-by", ".metadata.creationTimestamp")
        self.assertEqual(names(), made())
        self.assertEqual(names("--limit", "1"), made()[-1:])
        self.assertEqual(self.cli("get", "runs", "-l", "order", "--limit", "1", "-o", "name").stdout.split(),
                         [f"run.paddock.dev/{made()[-1]}"])
        self.assertEqual(names("--sort-by", "{.metadata.labels.order}"), ["order-c", "order-a", "order-b"])
        self.assertEqual(names("--sort-by", ".status.startedAt", "-o", "wide"), self.names("-l", "order", "--sort-by", ".status.startedAt"))
        self.assertEqual(self.names("--field-selector", "metadata.name=order-a"), ["order-a"])
        self.assertEqual(self.names("-l", "order", "--field-selector", "status.phase=Pending"), [])
        header, *rest = rows("-L", "order,x.example/rank", "-L", "none")
        self.assertEqual(header[-3:], ["ORDER", "RANK", "NONE"])
        self.assertEqual({row[0]: row[-3:] for row in rest}, {name: [label, "r", "-"] for name, label in labels.items()})
        for words, told in ((("--limit", "0"), "--limit"), (("--limit", "x"), "--limit"), (("--sort-by", "{.a["), "BAD_JSONPATH"),
                            (("--sort-by", ""), "--sort-by"), (("-L", ","), "--label-columns"),
                            (("--field-selector", "spec.code=1"), "spec.code"), (("--field-selector", "a=b=c"), "SELECTOR_INVALID"),
                            (("-w", "--limit", "3"), "--limit"), (("order-a", "--sort-by", ".a"), "--sort-by"),
                            (("order-a", "--field-selector", "metadata.name=x"), "--field-selector")):
            with self.subTest(words):
                done = self.instance.run("get", "runs", *words, check=False)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(told, done.stderr)

    def test_objects_without_a_name_are_described_one_below_the_other(self):
        for name in ("seen-1", "seen-2"):
            self.cli("create", "-f", self.file(run(f"{{name: {name}, labels: {{seen: x}}}}")))
        self.cli("wait", "-l", "seen=x")
        alone = [self.cli("describe", "run", name).stdout for name in ("seen-1", "seen-2")]
        strip = lambda text: [line for line in text.splitlines() if "ago" not in line and line]
        self.assertEqual(strip(self.cli("describe", "runs", "-l", "seen=x").stdout), strip("\n\n".join(alone)))
        self.assertIn("CAPABILITY", self.cli("describe", "nodes").stdout)
        self.assertIn("no volumes found", self.cli("describe", "volumes").stderr)

    def test_a_log_begins_where_it_is_asked_to_and_has_its_times(self):
        self.cli("create", "-f", self.file(run("{name: logged}", "print(1); print(2); print(3)")))
        self.cli("wait", "logged")
        log = lambda *words: self.cli("logs", "logged", *words).stdout.splitlines()
        self.assertEqual(log("--tail", "2"), ["2", "3"])
        self.assertEqual(log("--since", "1h"), ["1", "2", "3"])
        for line, number in zip(log("--timestamps", "--follow"), "123", strict=True):
            self.assertRegex(line, rf"^\d{{4}}-\d\d-\d\dT\S+Z {number}$")
        for words in (("--since", "0s"), ("--since", "-1m"), ("--since", "soon"), ("--tail", "-1"), ("--since", "99999999999999h")):
            with self.subTest(words):
                done = self.instance.run("logs", "logged", *words, check=False)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(words[0], done.stderr)

    def test_a_watch_shows_each_change_until_it_is_ended(self):
        out = self.enterContext((self.folder / "seen").open("w"))
        watch = subprocess.Popen([BIN / "paddock", "get", "runs", "-w", "-l", "watched=yes", "-o",
                                  'jsonpath={.metadata.name} {.status.phase} {.metadata.resourceVersion}{"\\n"}'], env=self.instance.env, stdout=out)
        self.addCleanup(watch.kill)
        self.cli("create", "-f", self.file(run("{name: seen, labels: {watched: 'yes'}}"), run("{name: unseen}")))
        lines = lambda: (self.folder / "seen").read_text().splitlines()  # noqa: E731
        wait_until("the end of the run", lambda: any(line.startswith("seen Succeeded ") for line in lines()))
        watch.send_signal(signal.SIGINT)
        self.assertEqual(watch.wait(timeout=60), 130)
        self.assertEqual([line for line in lines() if line.startswith("unseen")], [])
        self.assertEqual(len(set(lines())), len(lines()), "a change is shown once")

    def test_a_namespace_is_no_path(self):
        done = self.cli("get", "runs", "-n", "default/runs/x?", code=2)
        self.assertIn("is no namespace", done.stderr)

    # Each as its own principal, in its own namespace, until it is revoked.
    def test_a_token_of_a_team_opens_its_namespace_until_it_is_revoked(self):
        made = self.cli("admin", "token", "create", "ci", "-n", "team", "--scope", "runs:read", "--scope", "runs:write")
        secret = made.stdout.strip()
        token = made.stderr.split()[1]
        self.assertNotIn(secret, made.stderr)
        (self.folder / "token").write_text(secret + "\n")
        status = json.loads(self.cli("status", "-o", "json").stdout)
        ca = find_file(self.instance.home, "tls/ca.pem")
        as_ci = ("--server", status["pointer"]["url"], "--token-file", self.folder / "token", "--ca-file", ca)
        path = self.file(run("{name: teams}"))
        self.assertIn("created", self.cli("create", "-f", path, "-n", "team", *as_ci).stdout)
        self.assertIn("NAMESPACE_DENIED", self.cli("get", "runs", *as_ci, code=126).stderr)
        self.assertIn("SCOPE_MISSING", self.cli("admin", "token", "list", *as_ci, code=126).stderr)
        self.assertIn(token, self.cli("admin", "token", "list").stdout)
        self.assertIn('"subject":"ci"', self.cli("audit", "--type", "object.create", "-n", "team", "-o", "json").stdout)
        self.cli("admin", "token", "revoke", token)
        self.assertIn("TOKEN_REVOKED", self.cli("get", "runs", "-n", "team", *as_ci, code=126).stderr)
        self.assertNotIn(token, self.cli("admin", "token", "list").stdout)

    def test_a_watch_of_one_object_goes_on_from_now_whatever_its_age(self):
        self.cli("create", "-f", self.file(run("{name: old}")))
        self.instance.run("wait", "old")
        self.instance.run("down")
        self.instance.up()  # what it remembers of changes begins here
        out = self.enterContext((self.folder / "seen").open("w"))
        watch = subprocess.Popen([BIN / "paddock", "get", "run", "old", "-w", "-o", "name"], env=self.instance.env, stdout=out)
        self.addCleanup(watch.kill)
        lines = lambda: (self.folder / "seen").read_text().splitlines()  # noqa: E731
        wait_until("what is there", lines)
        self.cli("label", "run", "old", "seen=yes")
        wait_until("the change", lambda: len(lines()) > 1)
        watch.send_signal(signal.SIGINT)
        self.assertEqual(watch.wait(timeout=60), 130)
        self.assertEqual(lines(), ["run.paddock.dev/old"] * 2)

    def test_explains_fields_in_the_controllers_words(self):
        self.assertIn("memory <string>", self.cli("explain", "run.spec.resources").stdout)
        self.assertIn("did you mean `command`", self.cli("explain", "run.spec.comand", code=127).stderr)
        resources = self.cli("api-resources", "-o", "json").stdout
        kinds = {each["name"] for each in json.loads(resources)["resources"]}
        self.assertLessEqual({"runs", "workspaces", "volumes", "grants", "tooltokens", "sandboxes", "nodes"}, kinds)
        self.assertIn("sandboxes    sb", self.cli("api-resources").stdout)


if __name__ == "__main__":
    main()
