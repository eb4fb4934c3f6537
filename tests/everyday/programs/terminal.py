# A terminal inside: a program that wants one gets its size and its keys.
# run: python3 terminal.py
import os
import pty
import struct
import termios
import fcntl

pid, master = pty.fork()
if pid == 0:
    os.execvp("sh", ["sh", "-c", "test -t 0 && stty size && read line && echo got $line"])
fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
os.write(master, b"keys\n")
said = b""
while b"got keys" not in said:
    said += os.read(master, 1000)
os.waitpid(pid, 0)
print("ok")
