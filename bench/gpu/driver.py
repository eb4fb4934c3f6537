"""Whether the driver starts: cuInit and the number of devices. Needs no library but the driver's own."""
import ctypes

driver = ctypes.CDLL("libcuda.so.1")
answer = driver.cuInit(0)
count = ctypes.c_int()
driver.cuDeviceGetCount(ctypes.byref(count))
assert answer == 0 and count.value > 0, f"cuInit {answer}, {count.value} devices"
print("value", count.value)
