"""gloo, two ranks on localhost without a device: ms of an all-reduce."""
import os

import torch

import gpu


def work(rank):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29512")
    torch.distributed.init_process_group("gloo", rank=rank, world_size=2)
    x = torch.ones(1 << 20)
    torch.distributed.all_reduce(x)
    assert x[0] == 2
    taken = gpu.median_ms(lambda: torch.distributed.all_reduce(x))
    if rank == 0:
        print("value", taken)


if __name__ == "__main__":
    torch.multiprocessing.spawn(work, nprocs=2)
