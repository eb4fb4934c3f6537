"""What the kernel counts for the whole host, or for one user of it, no sandboxed program can use up."""
import ctypes
import json
import os
import pathlib
import resource
import subprocess
import tempfile
import textwrap
import unittest

from harness import BIN, PATIENCE_S, main, wait_until

LIBC = ctypes.CDLL(None, use_errno=True)
IO_SETUP = {"x86_64": 206, "aarch64": 0}[os.uname().machine]

# Takes all it can get, says so, and holds it until it is told to end.
HOLD = """
import ctypes, os, pathlib, signal, sys, time
libc = ctypes.CDLL(None, use_errno=True)
kept = []
{take}
pathlib.Path("holds").write_text("")
while not pathlib.Path("end").exists():
    time.sleep(0.02)
"""

INOTIFY = "while libc.inotify_init1(0) >= 0: pass"
SIGNALS = """
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
value = ctypes.c_void_p(0)
while libc.sigqueue(os.getpid(), signal.SIGRTMIN, value) == 0: pass
"""
AIO = """
size = 1 << 16
while size:
    if libc.syscall(%d, ctypes.c_uint(size), ctypes.byref(ctypes.c_ulong(0))) != 0: size //= 2
""" % IO_SETUP
IN_FLIGHT = """
import array, errno, socket
full = False
while not full:
    a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    a.setblocking(False)
    kept.append((a, b))
    while True:
        try:
            a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 253))])
        except BlockingIOError:
            break
        except OSError:
            full = True
            break
"""


def lower_soft_limit():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, hard), hard))


@unittest.skipIf(os.geteuid() != 0, "an ordinary user's sandboxes count as that user's own programs")
class SharedCounters(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="paddock-counters-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("PADDOCK_")}
        self.env.update(PADDOCK_HOME=str(self.folder / "state"), NO_COLOR="1")

    def start(self, workspace, *args):
        (self.folder / workspace).mkdir(exist_ok=True)
        return subprocess.Popen([str(BIN / "paddock"), "sandbox", "run", *args], cwd=self.folder / workspace,
                                env=self.env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                preexec_fn=lower_soft_limit)

    def hold(self, take, *options):
        """A sandbox that has all it can get until the test is over."""
        holder = self.start("holder", "--profile", "compute", "--wall-time", "20m", *options, "--", "python3", "-c",
                            HOLD.format(take=textwrap.dedent(take)))

        def end():
            (self.folder / "holder" / "end").write_text("")
            holder.communicate(timeout=PATIENCE_S)

        self.addCleanup(end)
        wait_until("the sandbox has what it can get",
                   lambda: (self.folder / "holder" / "holds").exists() or holder.poll() is not None)
        self.assertIsNone(holder.poll(), "it ended before")

    def result(self, workspace, *args):
        out, err = self.start(workspace, "-o", "json", *args).communicate(timeout=PATIENCE_S)
        self.assertTrue(out.strip(), err)
        return json.loads(out)

    # proves: ORB-129
    def test_the_host_can_still_watch_files(self):
        self.hold(INOTIFY)
        watch = LIBC.inotify_init1(os.O_CLOEXEC)
        self.assertGreaterEqual(watch, 0, os.strerror(ctypes.get_errno()))
        os.close(watch)

    # proves: ORB-129
    def test_the_host_can_still_queue_signals_and_make_timers(self):
        self.hold(SIGNALS)
        sigevent = (ctypes.c_int * 16)(0, 0, 10, 0)  # SIGEV_SIGNAL, SIGUSR1
        timer = ctypes.c_void_p()
        made = LIBC.timer_create(1, sigevent, ctypes.byref(timer))
        self.assertEqual(made, 0, os.strerror(ctypes.get_errno()))
        LIBC.timer_delete(timer)

    # proves: ORB-129
    def test_the_host_can_still_use_asynchronous_io(self):
        self.hold(AIO)
        context = ctypes.c_ulong(0)
        made = LIBC.syscall(IO_SETUP, ctypes.c_uint(1), ctypes.byref(context))
        self.assertEqual(made, 0, os.strerror(ctypes.get_errno()))
        LIBC.syscall(IO_SETUP + 1, context)  # io_destroy

    # proves: ORB-129
    def test_other_sandboxes_still_start_while_one_sends_all_the_descriptors_it_may(self):
        self.hold(IN_FLIGHT, "--open-files", "1048576")
        neighbour = self.result("neighbour", "--", "true")
        self.assertEqual((neighbour["status"], neighbour["reason"]), ("OK", ""))

    # proves: ORB-129
    def test_a_crash_starts_no_handler_of_the_host(self):
        # With a limit of exactly 1 the kernel starts none; with 0 it does (core(5)).
        code = ("import resource as r\n"
                "print(r.getrlimit(r.RLIMIT_CORE))\n"
                "try: r.setrlimit(r.RLIMIT_CORE, (0, 0))\n"
                "except OSError: pass\n"
                "print(r.getrlimit(r.RLIMIT_CORE))")
        self.assertEqual(self.result("crash", "--", "python3", "-c", code)["stdout"], "(1, 1)\n(1, 1)\n")

    # proves: VLT-17
    def test_a_command_cannot_blind_what_tells_how_it_ended(self):
        code = ("import resource as r\n"
                "try: r.prlimit(1, r.RLIMIT_NOFILE, (0, 0))\n"
                "except OSError: pass\n"
                "with open('/tmp/x', 'wb', 0) as f:\n"
                "  while True: f.write(b'x' * (1 << 20))")
        full = self.result("full", "--fs-bytes", "8Mi", "--", "python3", "-c", code)
        self.assertEqual((full["status"], full.get("code")), ("LIMIT_EXCEEDED", "E_LIMIT_FS"), full["reason"])


if __name__ == "__main__":
    main()
