// A server that answers as it is told.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "../src/index.js";

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

export interface Broken {
  client: Client;
  url: string;
  requests: IncomingMessage[];
  /** what came with each of them */
  bodies: string[];
}

/** Each request gets the next answer; the last one is repeated. */
export async function broken(answers: Answer[], use: (broken: Broken) => Promise<void>): Promise<void> {
  const requests: IncomingMessage[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const at = requests.push(request) - 1;
    bodies[at] = "";
    request.setEncoding("utf8").on("data", (text: string) => (bodies[at] += text));
    request.on("end", () => (answers.length > 1 ? answers.shift() : answers[0])?.(response, request));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await use({ client: new Client({ baseUrl: url, token: "secret", patienceMs: 0 }), url, requests, bodies });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

export const hangUp: Answer = (response) => response.destroy();
export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(typeof body === "string" ? body : JSON.stringify(body));
export const events =
  (text: string): Answer =>
  (response) =>
    response.writeHead(200, { "Content-Type": "text/event-stream" }).end(`: ok\n\n${text}`);
export const BUSY = json(503, { message: "later", reason: "ServiceUnavailable", error: { code: "BUSY", retryable: true } });
/** A piece of a command's output. */
export const piece = (type: string, data: string): string => `event: ${type}\ndata: ${data}\n\n`;
