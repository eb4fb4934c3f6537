// The token, kept for this tab if one wants so: gone when the tab is closed, known to no other tab. Any script of this
// page could read it, as it could read the memory; the policy lets none but our own run.
const NAME = "paddock.token";

// Storage can be switched off: then a reload asks again.
function attempt(act) {
  try {
    return act(window.sessionStorage);
  } catch {
    return undefined;
  }
}

export const keep = (secret) => attempt((storage) => storage.setItem(NAME, secret));
export const kept = () => attempt((storage) => storage.getItem(NAME)) ?? "";
export const forget = () => attempt((storage) => storage.removeItem(NAME));
