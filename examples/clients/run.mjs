// The same as run.py, from JavaScript. After `npm install ./clients/typescript` (or its `npm run build` and a link):
//   PADDOCK_SERVER=https://… PADDOCK_TOKEN=… NODE_EXTRA_CA_CERTS=ca.pem node run.mjs
import { Client } from "paddock";

const JOB = `
import pathlib
print("counting")
pathlib.Path("out/sum.txt").write_text(str(sum(range(1_000_001))))
`;

const client = new Client({ baseUrl: process.env.PADDOCK_SERVER, token: process.env.PADDOCK_TOKEN });
await client.workspaces.upload("counting-js", { "job.py": JOB });
const created = await client.runs.create({
  type: "compute",
  command: ["python3", "job.py"],
  workspace: "counting-js",
  artifacts: { dirs: ["out/"] },
});
for await (const text of client.runs.followLogs(created.metadata.name)) process.stdout.write(text);
const run = await client.runs.wait(created.metadata.name);
console.log(run.status.phase, run.status.result.status, `network: ${run.status.result.enforced.network.mechanism}`);
for (const artifact of await client.runs.artifacts(run.metadata.name)) {
  console.log(artifact.path, new TextDecoder().decode(await client.runs.readArtifact(run.metadata.name, artifact)));
}
