// Signals that a caller gives the command of a run (`paddock signal`).
#include "common/os/packet_socket.h"
#include "node-agent/launch/order.h"
#include "tests/adversarial/exec_fixture.h"

namespace paddock::adversarial {
namespace {

using contracts::RunSignal;
using contracts::SandboxStatus;

class ExecSignal : public Exec {
 protected:
  // Says what it hears, until it hears TERM. Its child, and a process that has left its group, say
  // so too if anything reaches them.
  contracts::LaunchRequest listener() const {
    auto out = open_run("");
    out.command = {"python3", "-c",
                   "import os, signal, sys, time\n"
                   "NAMES = ('HUP', 'INT', 'TERM', 'USR1', 'USR2', 'WINCH', 'CONT')\n"
                   "def hear(who):\n"
                   "  def heard(number, _):\n"
                   "    os.write(1, f'{who} {signal.Signals(number).name}\\n'.encode())\n"
                   "    if number == signal.SIGTERM: os._exit(0)\n"
                   "  for name in NAMES: signal.signal(getattr(signal, 'SIG' + name), heard)\n"
                   "ready, told = os.pipe()\n"
                   "for who in ('child', 'stranger'):\n"
                   "  if os.fork() == 0:\n"
                   "    if who == 'stranger': os.setsid()\n"
                   "    hear(who)\n"
                   "    os.write(told, b'.')\n"
                   "    while True: time.sleep(1000)\n"
                   "hear('command')\n"
                   "for _ in range(2): os.read(ready, 1)\n"
                   "print('READY', flush=True)\n"
                   "while True: time.sleep(1000)\n"};
    return out;
  }
  Status send(RunSignal signal) const { return launch::order_signal(exec_socket(), signal); }
};

TEST_P(ExecSignal, ReachesTheCommandAndNoProcessBesideIt) {
  Launched run = start(listener());
  ASSERT_TRUE(run.wait_for_output("READY"));
  for (const RunSignal signal : {RunSignal::kHup, RunSignal::kInt, RunSignal::kUsr1,
                                 RunSignal::kUsr2, RunSignal::kWinch, RunSignal::kCont}) {
    const Status sent = send(signal);
    ASSERT_TRUE(sent.ok()) << sent.error().describe();
    ASSERT_TRUE(run.wait_for_output(cat("command SIG", wire::enum_name(signal), "\n")));
  }
  ASSERT_TRUE(send(RunSignal::kTerm).ok());
  const auto done = run.wait();
  EXPECT_EQ(done.result->status, SandboxStatus::kOk) << done.result->reason;
  EXPECT_EQ(done.result->out.find("child"), std::string::npos) << done.result->out;
  EXPECT_EQ(done.result->out.find("stranger"), std::string::npos) << done.result->out;
  EXPECT_EQ(send(RunSignal::kUsr1).error().reason, "RUN_NOT_RUNNING");
}

TEST_P(ExecSignal, OfARunThatHandlesNoneEndsItAsTheKernelWould) {
  Launched run = start(open_run("echo READY; exec sleep 1000"));
  ASSERT_TRUE(run.wait_for_output("READY"));
  EXPECT_TRUE(send(RunSignal::kWinch).ok());
  ASSERT_TRUE(send(RunSignal::kUsr1).ok());
  EXPECT_EQ(run.wait().result->rc, 128 + SIGUSR1);
}

// Only words of the list are passed on: by number, or by another name, nothing arrives.
TEST_P(ExecSignal, IsOneOfTheList) {
  Launched run = start(patient());
  ASSERT_TRUE(run.wait_for_output("READY"));
  for (const char* word : {"KILL", "STOP", "9", "SIGUSR1", "usr1", "USR1 ", "", "ALRM"}) {
    const auto socket = os::connect_packets(exec_socket());
    ASSERT_TRUE(socket.ok());
    ASSERT_TRUE(os::send_packet(socket->get(), cat(contracts::kSignalOrder, word)).ok());
    const auto answer = os::receive_packet(socket->get());
    ASSERT_TRUE(answer.ok());
    EXPECT_TRUE(answer->bytes.starts_with("refused BAD_ORDER")) << word << ": " << answer->bytes;
  }
  allow();
  EXPECT_EQ(run.wait().result->status, SandboxStatus::kOk);
}

// What a program inside would have to reach: a socket that it has inherited, another process's
// descriptors, the launcher's socket by its path or by a name. A further command has no more.
TEST_P(ExecSignal, IsGivenByNobodyInside) {
  Launched run = start(patient("trap 'echo SIGNALLED' USR1; "));
  ASSERT_TRUE(run.wait_for_output("READY"));
  const std::string attempt =
      "import os, socket, stat\n"
      "word = b'U\\0\\0\\0\\x0a\\0\\0\\0' + b'\\0' * 8\n"
      "found = []\n"
      "for process in [p for p in os.listdir('/proc') if p.isdigit()]:\n"
      "  try: names = os.listdir(f'/proc/{process}/fd')\n"
      "  except OSError: continue\n"
      "  for name in names:\n"
      "    try:\n"
      "      if process == '1' or stat.S_ISSOCK(os.stat(f'/proc/{process}/fd/{name}').st_mode):\n"
      "        found.append((process, name))\n"
      "    except OSError: pass\n"
      "for number in range(64):\n"
      "  try:\n"
      "    if not stat.S_ISSOCK(os.fstat(number).st_mode): continue\n"
      "    found.append(number)\n"
      "    os.write(number, word)\n"
      "  except OSError: pass\n"
      "try:\n"
      "  got = os.pidfd_open(1)\n"
      "  import ctypes\n"
      "  for number in range(16):\n"
      "    if ctypes.CDLL(None).syscall(438, got, number, 0) >= 0: found.append(('taken', "
      "number))\n"
      "except (OSError, AttributeError): pass\n"
      "for place in ('" +
      exec_socket() +
      "', '/io/exec', '\\0paddock'):\n"
      "  try:\n"
      "    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:\n"
      "      s.connect(place)\n"
      "      found.append(place)\n"
      "  except OSError: pass\n"
      "print('found', found)\n";
  const Executed tried = execute({"python3", "-c", attempt});
  EXPECT_EQ(tried.out, "found []\n") << tried.err;
  allow();
  const auto done = run.wait();
  EXPECT_EQ(done.result->out.find("SIGNALLED"), std::string::npos);
  const auto alone = start(request({"python3", "-c", attempt})).wait();
  EXPECT_EQ(alone.result->out, "found []\n") << alone.result->err;
}

INSTANTIATE_TEST_SUITE_P(, ExecSignal, testing::Values(As::kRoot, As::kUser), name_of);

}  // namespace
}  // namespace paddock::adversarial
