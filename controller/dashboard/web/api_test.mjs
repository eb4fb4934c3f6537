import assert from "node:assert/strict";
import test from "node:test";
import { act, remove } from "./api.mjs";

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
