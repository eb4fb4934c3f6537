# Two ranks of torch.distributed meet on localhost.
# run: python3 two_ranks.py
# needs: python3-torch
# loopback
# limits: {memory: 4Gi, cpuTime: 200s, pids: 256}
import os, torch, torch.distributed as dist, torch.multiprocessing as mp
def work(rank):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29510")
    dist.init_process_group("gloo", rank=rank, world_size=2)
    t = torch.ones(2); dist.all_reduce(t); assert t.tolist() == [2, 2]
    # Threads of a group that is not destroyed live on, and a rank that ends beside them may abort ("terminate called …").
    dist.barrier(); dist.destroy_process_group()
if __name__ == "__main__":
    mp.spawn(work, nprocs=2); print("ok")
