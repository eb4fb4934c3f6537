# A PyTorch training loop with worker processes.
# run: python3 torch_training.py
# needs: python3-torch
# limits: {memory: 4Gi, cpuTime: 200s, pids: 256}
import torch, torch.utils.data as d
if __name__ == "__main__":
    torch.set_num_threads(2)
    data = d.TensorDataset(torch.randn(256, 8), torch.randn(256, 1))
    net = torch.nn.Linear(8, 1); opt = torch.optim.SGD(net.parameters(), 0.01)
    for x, y in d.DataLoader(data, batch_size=32, num_workers=2):
        opt.zero_grad(); torch.nn.functional.mse_loss(net(x), y).backward(); opt.step()
    import os; os.makedirs("out", exist_ok=True); torch.save(net.state_dict(), "out/net.pt")
    print("ok")
