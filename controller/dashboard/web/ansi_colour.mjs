// The colours of a terminal as ones that can be read on this page, whatever the run asked for. Pure.
// A colour is a name of the eight, or [red, green, blue], or "" for what the page has.

export const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const NAMED = { black: [0, 0, 0], red: [187, 0, 0], green: [0, 130, 40], yellow: [200, 160, 0], blue: [40, 80, 200], magenta: [160, 40, 160], cyan: [0, 130, 145], white: [229, 229, 229] };
const STEPS = [0, 95, 135, 175, 215, 255];
const PAGES = { light: [255, 255, 255], dark: [11, 13, 17] };
const READABLE = 4.5;

const byte = (value) => Math.max(0, Math.min(255, Math.round(Number(value) || 0)));
export const direct = (red, green, blue) => [byte(red), byte(green), byte(blue)];

// The 256 colours are the eight and their bright variants, a cube of 6, and a row of greys.
export function indexed(index) {
  const at = byte(index);
  if (at < 16) return NAMES[at % 8];
  if (at >= 232) return Array(3).fill(8 + (at - 232) * 10);
  const cube = at - 16;
  return [STEPS[Math.floor(cube / 36)], STEPS[Math.floor(cube / 6) % 6], STEPS[cube % 6]];
}

function light([red, green, blue]) {
  const linear = (part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

export function contrast(a, b) {
  const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

const opposite = (behind) => (contrast([0, 0, 0], behind) > contrast([255, 255, 255], behind) ? [0, 0, 0] : [255, 255, 255]);

// The same hue, as far towards black or white as it takes: text that has the colour of what is behind it cannot hide.
export function readable(colour, behind) {
  const end = opposite(behind);
  for (let part = 0; part < 1; part += 0.1) {
    const mixed = colour.map((each, i) => Math.round(each + (end[i] - each) * part));
    if (contrast(mixed, behind) >= READABLE) return mixed;
  }
  return end;
}

const css = (colour) => `rgb(${colour.join(" ")})`;
const rgb = (colour) => (typeof colour === "string" ? NAMED[colour] : colour);

// What to paint a piece with: {name} of a class, or {variables} of the classes `t-direct` and `t-behind`.
export function paint({ colour = "", behind = "", inverse = false }) {
  if (inverse && !colour && !behind) return { name: "t-inverse" };
  const [text, back] = inverse ? [behind, colour] : [colour, behind];
  if (back) {
    const under = rgb(back);
    return { name: "t-behind", variables: { "--behind": css(under), "--ink": css(text ? readable(rgb(text), under) : opposite(under)) } };
  }
  if (!text) return {};
  // Only the page knows its theme: it is given a colour for each.
  if (typeof text !== "string") return { name: "t-direct", variables: { "--ink-light": css(readable(text, PAGES.light)), "--ink-dark": css(readable(text, PAGES.dark)) } };
  return { name: inverse ? "t-inverse" : `t-${text}` };
}
