// Drives `paddock mcp` with the protocol's own client, in one of its eras:
//   node mcp_client.mjs PADDOCK|https://… legacy|modern [options of paddock mcp | token]   reads one {"tool", "arguments"} per line of stdin
// and writes one answer per line; the first line is {"version", "tools"}.
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [program, era, ...args] = process.argv.slice(2);
const options = era === "modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {};
const client = new Client({ name: "paddock-test", version: "1.0.0" }, options);
const transport = program.startsWith("https:")
  ? new StreamableHTTPClientTransport(new URL(program), { requestInit: { headers: { Authorization: `Bearer ${args[0]}` } } })
  : new StdioClientTransport({ command: program, args: ["mcp", ...args], env: process.env });
await client.connect(transport);
const { tools } = await client.listTools();
const version = client.getNegotiatedProtocolVersion?.() ?? null;
console.log(JSON.stringify({ version, tools: tools.map((tool) => tool.name) }));
for await (const line of createInterface({ input: process.stdin })) {
  const { tool, arguments: given } = JSON.parse(line);
  const answer = await client.callTool({ name: tool, arguments: given }, { timeout: 300_000 });
  console.log(JSON.stringify({ isError: answer.isError ?? false, content: answer.structuredContent ?? JSON.parse(answer.content[0].text) }));
}
await client.close();
