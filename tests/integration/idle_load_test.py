"""An idle instance looks idle: sandboxes that are prepared for the next run add nothing to the host's load average."""
import contextlib
import pathlib
import unittest

from harness import Instance, main, wait_until

FEWEST = 4  # prepared sandboxes, of the twelve that an instance on a small host keeps


def states_of(instance):
    """Its sandboxes' processes, as (pid in its innermost namespace, state)."""
    found = []
    for pid in instance.processes():
        with contextlib.suppress(OSError):  # it may have ended
            status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
            found.append((int(status["NSpid"].split()[-1]), status["State"].split()[0]))
    return found


class IdleLoad(unittest.TestCase):
    def test_prepared_sandboxes_sleep_so_that_the_load_average_does_not_count_them(self):
        with Instance() as instance:
            def asleep():
                """Whether commands stand ready below their inits and no process waits as if for a disk (D, which counts)."""
                states = states_of(instance)
                return sum(inner == 2 for inner, _ in states) >= FEWEST and all(state != "D" for _, state in states)
            wait_until("sandboxes that are prepared, all processes of them asleep", asleep)


if __name__ == "__main__":
    main()
