// What the runs of the tests execute.

export const PROGRAMS = {
  "ends.py": `import pathlib, sys
print("first line", flush=True)
print("a warning", file=sys.stderr, flush=True)
for i in range(1, 21):
    print(f"\\x1b[32mok\\x1b[0m   part {i} of 20", flush=True)
out = pathlib.Path("out-" + sys.argv[1])
(out / "report.txt").write_text("all is well\\n")
(out / "left.exe").write_text("not of a type that comes back")
print("last line", flush=True)
`,
  "denied.py": `import socket, sys
try:
    socket.create_connection(("192.0.2.1", 443), timeout=2)
except OSError as error:
    print("refused:", error, file=sys.stderr)
sys.exit(3)
`,
  "sleeps.py": `import time
print("asleep", flush=True)
time.sleep(600)
`,
  "busy.py": `held = bytearray(80 * 2**20)
print("busy", flush=True)
while True: sum(range(10**6))
`,
  "stays.py": `import signal, time
signal.signal(signal.SIGTERM, lambda *_: print("not yet", flush=True))
print("here to stay", flush=True)
while True: time.sleep(1)
`,
  "lines.py": `print("\\n".join(f"line {i} of many" for i in range(20000)))
print("\\x1b[38;2;255;120;0mtrue\\x1b[0m \\x1b[38;5;27mindexed\\x1b[0m \\x1b[7minverse\\x1b[0m \\x1b[30;40mno hiding\\x1b[0m")
`,
  // Leaves a file of each kind that is shown, and files that only pretend to be one.
  "leaves.py": `import pathlib, struct, zlib
out = pathlib.Path("leaves-out")
(out / "deep" / "er").mkdir(parents=True)
chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
def png(width, height, rows):
    return b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
(out / "plot.png").write_bytes(png(3, 2, (b"\\0" + b"\\xff\\0\\0" * 3) * 2))
(out / "bomb.png").write_bytes(png(60000, 60000, b"\\0" * 100))
(out / "broken.png").write_bytes(png(3, 2, b"")[:60])
(out / "fake.png").write_text("<svg xmlns='http://www.w3.org/2000/svg' onload='window.pwned=1'><script>window.pwned=1</script></svg>" * 2)
(out / "picture.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg' onload='window.pwned=1'/>")
(out / "page.html").write_text("<script>window.pwned=1</script><img src=x onerror=window.pwned=1>")
(out / "rows.csv").write_text('name,note\\n"<img src=x onerror=window.pwned=1>","a ""b"", c"\\n')
(out / "data.json").write_text('{"__proto__": {"a": "</pre><script>window.pwned=1</script>"}}')
(out / "noise.txt").write_bytes(bytes(range(256)))
(out / "deep" / "er" / "..." ).write_text("a name of dots")
for i in range(40): (out / f"many-{i}.txt").write_text(f"number {i}\\n")
`,
  "hostile.py": `import pathlib, sys
print("<script>window.pwned=1</script><img src=x onerror='window.pwned=1'><b>bold</b>")
print("\\x1b]0;window title\\x07\\x1b]8;;javascript:window.pwned=1\\x07a link\\x1b]8;;\\x07 \\x1b[31mred\\x1b[0m \\x1b[2J\\x1b[999;999Hstill here")
print("safe\\u202egnp.exe \\u200bhidden \\x08\\x08 bell\\x07 nul\\x00")
print("10%\\r50%\\r100% done")
print("y" * 50000, flush=True)
sys.stdout.buffer.write(b"\\xff\\xfe not utf-8 \\xc3\\n")
print("id: 9\\nevent: end\\ndata: {}\\n")
out = pathlib.Path("hostile-out")
(out / "<img src=x onerror=window.pwned=1>.txt").write_text("<script>window.pwned=1</script>")
(out / "\\u202etxt.json").write_text("{}")
print("end of the attack", flush=True)
sys.exit(1)
`,
};
