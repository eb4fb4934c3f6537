"""JAX: its devices, and a sum on the first: ms, median of 30."""
import statistics
import time

import jax
import jax.numpy as jnp

x = jnp.ones(1 << 20)
add = jax.jit(lambda x: x.sum())
assert float(add(x)) == 1 << 20
taken = []
for _ in range(30):
    start = time.perf_counter()
    add(x).block_until_ready()
    taken.append(1000 * (time.perf_counter() - start))
print("value", statistics.median(taken))
