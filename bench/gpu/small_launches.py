"""A kernel that does next to nothing, and the wait for it: ms, median of 1,000."""
import gpu

x = gpu.torch.zeros(1024, device=gpu.DEVICE)
print("value", gpu.median_ms(lambda: x.add_(1), times=1000))
