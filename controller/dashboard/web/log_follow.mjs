// Whether a log stays at its newest line. Who scrolls up wants to read; who comes back to the end wants to follow.
import { h } from "./dom.mjs";

const NEAR_PX = 8;

export function follower(box, begins) {
  let on = begins;
  let lastTop = 0;
  const button = h("button", { type: "button", class: "chip", data: { key: "f" }, title: "Stay at the newest line (f)" }, "Follow");
  const toEnd = () => { if (on) box.scrollTop = box.scrollHeight; };
  const set = (wanted) => {
    on = wanted;
    button.setAttribute("aria-pressed", String(wanted));
    toEnd();
  };
  button.addEventListener("click", () => set(!on));
  box.addEventListener("scroll", () => {
    const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
    if (on && box.scrollTop < lastTop - 4 && !atEnd) set(false);
    else if (!on && atEnd && box.scrollTop > lastTop) set(true);
    lastTop = box.scrollTop;
  });
  set(begins);
  return { button, set, toEnd, following: () => on };
}
