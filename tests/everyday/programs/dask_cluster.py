# Dask: workers of their own processes, with a scheduler that they reach by localhost.
# run: python3 dask_cluster.py
# needs: python3-distributed
# loopback
# limits: {memory: 2Gi, cpuTime: 60s, pids: 128, openFiles: 4096}
from dask.distributed import Client, LocalCluster


def double(x):
    return 2 * x


if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        assert client.gather(client.map(double, range(4))) == [0, 2, 4, 6]
    print("ok")
