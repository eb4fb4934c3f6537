// A look at a file that a run left: text, a table, JSON or the pixels of a picture. Text becomes text nodes; a picture is
// decoded as one of four raster types and its pixels are painted, so that no address of it ever exists.
import { fill, h } from "./dom.mjs";
import { bytes as sizeText, count } from "./format.mjs";
import { MOST_PIXELS, isText, kindOf, parseTable, pictureOf, prettyJson } from "./preview_kind.mjs";
import { brief, visible } from "./text.mjs";
import { grid, problem } from "./ui.mjs";

const MOST_SHOWN = 100_000;  // characters
const plain = (text) => h("p", { class: "faint" }, text);

function textBox(text) {
  const whole = text.replaceAll("\r\n", "\n");
  return [h("pre", { class: "json", tabindex: "0" }, visible(whole.slice(0, MOST_SHOWN)) || " "),
    whole.length > MOST_SHOWN && plain(`${count(whole.length - MOST_SHOWN, "more character")}: save it to see all.`)];
}

function tableBox(text, path) {
  const { rows, more } = parseTable(text, /\.tsv$/i.test(path) ? "\t" : ",");
  if (rows.length === 0) return plain("It is empty.");
  const [head, ...body] = rows;
  const width = Math.max(...rows.map((row) => row.length));
  const cells = (row) => Array.from({ length: width }, (_, i) => brief(row[i] ?? "", 200));
  return [h("div", { class: "preview-table", tabindex: "0" }, grid(cells(head), body.map(cells), { label: `Rows of ${brief(path, 80)}`, name: "sheet" })),
    more && plain("Not all of it: save it to see all.")];
}

async function pictureBox(blob) {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const picture = pictureOf(bytes);
  if (!picture) return plain("It is no picture that can be shown, whatever its name says.");
  const said = `${picture.width} × ${picture.height}`;
  if (picture.width * picture.height > MOST_PIXELS) return plain(`A picture of ${said} is too large to be shown here.`);
  const bitmap = await createImageBitmap(new Blob([bytes], { type: picture.type })).catch(() => undefined);
  if (!bitmap) return plain("It is a picture that is broken.");
  if (bitmap.width * bitmap.height > MOST_PIXELS) return bitmap.close(), plain("A picture that is larger than it says is not shown here.");
  const canvas = h("canvas", { class: "picture", width: bitmap.width, height: bitmap.height, role: "img", "aria-label": `Picture, ${said}` });
  canvas.getContext("2d").drawImage(bitmap, 0, 0);
  bitmap.close();
  return [canvas, plain(`${said}, ${sizeText(bytes.length)}`)];
}

async function look(file, read) {
  const kind = kindOf(file);
  const blob = await read(file);
  if (kindOf({ path: file.path, size: blob.size }) !== kind) return plain(`It is ${sizeText(blob.size)} by now: save it to see it.`);
  if (kind === "image") return pictureBox(blob);
  const text = await blob.text();
  if (!isText(text)) return plain("It is no text, whatever its name says.");
  if (kind === "table") return tableBox(text, file.path);
  return textBox(kind === "json" ? prettyJson(text) : text);
}

// Fills `box` with what there is to see of what `read(file)` answers.
export async function preview(box, file, { read, signal }) {
  fill(box, plain("Reading…"));
  try {
    fill(box, await look(file, read));
  } catch (error) {
    if (!signal.aborted) fill(box, problem(error));
  }
}
