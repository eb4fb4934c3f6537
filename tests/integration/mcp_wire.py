"""A client of the Model Context Protocol, written by hand in the shape of the Python SDK's: a handshake, one message per line
or one POST per message, and answers checked against the schemas that the server told. It reads lines as asyncio does, which
takes none of more than 64 KiB."""
import json
import ssl
import subprocess
import urllib.error
import urllib.request

MOST_LINE = 64 << 10
LATEST = "2025-11-25"
# All that a host which is strict takes of JSON Schema.
WORDS = {"type", "description", "properties", "required", "items", "enum", "minimum", "maximum"}
TYPES = {"string": str, "integer": int, "boolean": bool, "array": list, "object": dict}


class ToolError(Exception):
    def __init__(self, document):
        super().__init__(json.dumps(document))
        self.document = document
        self.code = document["code"]


def faults_of(schema, value, where="answer"):
    """What of a value is not as its schema says."""
    if not isinstance(value, TYPES[schema["type"]]) or (schema["type"] == "integer" and isinstance(value, bool)):
        return [f"{where}: {value!r} is no {schema['type']}"]
    if schema["type"] == "array":
        return [fault for index, each in enumerate(value) for fault in faults_of(schema["items"], each, f"{where}[{index}]")]
    if schema["type"] != "object":
        return [] if value in schema.get("enum", [value]) else [f"{where}: {value!r} is none of {schema['enum']}"]
    known = schema["properties"]
    missing = [f"{where}.{name} is missing" for name in schema.get("required", []) if name not in value]
    unknown = [f"{where}.{name} is not told" for name in value if name not in known]
    return missing + unknown + [fault for name, each in value.items() if name in known
                                for fault in faults_of(known[name], each, f"{where}.{name}")]


def strict_faults(schema, where):
    """Why a strict host refuses this schema."""
    faults = [f"{where}: {word}" for word in schema if word not in WORDS]
    if schema.get("type") not in TYPES:
        return [*faults, f"{where}: type {schema.get('type')!r}"]
    if schema["type"] == "array":
        return faults + strict_faults(schema["items"], where + "[]")
    if schema["type"] == "object" and not schema.get("properties"):
        return [*faults, f"{where}: an object without members"]
    return faults + [fault for name, each in schema.get("properties", {}).items()
                     for fault in strict_faults(each, f"{where}.{name}")]


class Client:
    """What both transports share."""

    def __init__(self, version=LATEST):
        self.version = version
        self._last_id = 0
        self.tools = {}

    def __enter__(self):
        params = {"protocolVersion": self.version, "capabilities": {}, "clientInfo": {"name": "mcp", "version": "0.1.0"}}
        self.hello = self.request("initialize", params)
        self.version = self.hello["protocolVersion"]
        self.notify("notifications/initialized")
        self.tools = {tool["name"]: tool for tool in self.request("tools/list")["tools"]}
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        pass

    def message(self, method, params):
        self._last_id += 1
        return {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params or {}}

    def request(self, method, params=None):
        answer = self.exchange(self.message(method, params))
        assert answer["id"] == self._last_id and "error" not in answer, answer
        return answer["result"]

    def call(self, tool, /, **arguments):
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        text = json.loads(result["content"][0]["text"])
        if result["isError"]:
            raise ToolError(text)
        assert text == result["structuredContent"], tool
        faults = faults_of(self.tools[tool]["outputSchema"], text, tool)
        assert not faults, faults
        return text


class StdioClient(Client):
    def __init__(self, command, env, cwd, version=LATEST):
        super().__init__(version)
        self._process = subprocess.Popen([str(word) for word in command], env=env, cwd=cwd, stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE)

    def send(self, message):
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def receive(self):
        line = self._process.stdout.readline()
        assert line.endswith(b"\n") and len(line) <= MOST_LINE, f"a line of {len(line)} bytes: {line[:100]}"
        return json.loads(line)

    def exchange(self, message):
        self.send(message)
        return self.receive()

    def notify(self, method, params=None):
        self.send({"jsonrpc": "2.0", "method": method, "params": params or {}})

    def close(self):
        self._process.stdin.close()
        self._process.wait(timeout=120)
        self._process.stdout.close()


class HttpClient(Client):
    def __init__(self, url, token, ca, version=LATEST):
        super().__init__(version)
        self.url = url
        self._token = token
        self._tls = ssl.create_default_context(cafile=str(ca))

    def open(self, method, body=None, **headers):
        """(status, headers, the bytes of the answer)"""
        known = {"Authorization": f"Bearer {self._token}", "Accept": "application/json, text/event-stream",
                 "Content-Type": "application/json"}
        if self.tools:
            known["MCP-Protocol-Version"] = self.version
        request = urllib.request.Request(self.url, method=method, data=body, headers={**known, **headers})
        try:
            with urllib.request.urlopen(request, context=self._tls, timeout=300) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read()

    def exchange(self, message):
        status, headers, body = self.open("POST", json.dumps(message).encode())
        assert (status, headers.get_content_type()) == (200, "application/json"), (status, body)
        assert len(body) <= MOST_LINE, len(body)
        return json.loads(body)

    def notify(self, method, params=None):
        status, _, body = self.open("POST", json.dumps({"jsonrpc": "2.0", "method": method, "params": params or {}}).encode())
        assert (status, body) == (202, b""), (status, body)
