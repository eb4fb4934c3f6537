"""What the programs beside this file share: the device, and how a time is taken."""
import statistics
import time

import torch

CUDA = torch.cuda.is_available()
DEVICE = "cuda" if CUDA else "cpu"


def wait():
    if CUDA:
        torch.cuda.synchronize()


def median_ms(f, times=30):
    for _ in range(3):
        f()
    wait()
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        f()
        wait()
        taken.append(1000 * (time.perf_counter() - start))
    return statistics.median(taken)
