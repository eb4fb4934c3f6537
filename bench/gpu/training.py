"""A step of an eight-layer perceptron with Adam: ms, median of 30."""
import gpu

torch = gpu.torch
layers = [part for _ in range(8) for part in (torch.nn.Linear(1024, 1024), torch.nn.ReLU())]
net = torch.nn.Sequential(*layers).to(gpu.DEVICE)
optimizer = torch.optim.Adam(net.parameters())
x = torch.randn(256, 1024, device=gpu.DEVICE)


def step():
    optimizer.zero_grad()
    net(x).square().mean().backward()
    optimizer.step()


print("value", gpu.median_ms(step))
