"""NCCL, a rank for each device (two at most; it takes no two ranks on one), gloo without any: ms of an all-reduce."""
import os

import gpu

torch = gpu.torch
COUNT = min(torch.cuda.device_count(), 2) if gpu.CUDA else 2


def work(rank):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29511")
    torch.distributed.init_process_group("nccl" if gpu.CUDA else "gloo", rank=rank, world_size=COUNT)
    x = torch.ones(1 << 20, device=f"cuda:{rank}" if gpu.CUDA else "cpu")
    torch.distributed.all_reduce(x)
    assert x[0] == COUNT
    taken = gpu.median_ms(lambda: torch.distributed.all_reduce(x))
    if rank == 0:
        print("value", taken)


if __name__ == "__main__":
    torch.multiprocessing.spawn(work, nprocs=COUNT)
