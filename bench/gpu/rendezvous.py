"""torchrun starts two ranks, which find each other by its rendezvous on localhost: seconds from start to end."""
import subprocess
import sys
import time

RANK = """
import torch
torch.distributed.init_process_group("gloo")
x = torch.ones(8)
torch.distributed.all_reduce(x)
assert x[0] == 2
"""

with open("/tmp/rank.py", "w") as file:
    file.write(RANK)
start = time.perf_counter()
subprocess.run([sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "/tmp/rank.py"],
               check=True, stderr=subprocess.DEVNULL)
print("value", time.perf_counter() - start)
