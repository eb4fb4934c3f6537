#!/usr/bin/env python3
"""Slurm on this host, as a peer of Paddock's dispatch: one node, loopback, no accounting, tuned for short jobs.

    bench/slurm_peer.py [JOBS, default 1000] [ONE AT A TIME, default 40]

  throughput  an array of jobs that do nothing, from the submission to the last completion as slurmctld counts them
  latency     submission to the script's first word, with the profile that schedules at once (sbatch), and `srun true`
Needs root and Debian's packages slurmctld, slurmd, slurm-client and munge; without them it says so and ends well.
"""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "tests/integration"))
sys.dont_write_bytecode = True
from harness import held_port  # noqa: E402

NEEDED = {"slurmctld": "slurmctld", "slurmd": "slurmd", "sbatch": "slurm-client", "munged": "munge"}
PATIENCE_S = 120
COMMON = """
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
ClusterName=bench
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SwitchType=switch/none
MpiDefault=none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
ReturnToService=2
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
PriorityType=priority/basic
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MaxJobCount=200000
MaxArraySize=20001
SlurmctldDebug=error
SlurmdDebug=error
InactiveLimit=0
KillWait=5
MailProg=/bin/true
NodeName={host} NodeAddr=127.0.0.1 CPUs=1024 RealMemory=1000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
SchedulerType=sched/builtin
MinJobAge=2
"""
PROFILES = {
    "throughput": "SchedulerParameters=defer,batch_sched_delay=1,sched_min_interval=50000,sched_interval=1,"
                  "default_queue_depth=1000,partition_job_depth=1000\n",
    "latency": "SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,default_queue_depth=1000\n",
}


def missing_packages():
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    return sorted({package for program, package in NEEDED.items() if not shutil.which(program)})


def output_of(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, timeout=PATIENCE_S).stdout


def wait_for(what, condition):
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        with contextlib.suppress(subprocess.SubprocessError):
            if condition():
                return
        time.sleep(0.1)
    raise RuntimeError(f"waited {PATIENCE_S} s in vain for: {what}")


def quantile(times, part):
    return sorted(times)[min(len(times) - 1, int(len(times) * part))]


def show(what, times):
    print(f"  {what:34} {len(times):6} {min(times):9.3f} {quantile(times, .5):9.3f} {quantile(times, .9):9.3f} "
          f"{quantile(times, .99):9.3f}", flush=True)


class Slurm:
    """One profile's daemons, until the end of the `with`."""

    def __init__(self, folder, profile, configured=lambda text: text):
        """configured() may change the text of slurm.conf, for other clusters than a bench's."""
        self.folder = folder
        self.daemons = []
        self.ports = contextlib.ExitStack()
        controller_port, node_port = (self.ports.enter_context(held_port()) for _ in range(2))
        shutil.rmtree(folder / "state", ignore_errors=True)
        shutil.rmtree(folder / "spool", ignore_errors=True)
        (folder / "state").mkdir()
        (folder / "spool").mkdir()
        os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
        (folder / "slurm.conf").write_text(configured(
            COMMON.format(host=socket.gethostname().split(".")[0], folder=folder, controller_port=controller_port,
                          node_port=node_port) + PROFILES[profile]))

    def start(self, *command):
        with open(self.folder / f"{command[0]}.out", "ab") as out:
            self.daemons.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                                 start_new_session=True))

    def __enter__(self):
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        try:
            self.start("munged", "--num-threads=10", "-f", "-F", f"--key-file={key}",
                       f"--socket={self.folder}/munge.socket", f"--pid-file={self.folder}/munged.pid",
                       f"--log-file={self.folder}/munged.log", f"--seed-file={self.folder}/munged.seed")
            wait_for("munged", lambda: (self.folder / "munge.socket").exists())
            self.start("slurmctld", "-D", "-c", "-f", os.environ["SLURM_CONF"])
            wait_for("slurmctld", lambda: "UP" in output_of("scontrol", "ping"))
            self.start("slurmd", "-D", "-c", "-f", os.environ["SLURM_CONF"], "-N",
                       socket.gethostname().split(".")[0])
            wait_for("the node", lambda: "idle" in output_of("sinfo", "-h", "-o", "%T"))
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *exc):
        self.stop()

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
            try:
                daemon.wait(timeout=30)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self.daemons.clear()
        self.ports.close()


def completed():
    found = re.search(r"Jobs completed:\s*(\d+)", output_of("sdiag"))
    return int(found.group(1)) if found else 0


def throughput(folder, jobs):
    script = folder / "true.sh"
    script.write_text("#!/bin/true\n")
    output_of("sdiag", "-r")
    begin = time.perf_counter()
    output_of("sbatch", "-Q", "-D", "/tmp", "-o", "/dev/null", "-e", "/dev/null", f"--array=1-{jobs}", str(script))
    wait_for("all jobs to complete", lambda: completed() >= jobs)
    return jobs / (time.perf_counter() - begin)


def script_starts(folder, count):
    """Submission of one job on an idle cluster to its script's first word, which it writes into a FIFO."""
    fifo = folder / "fifo"
    os.mkfifo(fifo)
    script = folder / "tell.sh"
    script.write_text(f"#!/bin/sh\necho x >{fifo}\n")
    times = []
    reader = os.open(fifo, os.O_RDWR)
    try:
        for number in range(count):
            time.sleep(0.03 * (number % 33))  # at any moment of its clock
            begin = time.perf_counter()
            output_of("sbatch", "-Q", "-D", "/tmp", "-o", "/dev/null", "-e", "/dev/null", str(script))
            os.read(reader, 16)
            times.append((time.perf_counter() - begin) * 1000)
    finally:
        os.close(reader)
    return times


def srun_times(count):
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        output_of("srun", "-Q", "-D", "/tmp", "true")
        times.append((time.perf_counter() - begin) * 1000)
    return times


def main():
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    singles = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    missing = missing_packages()
    if missing or os.geteuid() != 0:
        why = f"not installed: {', '.join(missing)}" if missing else "only root may start its daemons"
        print(f"  SKIPPED: Slurm: {why} (scripts/install-deps bench)")
        return
    with tempfile.TemporaryDirectory(prefix="paddock-slurm-") as name:
        folder = pathlib.Path(name)
        print(f"{output_of('slurmctld', '-V').strip()}, one node, tuned for short jobs, no accounting", flush=True)
        with Slurm(folder, "throughput"):
            print(f"  an array of {jobs} jobs of /bin/true: {throughput(folder, jobs):.1f} jobs/s end to end", flush=True)
        with Slurm(folder, "latency"):
            print(f"  {'one job at a time; ms':34} {'n':>6} {'min':>9} {'p50':>9} {'p90':>9} {'p99':>9}")
            show("sbatch to the script's start", script_starts(folder, singles))
            show("srun true to its end", srun_times(singles))


if __name__ == "__main__":
    main()
