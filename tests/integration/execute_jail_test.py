"""POST /execute with the checker switched off: the sandbox holds alone."""
import socket
import uuid

from executing import Executing
from harness import main


class Jail(Executing):
    """With the checker switched off the sandbox holds alone."""
    settings = {"PADDOCK_NODE_AGENT_SNIPPETS_VALIDATOR": "false"}

    # proves: ELV-130, ELV-131
    def test_the_layer_that_is_off_is_told(self):
        self.assertIs(self.ask("GET", "/health")[1]["validator"], False)
        self.assertEqual(self.output_of("import os; print(len(os.listdir('/tmp')))"), "0\n")

    # proves: ELV-124, ELV-132
    # proves partly: ELV-100
    def test_no_network(self):
        listener = self.enterContext(socket.socket(socket.AF_UNIX))
        name = f"paddock-{uuid.uuid4().hex}"
        listener.bind(f"\0{name}")  # of this host, and of no file
        listener.listen()
        with socket.socket(socket.AF_UNIX) as mine:
            mine.connect(f"\0{name}")  # it is there
        # TCP, UDP, ICMP by datagrams and raw, any raw protocol, the same of IPv6, whole frames; abstract names
        code = ("import socket\n"
                "for family, kind, protocol in ((2, 1, 0), (2, 2, 0), (2, 2, 1), (2, 3, 1), (2, 3, 255), (10, 1, 0), (10, 2, 0),\n"
                "                               (10, 2, 58), (10, 3, 58), (17, 3, 0x300), (1, 1, 0)):\n"
                "    try:\n"
                "        s = socket.socket(family, kind, protocol)\n"
                "        s.settimeout(2)\n"
                f"        s.connect({{1: '\\0{name}', 2: ('1.1.1.1', 80), 10: ('2606:4700:4700::1111', 80), 17: ('lo', 0)}}[family])\n"
                "        s.send(b'x' * 64)\n"
                "        print('REACHED', family, kind, protocol)\n"
                "    except OSError as error:\n"
                "        print('refused')\n")
        self.assertEqual(self.output_of(code), "refused\n" * 11)
        answer = self.execute("import urllib.request; urllib.request.urlopen('http://google.com', timeout=3)")
        self.assertFalse(answer["success"])
        self.assertIsNone(answer["validation_errors"])
        self.assertIn("URLError", answer["stderr"])

    # proves: ELV-125, ELV-133
    def test_no_file_but_scratch(self):
        code = ("import os\n"
                "for path in ('/etc/shadow', '/root', '/home', '/var/lib/paddock', '/srv', '/proc/1/environ'):\n"
                "    try:\n"
                "        open(path).read() if not os.path.isdir(path) else os.listdir(path) and print('SEEN', path)\n"
                "        if os.path.isfile(path): print('READ', path)\n"
                "    except OSError: pass\n"
                "for path in ('/usr/x', '/etc/x', '/x', '/proc/sys/kernel/hostname', '/dev/x'):\n"
                "    try:\n"
                "        open(path, 'w'); print('WROTE', path)\n"
                "    except OSError: pass\n"
                "open('/tmp/mine', 'w').write('x'); print('done')")
        self.assertEqual(self.output_of(code), "done\n")

    # proves: ELV-135, ELV-126
    def test_no_other_process_and_no_fork_bomb(self):
        code = ("import os\n"
                "print(sorted(int(p) for p in os.listdir('/proc') if p.isdigit())[-1] < 100)\n"
                "made = 0\n"
                "try:\n"
                "    while made < 100:\n"
                "        if os.fork() == 0:\n"
                "            import time; time.sleep(30)\n"
                "        made += 1\n"
                "except OSError: pass\n"
                "print(0 < made < 8)\n"
                "os._exit(0)")
        self.assertEqual(self.output_of(code), "True\nTrue\n")

    # proves: ELV-134
    def test_memory_of_all_processes_together(self):
        code = ("import os\n"
                "for _ in range(4):\n"
                "    if os.fork() == 0:\n"
                "        x = b'a' * (150 << 20)\n"
                "        import time; time.sleep(600); os._exit(0)\n"
                "import time; time.sleep(600)")
        answer = self.execute(code, timeout_seconds=60)
        self.assertFalse(answer["success"])
        self.assertIn("memory", str(answer["error"]))

    # proves: ELV-129, ELV-136
    def test_dangerous_system_calls(self):
        call = "import ctypes\nprint(ctypes.CDLL(None).syscall({}) == -1)"
        for arguments in ("101, 0, 0, 0, 0", "165, 0, 0, 0, 0, 0", "321, 0, 0, 0", "323, 0", "298, 0, 0, -1, -1, 0",
                          "272, 0x10000000", "155, 0, 0"):  # ptrace mount bpf userfaultfd perf unshare pivot_root
            answer = self.execute(call.format(arguments))
            self.assertTrue(answer["stdout"] == "True\n" or "forbidden system call" in str(answer["error"]), answer)
        answer = self.execute(call.format("246, 0, 0, 0, 0"))
        self.assertIn("forbidden system call: kexec_load", answer["error"])

    def test_no_descriptor_is_inherited(self):
        code = ("import os\n"
                "def there(n):\n"
                "    try: return os.fstat(n) is not None\n"
                "    except OSError: return False\n"
                "print([n for n in range(3, 16) if there(n)])\n"
                "print(os.readlink('/proc/self/fd/0'), os.read(0, 10))")
        lines = self.output_of(code).splitlines()
        self.assertEqual(lines[0], "[]")
        self.assertEqual(lines[1], "/dev/null b''")

    # proves: ELV-54, ELV-53
    def test_the_environment_is_the_profiles(self):
        code = "import os; print(sorted(k for k in os.environ if k != 'LC_CTYPE'), os.getcwd(), os.uname().nodename)"
        self.assertEqual(self.output_of(code),
                         "['HOME', 'PATH', 'PYTHONDONTWRITEBYTECODE', 'PYTHONUNBUFFERED'] /tmp sandbox\n")


if __name__ == "__main__":
    main()
