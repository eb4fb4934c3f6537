# A product of matrices by a BLAS with threads.
# run: python3 openblas.py
# needs: python3-numpy libopenblas0-pthread
# limits: {memory: 1Gi}
import numpy as n
print((n.ones((1000, 1000)) @ n.ones((1000, 1000))).sum()); print("ok")
