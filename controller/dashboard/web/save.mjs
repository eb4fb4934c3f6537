// What is read with a token, given to the browser as a file.
import { h } from "./dom.mjs";
import { harmless } from "./zip.mjs";

// The content is of no type: a browser saves it and never shows it. Its name is one that says what it is.
export function save(blob, name) {
  const address = URL.createObjectURL(blob.slice(0, blob.size, "application/octet-stream"));
  h("a", { href: address, download: harmless(name).replaceAll("/", "_") }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

// A button that does one thing at a time, and says so; what went wrong goes to `failed`.
export function busyButton(attributes, [word, busy], act, failed) {
  const button = h("button", { type: "button", ...attributes }, word);
  button.addEventListener("click", async () => {
    button.disabled = true;
    button.textContent = busy;
    try {
      await act((text) => { button.textContent = text; });
      failed(undefined);
    } catch (error) {
      failed(error);
    } finally {
      button.disabled = false;
      button.textContent = word;
    }
  });
  return button;
}
