# psutil and procps: disks, memory and processes of a run, without complaints.
# run: python3 -W error disks.py
# needs: python3-psutil procps
import shutil
import subprocess

import psutil

places = {each.mountpoint for each in psutil.disk_partitions(all=True)}
assert {"/", "/usr", "/workspace", "/tmp", "/dev/shm", "/proc"} <= places, places
for place in (".", "/tmp", "/dev/shm"):
    assert psutil.disk_usage(place).total == shutil.disk_usage(place).total > 0, place
assert not psutil.disk_io_counters(perdisk=True)
assert psutil.swap_memory().sin == 0 and psutil.virtual_memory().total > 0
assert psutil.Process().as_dict(["pid", "name", "num_threads", "memory_info", "cpu_times", "open_files"])["pid"] > 0
assert psutil.net_io_counters() and psutil.cpu_times() and psutil.boot_time() > 0
for command in (["vmstat"], ["free"], ["uptime"], ["ps", "aux"], ["df", "."], ["top", "-b", "-n1"]):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout, (command, done)
assert open("/proc/mounts").read() == open("/etc/mtab").read()
print("ok")
