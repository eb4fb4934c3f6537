"""What may be asked for at most on an instance that nobody configured, as docs/security.md has it."""
import http.client
import json
import os
import pathlib
import re
import ssl
import unittest

from harness import SOURCE, Instance, find_file, main

RUNS = "/apis/paddock.dev/v1alpha1/namespaces/default/runs"


def table(document, first):
    """Rows of the table whose head begins so, as lists of cells."""
    lines = (SOURCE / "docs" / document).read_text().split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {first} |"))
    rows = []
    for line in lines[start + 2:]:
        if not line.startswith("|"):
            return rows
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def documented():
    """What docs/security.md says of each limit."""
    return {name: said for names, said in table("security.md", "limit") for name in re.findall(r"`(\w+)`", names)}


def largest_values():
    """The most that each limit's field takes, by docs/policy.md."""
    return {row[0].strip("`").removeprefix("limits."): row[-1] for row in table("policy.md", "field")
            if row[0].startswith("`limits.") and len(row) > 5}


def number_in(path):
    return int(pathlib.Path(path).read_text().split()[0])


def memory_of_host():
    return int(re.search(r"MemTotal:\s+(\d+)", pathlib.Path("/proc/meminfo").read_text()).group(1)) << 10


def in_bytes(quantity):
    count, unit = re.fullmatch(r"(\d+)([KMGT]i)?", str(quantity)).groups()
    return int(count) << {None: 0, "Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40}[unit]


class Ceilings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.instance = Instance("ceilings")
        cls.instance.__enter__()
        cls.addClassCleanup(cls.instance.__exit__, None, None, None)
        cls.largest = cls.instance.get("nodes")["items"][0]["status"]["largestLimits"]

    def try_run(self, limits):
        """Whether a run with these limits would be created: the status, and the refusal's code, field and message."""
        body = {"apiVersion": "paddock.dev/v1alpha1", "kind": "Run", "metadata": {"name": "r"},
                "spec": {"type": "code", "code": "print(1)", "sandbox": {"limits": limits}}}
        home = self.instance.home
        port = json.loads(find_file(home, "controller.json").read_text())["port"]
        tls = ssl.create_default_context(cafile=str(find_file(home, "tls/ca.pem")))
        connection = http.client.HTTPSConnection("127.0.0.1", port, context=tls, timeout=60)
        try:
            token = find_file(home, "tokens/admin").read_text().strip()
            connection.request("POST", RUNS + "?dryRun=All", json.dumps(body), {"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            document = json.loads(answer.read())
        finally:
            connection.close()
        if answer.status < 300:
            return answer.status, None, None, None
        cause = document["error"]["details"]["causes"][0]
        return answer.status, document["error"]["code"], cause["field"], cause["message"]

    def test_every_limit_is_in_the_table(self):
        self.assertEqual(set(documented()), set(largest_values()))

    def test_the_most_that_a_field_takes_is_refused_with_what_would_pass(self):
        for name, most in largest_values().items():
            status, code, field, message = self.try_run({name: int(most) if most.isdigit() else most})
            if documented()[name].startswith("no bound of its own"):
                self.assertEqual(status, 201, name)
                continue
            self.assertIn(code, ("LIMIT_OVER_CEILING", "TIMEOUT_OVER_CEILING"), name)
            self.assertEqual(field, f"spec.sandbox.limits.{name}")
            self.assertRegex(message, r"at most \S*\d", name)

    def test_numbers_of_the_table_are_those_that_hold(self):
        fixed = {name: re.match(r"[\d]+(h|[KMGT]i)?", said).group(0) for name, said in documented().items()
                 if said[0].isdigit()}
        self.assertGreater(len(fixed), 4)
        for name, value in fixed.items():
            exactly = int(value) if value.isdigit() else value
            self.assertEqual(self.try_run({name: exactly})[0], 201, name)
            unit = value.lstrip("0123456789")
            more = exactly + 1 if value.isdigit() else f"{int(value.removesuffix(unit)) + 1}{unit}"
            self.assertGreaterEqual(self.try_run({name: more})[0], 400, name)

    def test_what_follows_from_the_node_is_what_it_has_and_no_more(self):
        derived = {name for name, said in documented().items() if " of the " in said}
        self.assertEqual(derived, {"memory", "pids", "fileSize", "fsBytes", "fileCount"})
        for name in derived:
            self.assertEqual(self.try_run({name: self.largest[name]})[0], 201, name)
        self.assertLessEqual(in_bytes(self.largest["memory"]), max(memory_of_host(), 8 << 30))
        most = min(number_in("/proc/sys/kernel/pid_max"), number_in("/proc/sys/kernel/threads-max"))
        self.assertLessEqual(self.largest["pids"], max(most // 4, 1024))
        disk = os.statvfs(self.instance.home)
        self.assertLessEqual(in_bytes(self.largest["fsBytes"]), max(disk.f_blocks * disk.f_frsize, 4 << 30))

    def test_how_many_processes_one_token_may_have_is_said(self):
        said = next(row for row in table("security.md", "what") if row[0].startswith("process numbers"))[2]
        self.assertIn("a run: a quarter. One token may have all runs that a node takes at once "
                      "(two for each processor, and at least four,", said)
        capacity = self.instance.get("nodes")["items"][0]["status"]["capacity"]
        self.assertEqual(capacity["maxRuns"], max(4, 2 * int(capacity["cpu"])))
        numbers = min(number_in("/proc/sys/kernel/pid_max"), number_in("/proc/sys/kernel/threads-max"))
        self.assertGreaterEqual(capacity["maxRuns"] * self.largest["pids"], numbers // 4 * 4, "then not all any more")

    def test_the_host_cannot_be_asked_for_at_once(self):
        status, code, _, message = self.try_run({"pids": 4_000_000, "memory": "900Ti", "fsBytes": "900Ti",
                                                 "fileCount": 1_000_000_000})
        self.assertEqual((status, code), (400, "LIMIT_OVER_CEILING"))
        self.assertIn("ceilings.limits.", message)


if __name__ == "__main__":
    main()
