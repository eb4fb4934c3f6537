# A file larger than memory is mapped; only address space is needed.
# run: python3 big_map.py
# limits: {fileSize: 16Gi}
import mmap
with open("sparse", "wb") as f: f.truncate(12 << 30)
with open("sparse", "rb") as f: m = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ); print(len(m), m[-1])
import os; os.remove("sparse"); print("ok")
