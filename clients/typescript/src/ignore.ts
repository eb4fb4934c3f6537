// What of a folder is left out: the rules of `.gitignore` files, as `paddock compute` reads them. Texts are bytes, each as one
// character ("latin1").

export const RULE_FILES = [".gitignore", ".paddockignore"];
export const BUILT_IN = ".git/\n__pycache__/\nnode_modules/\n.venv/\n.pytest_cache/\n.mypy_cache/\n.ruff_cache/\n";
export const SECRETS =
  "*.env\n!*.env/\n.env\n.envrc\n.env.*\n" +
  "!.env*.example\n!.env*.sample\n!.env*.template\n!.env*.dist\n!*example.env\n!*sample.env\n!*template.env\n" +
  "secrets.yaml\nsecrets.yml\nsecrets.json\nsecrets.toml\n!**/templates/**/secrets.yaml\n!**/templates/**/secrets.yml\n" +
  "credentials.json\napplication_default_credentials.json\nclient_secret*.json\n" +
  "service-account*.json\nservice_account*.json\n*firebase-adminsdk*.json\nkaggle.json\n" +
  ".aws/\n.gnupg/\n.kube/\n.ssh/\n**/.config/gcloud/\n**/.config/gh/\n" +
  "kubeconfig\n!kubeconfig/\nkubeconfig.yaml\nkubeconfig.yml\n*.kubeconfig\n" +
  ".netrc\n_netrc\n.npmrc\n.pypirc\n.pgpass\n.my.cnf\n.s3cfg\n.boto\n.htpasswd\n.git-credentials\n" +
  ".dockercfg\n.dockerconfigjson\n**/.docker/config.json\n**/.cargo/credentials\n**/.cargo/credentials.toml\n" +
  "**/.gem/credentials\n**/.m2/settings.xml\nrclone.conf\n" +
  ".vault-token\n.vault_pass*\n.terraformrc\ncredentials.tfrc.json\n" +
  "*.tfstate\n*.tfstate.*\n*.tfvars\n*.tfvars.json\n!*example.tfvars\n!*sample.tfvars\n!*template.tfvars\n" +
  "id_rsa\nid_dsa\nid_ecdsa\nid_ecdsa_sk\nid_ed25519\nid_ed25519_sk\n*.ppk\n" +
  "*.key\n*key.pem\n*keys.pem\n*.p8\n*.p12\n*.pfx\n*.jks\n*.keystore\n!debug.keystore\n*.kdbx\n*.ovpn\n";

export interface Rule {
  pattern: string;
  /** `!`: takes the file back in */
  negated: boolean;
  /** a slash at the end */
  folderOnly: boolean;
  /** no slash inside: matches the name at any depth */
  anywhere: boolean;
}

/** One character of a text, or with `repeats` any number of them, each one that it allows. */
interface Step {
  allows: (character: string) => boolean;
  repeats: boolean;
  /** `**\/`, which may also stand for nothing */
  maySkipNext: boolean;
}

function withoutTrailingSpaces(line: string): string {
  let end = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === "\\") end = ++at + 1; // it protects a space
    else if (line[at] !== " ") end = at + 1;
  }
  return line.slice(0, end);
}

export function parseRules(text: string): Rule[] {
  const rules: Rule[] = [];
  for (const each of text.replace(/^\xef\xbb\xbf/, "").split("\n")) {
    if (each.startsWith("#")) continue;
    let line = withoutTrailingSpaces(each.endsWith("\r") ? each.slice(0, -1) : each);
    const negated = line.startsWith("!");
    if (negated) line = line.slice(1);
    const folderOnly = line.endsWith("/");
    if (folderOnly) line = line.slice(0, -1);
    if (line) rules.push({ pattern: line, negated, folderOnly, anywhere: !line.includes("/") });
  }
  return rules;
}

const CLASSES: Record<string, RegExp> = {
  alnum: /[0-9A-Za-z]/, alpha: /[A-Za-z]/, blank: /[ \t]/, cntrl: /[\x00-\x1f\x7f]/, digit: /[0-9]/, graph: /[!-~]/, lower: /[a-z]/,
  print: /[ -~]/, punct: /[!-/:-@[-`{-~]/, space: /[ \t\n\v\f\r]/, upper: /[A-Z]/, xdigit: /[0-9A-Fa-f]/,
};

type Test = (character: string) => boolean;
const nothing: Test = () => false;
const butSlash: Test = (character) => character !== "/";

/** What the set matches that begins there, and where it ends; nothing if it is malformed. */
function setAt(pattern: string, from: number): [Test, number] {
  let at = from;
  const negated = pattern[at] === "!" || pattern[at] === "^";
  if (negated) at++;
  const found: Test[] = [];
  let first = true;
  let before = ""; // a range may start with what was before
  while (first || pattern[at] !== "]") {
    first = false;
    if (pattern.startsWith("[:", at)) {
      const close = pattern.indexOf("]", at + 2);
      if (close < 0) return [nothing, pattern.length];
      if (close >= at + 3 && pattern[close - 1] === ":") {
        const named = CLASSES[pattern.slice(at + 2, close - 1)];
        if (!named) return [nothing, pattern.length];
        found.push((character) => named.test(character));
        at = close + 1;
        before = "";
        continue;
      }
    }
    const isRange = pattern[at] === "-" && before !== "" && at + 1 < pattern.length && pattern[at + 1] !== "]";
    if (isRange) at++;
    if (pattern[at] === "\\") at++;
    const last = pattern[at];
    if (last === undefined) return [nothing, pattern.length];
    const start = isRange ? before : last;
    found.push((character) => character >= start && character <= last);
    before = isRange ? "" : last;
    at++;
  }
  const any: Test = (character) => found.some((each) => each(character));
  return [negated ? (character) => !any(character) : any, at + 1];
}

function stepsOf(pattern: string): Step[] {
  const steps: Step[] = [];
  const one = (allows: Test): number => steps.push({ allows, repeats: false, maySkipNext: false });
  for (let at = 0; at < pattern.length; ) {
    const character = pattern[at] ?? "";
    if (character === "*") {
      const first = at;
      while (pattern[at] === "*") at++;
      const rest = pattern.slice(at);
      const bounded = (first === 0 || pattern[first - 1] === "/") && (!rest || rest.startsWith("/") || rest.startsWith("\\/"));
      const crosses = at - first > 1 && bounded;
      steps.push({ allows: crosses ? () => true : butSlash, repeats: true, maySkipNext: crosses && rest.startsWith("/") });
    } else if (character === "?") {
      one(butSlash);
      at++;
    } else if (character === "[") {
      const [allowed, end] = setAt(pattern, at + 1);
      one((each) => each !== "/" && allowed(each));
      at = end;
    } else {
      if (character === "\\") at++;
      const plain = pattern[at];
      one((each) => each === plain);
      at++;
    }
  }
  return steps;
}

/** With all that follows without a character. A place below zero is within the repetition of step -place - 1. */
function reached(steps: Step[], places: Iterable<number>): Set<number> {
  const found = new Set<number>();
  const left = [...places];
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    if (found.has(place)) continue;
    found.add(place);
    if (place < 0) {
      left.push(-place);
    } else if (steps[place]?.repeats) {
      left.push(-place - 1);
      if (steps[place]?.maySkipNext) left.push(place + 2);
    }
  }
  return found;
}

/** Takes time by the product of both lengths at most, whatever the pattern. */
export function wildmatch(pattern: string, text: string): boolean {
  if (!/[*?[\\]/.test(pattern)) return pattern === text;
  const plain = pattern.split(/[\][*?\\]/); // of most files and the built-in rules its ends say all
  if (!text.startsWith(plain[0] ?? "") || !text.endsWith((plain.at(-1) ?? "").replace(/^\/+/, ""))) return false;
  const steps = stepsOf(pattern);
  let at = reached(steps, [0]);
  for (const character of text) {
    const moved = new Set<number>();
    for (const index of at) {
      const repeating = index < 0;
      const place = repeating ? -index - 1 : index;
      const step = steps[place];
      if (step && step.repeats === repeating && step.allows(character)) moved.add(repeating ? index : place + 1);
    }
    at = reached(steps, moved);
    if (at.size === 0) return false;
  }
  return at.has(steps.length);
}

function matches(rule: Rule, path: string, isFolder: boolean): boolean {
  if (rule.folderOnly && !isFolder) return false;
  if (rule.anywhere) return wildmatch(rule.pattern, path.slice(path.lastIndexOf("/") + 1));
  const pattern = rule.pattern.startsWith("/") ? rule.pattern.slice(1) : rule.pattern;
  // Text before the first special character is compared as it is: a `**` right behind it begins a pattern.
  const special = pattern.search(/[*?[\\]/);
  const plain = special < 0 ? pattern.length : special;
  return path.slice(0, plain) === pattern.slice(0, plain) && wildmatch(pattern.slice(plain), path.slice(plain));
}

export class Rules {
  readonly #byFolder = new Map<string, Rule[]>();

  /** Rules that hold in this folder ("" for the top) and below; the last that matches wins, the deepest folder first. */
  add(folder: string, text: string): void {
    this.#byFolder.set(folder, [...(this.#byFolder.get(folder) ?? []), ...parseRules(text)]);
  }

  /** To be asked from the top down: below a folder that is left out nothing can be taken in again. */
  decide(path: string, isFolder: boolean): Rule | undefined {
    for (let folder = path; folder; ) {
      folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")));
      const below = path.slice(folder ? folder.length + 1 : 0);
      const found = (this.#byFolder.get(folder) ?? []).findLast((rule) => matches(rule, below, isFolder));
      if (found) return found;
    }
    return undefined;
  }

  leaveOut(path: string, isFolder: boolean): boolean {
    return this.decide(path, isFolder)?.negated === false;
  }
}
