import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { MOST_DEEP, openAtFirst, treeOf } from "./artifact_tree.mjs";
import { isText, kindOf, MOST_COLUMNS, MOST_ROWS, parseTable, pictureOf, prettyJson } from "./preview_kind.mjs";
import { crc32, harmless, zip } from "./zip.mjs";

const files = (...paths) => paths.map((path) => ({ path, size: 1 }));
const names = ({ name, folders, files: own }) => [name, folders.map(names), own.map((file) => file.name)];

test("files stand in their folders, and a folder of one folder is one line", () => {
  const tree = treeOf(files("out/b/deep/x.txt", "out/a.txt", "out/b/deep/y10.txt", "out/b/deep/y9.txt"));
  assert.deepEqual(names(tree), ["", [["out", [["b/deep", [], ["x.txt", "y9.txt", "y10.txt"]]], ["a.txt"]]], []]);
  assert.deepEqual([tree.count, tree.bytes, tree.folders[0].folders[0].path], [4, 4, "out/b/deep"]);
});

test("no name is anything but a name", () => {
  const tree = treeOf(files("__proto__/constructor", "constructor/__proto__/x", "<img src=x>/y"));
  assert.equal(tree.folders.length, 3);
  assert.equal({}.constructor, Object);
});

test("a path of any depth is a tree of bounded depth, with all of its name", () => {
  const [path, other] = ["f", "g"].map((name) => `${"a/b/".repeat(10_000)}${name}`);
  let at = treeOf(files(path, other, ...Array.from({ length: 50 }, (_, i) => `${"x/".repeat(i)}y`)));
  assert.equal(at.count, 52);
  let deep = 0;
  for (at = at.folders.find(({ name }) => name.startsWith("a")); at.folders.length; [at] = at.folders) ++deep;
  assert.ok(deep <= MOST_DEEP);
  assert.equal(`${at.path}/${at.files[0].name}`, path);
});

test("a large tree opens as far as there is no choice", () => {
  assert.ok(openAtFirst(treeOf(files("a/b")))("a"));
  const open = openAtFirst(treeOf(files(...Array.from({ length: 40 }, (_, i) => `out/e${i}/x`))));
  assert.deepEqual([open(""), open("out"), open("out/e1")], [true, true, false]);
});

test("a ZIP is one that others can read, and leads nowhere", () => {
  assert.equal(crc32(new TextEncoder().encode("123456789")), 0xcbf43926);
  for (const [path, name] of [["../../etc/passwd", "__/__/etc/passwd"], ["/a//b/./c", "a/b/c"], ["C:\\x", "C__x"], ["", "_"], ["a\u0000\u001b[2J", "a__[2J"], ["safe\u202etxt.exe", "safe_txt.exe"],
    [".. /...", "___/___"], ["a. /b.", "a__/b_"], ["CON", "_CON"], ["nul.txt/com1 .x", "_nul.txt/_com1 .x"], ["console", "console"], ["a\u00ad\u200d\u3164\u{e0041}\ufe0f", "a_____"], ["\ud800x", "\ufffdx"]]) assert.equal(harmless(path), name);
  const folder = mkdtempSync(join(tmpdir(), "paddock-zip-"));
  try {
    const bytes = (text) => new TextEncoder().encode(text);
    const parts = zip([{ path: "out/a.txt", bytes: bytes("all is well\n") }, { path: "out/é.txt", bytes: bytes("") }, { path: "out/a.txt", bytes: bytes("again") }]);
    writeFileSync(join(folder, "x.zip"), Buffer.concat(parts));
    const listed = execFileSync("python3", ["-c", "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print('|'.join(z.namelist()), z.read('out/a.txt').decode())", join(folder, "x.zip")], { encoding: "utf8" });
    const same = zip(["a", "A", "e\u0301", "\u00e9", "a.2", "a"].map((path) => ({ path, bytes: bytes("") })));
    assert.deepEqual(same.filter((_, i) => i > 0 && i % 3 === 1 && i < 18).map((name) => new TextDecoder().decode(name)), ["a", "A.2", "e\u0301", "\u00e9.2", "a.2.2", "a.3"]);
    assert.equal(listed.trim(), "out/a.txt|out/é.txt|out/a.txt.2 all is well");
    assert.ok(readFileSync(join(folder, "x.zip")).length > 100);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("many names that are one make no ZIP slow", () => {
  const paths = Array.from({ length: 20_000 }, (_, i) => [...i.toString(8).padStart(6, "0")].map((digit) => String.fromCharCode(1 + Number(digit))).join(""));
  const names = zip(paths.map((path) => ({ path, bytes: new Uint8Array(0) }))).slice(0, 60_000).filter((_, i) => i % 3 === 1).map((name) => new TextDecoder().decode(name));
  assert.equal(new Set(names).size, 20_000);
  assert.equal(names.at(-1), "______.20000");
});

test("what a file is shown as is one of four, by name and size", () => {
  const kind = (path, size = 10) => kindOf({ path, size });
  assert.deepEqual(["a.txt", "a.CSV", "a.json", "a.png", "a.html", "a.svg", "Makefile", "a.pdf", "a.bin", "a.mp4"].map((path) => kind(path)), ["text", "table", "json", "image", "text", "text", "text", "", "", ""]);
  assert.deepEqual([kind("a.txt", 2 ** 20), kind("a.png", 2 ** 30), kind("a.bin", 0)], ["", "", "text"]);
});

test("a picture is one by its bytes, with its size before anything decodes it", () => {
  const png = (width, height) => {
    const bytes = new Uint8Array(40);
    bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
    new DataView(bytes.buffer).setUint32(16, width);
    new DataView(bytes.buffer).setUint32(20, height);
    return bytes;
  };
  assert.deepEqual(pictureOf(png(60_000, 60_000)), { type: "image/png", width: 60_000, height: 60_000 });
  assert.equal(pictureOf(png(0, 5)), undefined);
  const gif = new Uint8Array(40);
  gif.set([...new TextEncoder().encode("GIF89a"), 2, 1, 3, 0, 0, 0, 0, 0x21, 0xf9, 4, 0, 0, 0, 0, 0, 0x2c, 0, 0, 0, 0, 2, 1, 3, 0]);
  assert.deepEqual(pictureOf(gif), { type: "image/gif", width: 258, height: 3 });
  const jpeg = new Uint8Array(40);
  jpeg.set([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 11, 8, 0, 7, 0, 9]);
  assert.deepEqual(pictureOf(jpeg), { type: "image/jpeg", width: 9, height: 7 });
  // What a decoder would find, not what stands before it.
  gif.set([0x2c, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff], 21);
  assert.deepEqual(pictureOf(gif), { type: "image/gif", width: 65_536, height: 65_535 });
  const hidden = new Uint8Array(64);
  hidden.set([0xff, 0xd8, 0xff, 0xff, 0xe0, 0, 16, 0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1]);
  hidden.set([0xff, 0xd0, 0xff, 0xc0, 0, 11, 8, 0xff, 0xff, 0xff, 0xfe], 21);
  assert.deepEqual(pictureOf(hidden), { type: "image/jpeg", width: 65_534, height: 65_535 });
  for (const text of ["<svg xmlns='http://www.w3.org/2000/svg' onload='x'/>", "<html><script>alert(1)</script></html>          ", "\u0089PNG", ""]) assert.equal(pictureOf(new TextEncoder().encode(text)), undefined);
  const endless = new Uint8Array(64).fill(0xff);
  endless[1] = 0xd8;
  assert.equal(pictureOf(endless), undefined);
});

test("a table has quotes, breaks within them, and bounds", () => {
  assert.deepEqual(parseTable('a,b\r\n"x, ""y""","1\n2"\n\n').rows, [["a", "b"], ['x, "y"', "1\n2"]]);
  assert.deepEqual(parseTable("a\tb", "\t").rows, [["a", "b"]]);
  const { rows, more } = parseTable(`${",".repeat(100)}\n`.repeat(1000));
  assert.deepEqual([rows.length, rows[0].length, more], [MOST_ROWS, MOST_COLUMNS, true]);
  assert.deepEqual(parseTable(""), { rows: [], more: false });
  assert.deepEqual(parseTable(`${"\n".repeat(500)}a,b`).rows, [["a", "b"]]);
  assert.equal(parseTable('"never ends').rows[0][0], "never ends");
});

test("JSON is laid out, and what is none stays as it is", () => {
  assert.equal(prettyJson('{"a":[1]}'), '{\n  "a": [\n    1\n  ]\n}');
  assert.equal(prettyJson("{broken"), "{broken");
  assert.equal(prettyJson('{"id":12345678901234567891,"a":[ ],"a":"x\\" ,{ }:","b":{\n}, "c":-1.50e3}'),
    '{\n  "id": 12345678901234567891,\n  "a": [],\n  "a": "x\\" ,{ }:",\n  "b": {},\n  "c": -1.50e3\n}');
  for (const long of [`"${"a".repeat(500_000)}"`, `"${"\\n".repeat(250_000)}"`, "1"]) assert.equal(prettyJson(long), long);
  const wide = `${"[".repeat(3000)}${Array(200_000).fill("1").join()}${"]".repeat(3000)}`;
  assert.equal(prettyJson(wide), wide);
  const deep = "[".repeat(4000) + "]".repeat(4000);
  assert.equal(prettyJson(deep), deep);
  assert.ok(isText("wörd") && !isText("a\u0000b") && !isText("\ufffd\ufffdx"));
});
