"""A large product in bf16: ms, median of 30."""
import gpu

size = 8192 if gpu.CUDA else 1024
a, b = (gpu.torch.randn(size, size, device=gpu.DEVICE, dtype=gpu.torch.bfloat16) for _ in range(2))
print("value", gpu.median_ms(lambda: a @ b))
