// Text from outside, made safe to look at: nothing in it can hide, turn around or imitate what is beside it.
// Pure.

// Control characters, direction marks, and characters of no width; but for the joiners and variation selectors, of which
// scripts and emoji are made.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

function shown(character) {
  const code = character.codePointAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `\u27e8${code.toString(16).padStart(4, "0")}\u27e9`;
}

export function visible(text) {
  return String(text ?? "").replace(HIDDEN, shown);
}

// In one line, at most so long.
export function brief(text, most = 200) {
  const line = visible(String(text ?? "").replace(/\s+/g, " ").trim());
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

// A command as one would type it, for reading.
export function commandLine(command) {
  if (typeof command === "string") return command;
  if (!Array.isArray(command)) return "";
  return command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${String(word).replaceAll("'", "'\\''")}'`)).join(" ");
}

/** What a run executes, in one line: of code its length, as everywhere else. */
export function executed(spec) {
  if (spec.type !== "code") return commandLine(spec.command);
  return `code of ${new TextEncoder().encode(spec.code ?? "").length} bytes`;
}
