// A terminal's colours in a line of output: into pieces of text with names of styles. Everything else that a
// terminal would obey is left out or made visible. Pure.
import { visible } from "./text.mjs";

const COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
// CSI sequences, OSC strings, and two-character escapes. Bounded, so that no output makes this slow.
const ESCAPE = /\u001b(?:\[([0-9;:]{0,64})([ -/]{0,4})([@-~])|\][^\u0007\u001b]{0,2048}(?:\u0007|\u001b\\)|[()#][ -~]|[=>78cDEHMNOZ])/g;

export const PLAIN = Object.freeze({ bold: false, dim: false, italic: false, underline: false, colour: "" });

function colourOf(code) {
  if (code >= 30 && code <= 37) return COLOURS[code - 30];
  if (code >= 90 && code <= 97) return COLOURS[code - 90];
  return "";
}

// One SGR sequence. 256 and direct colours are read over: their arguments are no codes.
export function restyle(style, parameters) {
  const codes = parameters.split(/[;:]/).map((part) => Number(part || 0));
  let out = { ...style };
  for (let i = 0; i < codes.length; ++i) {
    const code = codes[i];
    if (code === 0) out = { ...PLAIN };
    else if (code === 1) out.bold = true;
    else if (code === 2) out.dim = true;
    else if (code === 3) out.italic = true;
    else if (code === 4) out.underline = true;
    else if (code === 22) out.bold = out.dim = false;
    else if (code === 23) out.italic = false;
    else if (code === 24) out.underline = false;
    else if (code === 38 || code === 48) i += codes[i + 1] === 2 ? 4 : 2;
    else if (code === 39) out.colour = "";
    else if (colourOf(code)) out.colour = colourOf(code);
  }
  return out;
}

// The pieces of a line, and the style in which the next one begins.
export function pieces(line, style = PLAIN) {
  const out = [];
  let now = style;
  let at = 0;
  const add = (text) => {
    if (text) out.push({ text: visible(text), style: now });
  };
  for (const match of line.matchAll(ESCAPE)) {
    add(line.slice(at, match.index));
    if (match[3] === "m" && !match[2]) now = restyle(now, match[1]);
    at = match.index + match[0].length;
  }
  add(line.slice(at));
  return { pieces: out, style: now };
}

export function classes(style) {
  const names = ["bold", "dim", "italic", "underline"].filter((name) => style[name]).map((name) => `t-${name}`);
  if (style.colour) names.push(`t-${style.colour}`);
  return names.join(" ");
}
