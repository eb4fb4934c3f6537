// Text that arrives in pieces, into lines and into server-sent events. Pure.

// Complete lines of what has come so far. A line beyond the bound is an error: nobody sends such.
export class LineSplitter {
  #rest = "";
  constructor(most = 64 * 1024 * 1024) {
    this.most = most;
  }
  push(text) {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop();
    if (this.#rest.length > this.most) throw new RangeError("a line of the stream is too long");
    return lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  }
}

// Events of a text/event-stream: {id, type, data}. Comments, the server's heartbeats, are left out.
export class EventSplitter {
  #lines = new LineSplitter();
  #event = { id: "", type: "message", data: [] };
  push(text) {
    const events = [];
    for (const line of this.#lines.push(text)) {
      if (line === "") {
        if (this.#event.data.length > 0) events.push({ ...this.#event, data: this.#event.data.join("\n") });
        this.#event = { id: "", type: "message", data: [] };
      } else if (!line.startsWith(":")) {
        this.#field(line);
      }
    }
    return events;
  }
  #field(line) {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "id") this.#event.id = value;
    else if (name === "event") this.#event.type = value;
    else if (name === "data") this.#event.data.push(value);
  }
}
