# SQLite in its journal modes, by several processes at once.
# run: python3 database.py
import multiprocessing
import sqlite3


def add(n):
    with sqlite3.connect("numbers.db", timeout=600) as db:
        db.execute("insert into numbers values (?)", (n,))


if __name__ == "__main__":
    with sqlite3.connect("numbers.db") as db:
        assert db.execute("pragma journal_mode = wal").fetchone() == ("wal",)
        db.execute("create table numbers (n integer)")
    with multiprocessing.Pool(4) as pool:
        pool.map(add, range(50))
    with sqlite3.connect("numbers.db") as db:
        print(db.execute("select count(*), sum(n) from numbers").fetchone())
        assert db.execute("select sum(n) from numbers").fetchone() == (1225,)
    print("ok")
