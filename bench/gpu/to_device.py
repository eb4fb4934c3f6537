"""256 MiB of pinned memory to the device: ms, median of 30."""
import gpu

host = gpu.torch.empty(256 << 20, dtype=gpu.torch.uint8)
host = host.pin_memory() if gpu.CUDA else host
print("value", gpu.median_ms(lambda: host.to(gpu.DEVICE, non_blocking=True, copy=True)))
