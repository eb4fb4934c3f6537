# Python's process pools, shared memory and managers.
# run: python3 pool.py
import multiprocessing as mp
from multiprocessing import shared_memory
def f(n): return n * n
if __name__ == "__main__":
    with mp.Pool(4) as p: assert p.map(f, range(10)) == [n * n for n in range(10)]
    m = shared_memory.SharedMemory(create=True, size=1 << 20); m.close(); m.unlink()
    with mp.Manager() as g: g.dict()["a"] = 1
    print("ok")
