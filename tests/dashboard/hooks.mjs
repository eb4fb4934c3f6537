// Before the first suite and after the last one: these are registered before any test.
import { after, before } from "node:test";
import { closeBrowser } from "./browser.mjs";
import { makeWorkspace } from "./cluster.mjs";

before(makeWorkspace);
after(closeBrowser);
