// Dark, light, or what the system says. The choice is the only thing that outlives the tab.
import { fill, h } from "./dom.mjs";
import { icon } from "./ui.mjs";

const STORED = "paddock.theme";
const ORDER = ["auto", "light", "dark"];
const WORDS = { auto: "Auto", light: "Light", dark: "Dark" };

function stored() {
  try {
    const theme = localStorage.getItem(STORED);
    return ORDER.includes(theme) ? theme : "auto";
  } catch {
    return "auto";  // storage is switched off
  }
}

let theme = stored();

export function applyTheme() {
  document.documentElement.dataset.theme = theme;
}

export function themeButton() {
  const button = h("button", { class: "quiet theme", type: "button" });
  const show = () => {
    fill(button, icon("theme"), WORDS[theme]);
    button.setAttribute("aria-label", `Theme: ${WORDS[theme]}`);
    button.title = "Theme: automatic, light or dark";
  };
  button.addEventListener("click", () => {
    theme = ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length];
    try {
      localStorage.setItem(STORED, theme);
    } catch {
      // then it holds as long as this page
    }
    applyTheme();
    show();
  });
  show();
  return button;
}
