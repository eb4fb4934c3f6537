"""torch.compile: a fused expression, compiled by the run itself: ms, median of 30."""
import gpu

torch = gpu.torch
f = torch.compile(lambda x: torch.sin(x).square() + 1)
x = torch.randn(1 << 20, device=gpu.DEVICE)
f(x)
print("value", gpu.median_ms(lambda: f(x)))
