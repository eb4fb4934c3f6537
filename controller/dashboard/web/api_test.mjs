import assert from "node:assert/strict";
import test from "node:test";
import { act, download, keyOfBody, logIn, logOut, post, remove, session } from "./api.mjs";

// What is asked of a controller that has this object.
function asked(object) {
  const requests = [];
  globalThis.fetch = async (path, { method, body }) => {
    requests.push([method, path, body && JSON.parse(body)]);
    return new Response(JSON.stringify(object));
  };
  return requests;
}

test("a delete names the object that was shown by its uid", async () => {
  const requests = asked({});
  await remove("/runs/a", "1");
  assert.deepEqual(requests, [["DELETE", "/runs/a", { preconditions: { uid: "1" } }]]);
});

test("an action is not done to another object of the same name", async () => {
  const requests = asked({ metadata: { uid: "2" } });
  await assert.rejects(act({ path: "/nodes/a", uid: "1" }, "drain", {}), { code: "PRECONDITION_FAILED" });
  assert.deepEqual(requests.map(([method]) => method), ["GET"]);
  await act({ path: "/nodes/a", uid: "2" }, "drain", { grace: "5m" });
  assert.deepEqual(requests.at(-1), ["POST", "/nodes/a/drain", { grace: "5m" }]);
});

test("a create that is sent again has the key of before, one that was changed has its own", async () => {
  const keys = [];
  globalThis.fetch = async (path, { headers }) => { keys.push(headers["Idempotency-Key"]); return new Response("{}"); };
  const keyOf = keyOfBody();
  for (const body of [{ a: 1 }, { a: 1 }, { a: 2 }]) await post("/runs", body, { key: keyOf(body) });
  await post("/runs", {});
  assert.match(keys[0], /^[0-9a-f]{32}$/);
  assert.equal(keys[0], keys[1]);
  assert.notEqual(keys[1], keys[2]);
  assert.equal(keys[3], undefined);
});

test("a file that does not end is read no further than it fits", async () => {
  let sent = 0;
  const endless = new ReadableStream({ pull: (to) => { sent += 1000; to.enqueue(new Uint8Array(1000)); } });
  globalThis.fetch = async () => new Response(endless);
  await assert.rejects(download("/x", undefined, 5000), { code: "TOO_LARGE" });
  assert.ok(sent < 10_000);
  globalThis.fetch = async () => new Response("all of it");
  assert.equal(await (await download("/x", undefined, 9)).text(), "all of it");
});

// A controller that answers when it is told to; who logs in is the token itself.
function slowly() {
  const waiting = [];
  globalThis.fetch = (path, { headers }) => new Promise((resolve) => {
    const username = headers.Authorization;
    waiting.push((status = 200) => resolve(new Response(JSON.stringify({ status: { userInfo: { username } } }), { status })));
  });
  return async (...answer) => {
    waiting.shift()(...answer);
    await new Promise(setImmediate);
  };
}

test("a login that was given up does not become the session of who comes next", async () => {
  const answer = slowly();
  const first = logIn("one", () => {}).catch((error) => error.code);
  logOut();
  await answer();
  await answer();
  assert.equal(await first, "GIVEN_UP");
  assert.equal(session.user, "");
  const second = logIn("two", () => {});
  await answer();
  await answer();
  await second;
  assert.equal(session.user, "Bearer two");
});

test("what is answered to the token of before ends no session", async () => {
  const answer = slowly();
  const late = remove("/x").catch((error) => error.status);
  logOut();
  const next = logIn("three", () => assert.fail("ended"));
  await answer(401);
  assert.equal(await late, 401);
  await answer();
  await answer();
  await next;
  assert.equal(session.user, "Bearer three");
});
