// What the tests share. An instance is the one that PADDOCK_SERVER and PADDOCK_TOKEN name.
import assert from "node:assert/strict";
import { Client, PaddockError } from "../src/index.js";

export const { PADDOCK_SERVER, PADDOCK_TOKEN } = process.env;
export const skip = PADDOCK_SERVER ? false : "PADDOCK_SERVER names no instance";

export function client(): Client {
  return new Client({ baseUrl: PADDOCK_SERVER ?? "", token: PADDOCK_TOKEN });
}

/** The error, which has this code. */
export async function refused(code: string, call: () => Promise<unknown>): Promise<PaddockError> {
  try {
    await call();
  } catch (error) {
    assert.ok(error instanceof PaddockError, String(error));
    assert.equal(error.code, code, error.message);
    return error;
  }
  return assert.fail(`no ${code}`);
}
