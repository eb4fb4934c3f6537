"""The dashboard and the alert rules: every metric and label that they name is one that a live instance has, every
metric that it has is shown, and Prometheus' own tool takes the expressions and plays the alerts."""
import json
import re
import shutil
import subprocess
import tempfile
import pathlib
import unittest

import chart
import yaml
from harness import SOURCE, Instance, main, make_project

FOLDER = SOURCE / "charts/paddock/monitoring"
PROMTOOL, NO_PROMTOOL = chart.tool("promtool")

REACHES_OUT = """import socket
try:
    socket.create_connection(("192.0.2.1", 80))
except OSError as error:
    print(error)
"""


def expressions():
    """[(where, expression)] of the dashboard and of the alerts"""
    panels = json.loads((FOLDER / "dashboard.json").read_text())["panels"]
    found = [(panel["title"], target["expr"]) for panel in panels for target in panel["targets"]]
    return found + [(rule["alert"], rule["expr"]) for group in alerts() for rule in group["rules"]]


def alerts():
    return yaml.safe_load((FOLDER / "alerts.yaml").read_text())["groups"]


def family(name):
    """The metric that a series belongs to: the three series of a histogram are one."""
    return re.sub(r"_seconds_(bucket|sum|count)$", "_seconds", name)


def metrics_of(text):
    """{name: {label: values}} of what /metrics says; a metric that has no value now is there, too."""
    found = {name: {} for name in re.findall(r"(?m)^# TYPE (\w+) ", text)}
    for name, labels in re.findall(r"(?m)^(\w+)(?:\{(.*)\})? \S+$", text):
        for label, value in re.findall(r'(\w+)="([^"]*)"', labels):
            found[family(name)].setdefault(label, set()).add(value)
    return found


def named(expression):
    """(metrics, {label: values}, labels of a grouping) that an expression names"""
    labels = re.findall(r'(\w+)\s*=~?\s*"([^"]*)"', expression)
    groups = {each.strip() for group in re.findall(r"\bby \(([^)]*)\)", expression) for each in group.split(",")}
    return {family(name) for name in re.findall(r"\bpaddock_\w+", expression)}, labels, groups


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        instance = cls.enterClassContext(Instance())
        project = make_project(instance.home / "project", job__py=REACHES_OUT)
        instance.run("compute", project, "python3 job.py")
        connection = instance.connect()
        connection.request("GET", "/metrics", headers={"Authorization": f"Bearer {instance.admin_token()}"})
        cls.text = connection.getresponse().read().decode()
        connection.close()
        cls.metrics = metrics_of(cls.text)

    def test_every_name_exists(self):
        for where, expression in expressions():
            with self.subTest(where):
                metrics, labels, groups = named(expression)
                self.assertTrue(metrics)
                self.assertLessEqual(metrics, set(self.metrics))
                known = {label: values for metric in metrics for label, values in self.metrics[metric].items()}
                for label, value in labels:
                    self.assertIn(value, known.get(label, ()), f"{label} of {expression}")
                self.assertLessEqual(groups, set(known))

    def test_labels_in_legends_and_summaries_exist(self):
        for panel in json.loads((FOLDER / "dashboard.json").read_text())["panels"]:
            for target in panel["targets"]:
                labels = {label for metric in named(target["expr"])[0] for label in self.metrics[metric]} | {"namespace"}
                self.assertLessEqual(set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])), labels, panel["title"])

    def test_every_metric_is_shown(self):
        shown = set().union(*(named(expression)[0] for _, expression in expressions()))
        self.assertEqual(set(self.metrics), shown)

    def test_the_documentation_lists_every_metric_and_alert_and_no_other(self):
        text = (SOURCE / "docs/operations.md").read_text()
        tables = {"paddock_leader", "paddock_moved_away", "paddock_change_texts"}  # of a PostgreSQL store
        self.assertEqual(set(re.findall(r"`(paddock_\w+)", text)) - tables, set(self.metrics))
        rules = {rule["alert"] for group in alerts() for rule in group["rules"]}
        self.assertEqual(set(re.findall(r"`(Paddock[A-Z]\w+)`", text)), rules)

    def value(self, line):
        found = re.search(rf"(?m)^{re.escape(line)} (\S+)$", self.text)
        self.assertTrue(found, line)
        return float(found[1])

    def test_a_run_is_counted_in_each_of_its_stages(self):
        took = {}
        for stage in ("queued", "starting", "running", "total"):
            labels = f'{{stage="{stage}"}}'
            self.assertEqual(self.value(f"paddock_run_stage_seconds_count{labels}"), 1, stage)
            took[stage] = self.value(f"paddock_run_stage_seconds_sum{labels}")
        self.assertGreater(took["running"], 0)
        self.assertGreaterEqual(took["total"], took["running"])

    def test_requests_are_counted_by_route_and_commits_by_time(self):
        runs = "/apis/paddock.dev/v1alpha1/namespaces/{ns}/runs"
        count = f'paddock_http_request_seconds_count{{method="POST",route="{runs}",class="2xx"}}'
        self.assertEqual(self.value(count), 2, "whether it would be taken, before its files are sent, and the run")
        self.assertGreater(self.value("paddock_store_commit_seconds_sum"), 0)

    def test_what_a_sandbox_refused_is_counted(self):
        self.assertEqual(self.value('paddock_sandbox_denials_total{kind="network"}'), 1)
        self.assertEqual(self.value('paddock_sandbox_denials_total{kind="execute"}'), 0)

    @unittest.skipUnless(PROMTOOL, f"no promtool: {NO_PROMTOOL}")
    def test_prometheus_takes_what_the_controller_says(self):
        done = subprocess.run([PROMTOOL, "check", "metrics"], input=self.text, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        self.assertEqual((done.returncode, done.stdout), (0, ""))


class Dashboard(unittest.TestCase):
    def test_its_panels_lie_beside_each_other(self):
        taken = set()
        panels = json.loads((FOLDER / "dashboard.json").read_text())["panels"]
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        for panel in panels:
            at = panel["gridPos"]
            self.assertLessEqual(at["x"] + at["w"], 24)
            cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
            self.assertFalse(cells & taken, panel["title"])
            taken |= cells


@unittest.skipUnless(PROMTOOL, f"no promtool: {NO_PROMTOOL}")
class Rules(unittest.TestCase):
    def promtool(self, *words, folder):
        done = subprocess.run([PROMTOOL, *words], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_every_expression_is_one(self):
        with tempfile.TemporaryDirectory() as folder:
            rules = [{"record": f"expression:number{i}", "expr": expression} for i, (_, expression) in enumerate(expressions())]
            (pathlib.Path(folder) / "all.yaml").write_text(json.dumps({"groups": [{"name": "all", "rules": rules}]}))
            self.promtool("check", "rules", "all.yaml", folder=folder)

    def test_each_alert_is_played(self):
        tests = SOURCE / "tests/integration/alerts.rules-test.yaml"
        for group in alerts():
            for rule in group["rules"]:
                self.assertIn(rule["alert"], tests.read_text())
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(tests, folder)
            shutil.copy(FOLDER / "alerts.yaml", folder)
            self.promtool("test", "rules", tests.name, folder=folder)


if __name__ == "__main__":
    main()
