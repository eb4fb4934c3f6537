// Sizes of screens, and what can be read on them.

export const SIZES = [["phone", { width: 390, height: 844 }], ["wide", { width: 1440, height: 900 }]];

// WCAG 2: what is written has a contrast of 4.5 to what it is written on.
export const faint = () => {
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const parse = (text) => text.startsWith("rgb") ? text.match(/[\d.]+/g).map(Number) : undefined;
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour && (colour[3] ?? 1) === 1) return colour;
    }
    return [255, 255, 255];
  };
  const out = [];
  for (const element of document.querySelectorAll("header *, main *")) {
    const own = [...element.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
    if (!own || !element.checkVisibility() || element.closest(".step-ahead, :disabled, .t-dim")) continue;
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(behind(element))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) out.push(`${element.className} "${element.textContent.slice(0, 40)}" ${((a + 0.05) / (b + 0.05)).toFixed(2)}`);
  }
  return out;
};
