// Elements from values. Text becomes text nodes and nothing else: there is no way from here to markup.
const SVG = "http://www.w3.org/2000/svg";

function set(element, name, value) {
  if (value === undefined || value === null || value === false) return;
  if (name === "on") {
    for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
  } else if (name.startsWith("on") || name === "style" || name === "srcdoc") {
    throw new TypeError(`${name} is not set from values`);
  } else if (name === "href" && !/^(#|blob:)/.test(value)) {
    throw new TypeError("a link leads to a page of this dashboard, or to a file that it has made");
  } else if (name === "data") {
    for (const [key, each] of Object.entries(value)) element.dataset[key] = each;
  } else {
    element.setAttribute(name, value === true ? "" : String(value));
  }
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

// h("a", {href: "#/runs", class: "link"}, "Runs")
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) set(element, name, value);
  append(element, children);
  return element;
}

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) set(element, name, value);
  append(element, children);
  return element;
}

export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

// Only what is different is touched, so that a selection or a focus inside survives.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// Draws anew without taking the focus from a link inside.
export function keepFocus(root, draw) {
  const active = root.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  draw();
  if (active) [...root.querySelectorAll("a")].find((link) => link.getAttribute("href") === active)?.focus({ preventScroll: true });
}

// Makes the element's children these, in this order, moving as few as possible.
export function order(element, wanted) {
  let at = element.firstChild;
  for (const child of wanted) {
    if (child === at) at = at.nextSibling;
    else element.insertBefore(child, at);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}
