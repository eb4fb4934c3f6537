# matplotlib draws a picture.
# run: python3 plot.py
# needs: python3-matplotlib
# limits: {memory: 1Gi, cpuTime: 100s}
import os, matplotlib; matplotlib.use("Agg")
import matplotlib.pyplot as plt
os.makedirs("out", exist_ok=True); plt.plot([1, 2, 3]); plt.savefig("out/plot.png"); print("ok")
