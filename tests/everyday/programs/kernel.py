# A Jupyter kernel is started and asked, over sockets of localhost.
# run: python3 kernel.py
# needs: python3-ipykernel python3-jupyter-client
# loopback
# limits: {memory: 1Gi, cpuTime: 60s, pids: 128}
from jupyter_client.manager import start_new_kernel

manager, client = start_new_kernel(kernel_name="python3", startup_timeout=600)
try:
    outputs = []
    client.execute_interactive("print(6 * 7)", timeout=600, output_hook=outputs.append)
    text = "".join(each["content"].get("text", "") for each in outputs)
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
print("ok" if text == "42\n" else outputs)
