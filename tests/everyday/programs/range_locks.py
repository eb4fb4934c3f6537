# SQLite with hundreds of readers on one write-ahead log, thousands of locks on ranges of a file, and flock between processes.
# run: python3 range_locks.py
# limits: {openFiles: 2048, memory: 512Mi}
import fcntl
import os
import sqlite3

with sqlite3.connect("log.db") as db:
    assert db.execute("pragma journal_mode = wal").fetchone() == ("wal",)
    db.execute("create table numbers (n integer)")
readers = [sqlite3.connect("log.db") for _ in range(200)]
for each in readers:
    each.execute("begin")
    assert each.execute("select count(*) from numbers").fetchone() == (0,)
with sqlite3.connect("log.db") as db:
    db.executemany("insert into numbers values (?)", [(n,) for n in range(100)])
assert {each.execute("select count(*) from numbers").fetchone() for each in readers} == {(0,)}
for each in readers:
    each.rollback()
assert {each.execute("select count(*) from numbers").fetchone() for each in readers} == {(100,)}

ranges = open("ranges", "w+b")
for start in range(0, 5000, 2):
    fcntl.lockf(ranges, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, start)
whole = open("whole", "w")
fcntl.flock(whole, fcntl.LOCK_EX)


def is_taken(lock, *arguments):
    try:
        lock(*arguments)
    except BlockingIOError:
        return True
    return False


if os.fork() == 0:
    other = open("ranges", "r+b")
    right = (is_taken(fcntl.lockf, other, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 4998)
             and not is_taken(fcntl.lockf, other, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 4997)
             and is_taken(fcntl.flock, open("whole"), fcntl.LOCK_SH | fcntl.LOCK_NB))
    os._exit(0 if right else 1)
assert os.wait()[1] == 0
print("ok")
