// A terminal's colours in a line of output: into pieces of text with a style. Everything else that a terminal would
// obey is left out or made visible. Pure.
import { NAMES, direct, indexed, paint } from "./ansi_colour.mjs";
import { visible } from "./text.mjs";

// CSI sequences, OSC strings, and two-character escapes. Bounded, so that no output makes this slow.
const ESCAPE = /\u001b(?:\[([0-9;:]{0,64})([ -/]{0,4})([@-~])|\][^\u0007\u001b]{0,2048}(?:\u0007|\u001b\\)|[()#][ -~]|[=>78cDEHMNOZ])/g;

// A line has at most so many pieces, so that what a run writes cannot make its page slow. The rest of the text is in
// the last one.
export const MOST_PIECES = 256;

export const PLAIN = Object.freeze({ bold: false, dim: false, italic: false, underline: false, strike: false, inverse: false, colour: "", behind: "" });

const SWITCHES = {
  1: { bold: true }, 2: { dim: true }, 3: { italic: true }, 4: { underline: true }, 7: { inverse: true }, 9: { strike: true },
  22: { bold: false, dim: false }, 23: { italic: false }, 24: { underline: false }, 27: { inverse: false }, 29: { strike: false },
  39: { colour: "" }, 49: { behind: "" },
};

// 30 to 37 and 90 to 97 colour the text, 40 to 47 and 100 to 107 what is behind it.
function named(code) {
  const of = code % 10;
  if (of > 7) return undefined;
  const tens = Math.floor(code / 10);
  if (tens === 3 || tens === 9) return { colour: NAMES[of] };
  return tens === 4 || tens === 10 ? { behind: NAMES[of] } : undefined;
}

// `38;5;N`, `38;2;R;G;B`, and both with colons, where a colour space may stand before the three.
function extended(codes, at) {
  const parts = codes[at].length > 1 ? codes[at] : codes.slice(at).map(([first]) => first);
  const used = codes[at].length > 1 ? 0 : parts[1] === 2 ? 4 : parts[1] === 5 ? 2 : 0;
  const three = codes[at].length > 5 ? parts.slice(3, 6) : parts.slice(2, 5);
  const colour = parts[1] === 2 ? direct(...three) : parts[1] === 5 ? indexed(parts[2]) : "";
  return { style: parts[0] === 38 ? { colour } : { behind: colour }, used };
}

// One SGR sequence.
export function restyle(style, parameters) {
  const codes = parameters.split(";").map((part) => part.split(":").map((each) => Number(each || 0)));
  let out = style;
  for (let i = 0; i < codes.length; ++i) {
    const [code, sub] = codes[i];
    if (code === 0) out = PLAIN;
    else if (code === 38 || code === 48) {
      const { style: more, used } = extended(codes, i);
      out = { ...out, ...more };
      i += used;
    } else if (code === 4 && sub === 0 && codes[i].length > 1) out = { ...out, underline: false };
    else out = { ...out, ...(SWITCHES[code] ?? named(code)) };
  }
  return out;
}

// The pieces of a line, and the style in which the next one begins.
export function pieces(line, style = PLAIN) {
  const out = [];
  let now = style;
  let at = 0;
  const add = (text) => {
    if (!text) return;
    const last = out.at(-1);
    if (out.length === MOST_PIECES) last.text += visible(text);
    else out.push({ text: visible(text), style: now });
  };
  for (const match of line.matchAll(ESCAPE)) {
    add(line.slice(at, match.index));
    if (match[3] === "m" && !match[2]) now = restyle(now, match[1]);
    at = match.index + match[0].length;
  }
  add(line.slice(at));
  return { pieces: out, style: now };
}

// Its text alone.
export const plainText = (line) => visible(line.replace(ESCAPE, ""));

// In which style the next line begins.
export function styleAfter(line, style = PLAIN) {
  let now = style;
  for (const match of line.matchAll(ESCAPE)) {
    if (match[3] === "m" && !match[2]) now = restyle(now, match[1]);
  }
  return now;
}

const TRAITS = ["bold", "dim", "italic", "underline", "strike"];

// {classes, variables} of an element that shows a piece.
export function look(style) {
  if (style === PLAIN) return { classes: "", variables: {} };
  const { name, variables = {} } = paint(style);
  return { classes: [...TRAITS.filter((trait) => style[trait]).map((trait) => `t-${trait}`), name].filter(Boolean).join(" "), variables };
}
