"""The step `code_execution` of a workflow engine: a piece of Python that POST /execute answers. Standard library only.

An engine calls a step with its configuration, the input that it gets and the engine's own context, and awaits a document.
It is the same function whatever is wrong: a step never raises, its document says so.
"""
from __future__ import annotations

import asyncio
import datetime
import http.client
import ipaddress
import json
import os
import socket
import ssl
import urllib.parse
from typing import Any, Awaitable, Callable, Dict, Mapping, Optional

DEFAULT_URL = "http://localhost:8007"
MARGIN_S = 5  # the service ends the code at its timeout; its answer may come this much later
MAX_ANSWER = 64 << 20
FIELDS = ("success", "stdout", "stderr", "exit_code", "execution_time_ms", "error", "validation_errors")

Step = Callable[[Mapping[str, Any], Optional[Mapping[str, Any]], Any], Awaitable[Dict[str, Any]]]


def _failure(error: str) -> Dict[str, Any]:
    return {"success": False, "stdout": "", "stderr": "", "exit_code": -1, "execution_time_ms": 0, "error": error,
            "validation_errors": None}


def _is_this_host(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _trusted() -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=os.environ.get("CODE_EXECUTION_SERVICE_CA_FILE") or None)
    except OSError:
        raise ValueError("CODE_EXECUTION_SERVICE_CA_FILE cannot be read as certificates (PEM)") from None


def _connection(address: urllib.parse.SplitResult, timeout: float) -> http.client.HTTPConnection:
    if address.scheme not in ("http", "https") or not address.hostname:
        raise ValueError("CODE_EXECUTION_SERVICE_URL must be an address such as http://localhost:8007")
    if address.scheme == "https":
        return http.client.HTTPSConnection(address.hostname, address.port, timeout=timeout, context=_trusted())
    if os.environ.get("CODE_EXECUTION_SERVICE_TOKEN") and not _is_this_host(address.hostname):
        raise ValueError("CODE_EXECUTION_SERVICE_URL must begin with https:// where a token is sent to another host")
    return http.client.HTTPConnection(address.hostname, address.port, timeout=timeout)


def _post(url: str, body: bytes, timeout: float) -> Dict[str, Any]:
    address = urllib.parse.urlsplit(url)
    connection = _connection(address, timeout)
    headers = {"Content-Type": "application/json"}
    if token := os.environ.get("CODE_EXECUTION_SERVICE_TOKEN"):
        headers["Authorization"] = f"Bearer {token}"
    try:
        connection.request("POST", address.path.rstrip("/") + "/execute", body, headers)
        answer = connection.getresponse()
        data = answer.read(MAX_ANSWER)
    finally:
        connection.close()
    if answer.status != 200:
        return _failure(f"Code execution service error: {answer.status}" + _said(data))
    found = json.loads(data)
    if not isinstance(found, dict) or any(name not in found for name in FIELDS):
        raise ValueError("the service's answer is not understood")
    return found


def _said(data: bytes) -> str:
    """What the service says is wrong, where it does."""
    try:
        causes = json.loads(data)["error"]["details"].get("causes") or [{"field": "", "message": json.loads(data)["message"]}]
        return ": " + "; ".join(" ".join(filter(None, (each["field"], each["message"]))) for each in causes)
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""


def run_code(step_config: Mapping[str, Any], input_data: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    """The same without waiting for others: it blocks until the answer is there."""
    config = step_config.get("config") or {}
    code, timeout = config.get("code"), config.get("timeout", 30)
    if not code:
        return _failure("No code provided")
    url = os.environ.get("CODE_EXECUTION_SERVICE_URL") or DEFAULT_URL
    body = {"language": "python", "code": code, "timeout_seconds": timeout, "memory_mb": config.get("memory_mb", 256),
            "input_data": input_data}
    try:
        patience = min(float(timeout), 60.0) + MARGIN_S  # what is no time at all, the service refuses
        return _post(url, json.dumps(body, allow_nan=False).encode(), max(patience, MARGIN_S))
    except socket.timeout:
        return _failure(f"Code execution timed out after {timeout}s")
    except (OSError, http.client.HTTPException, ValueError, TypeError) as error:
        return _failure(f"Failed to execute code: {error}")


async def code_execution_step(step_config: Mapping[str, Any], input_data: Optional[Mapping[str, Any]],
                              execution_context: Any) -> Dict[str, Any]:
    """`step_config["config"]`: `code`, `timeout` (seconds, 30) and `memory_mb` (256). The code finds `input_data`.

    The document has the seven fields of POST /execute and `executed_at`. The service is CODE_EXECUTION_SERVICE_URL, else
    http://localhost:8007. CODE_EXECUTION_SERVICE_TOKEN is sent to it where set, over TLS or to this host only;
    CODE_EXECUTION_SERVICE_CA_FILE is what signs its certificate (PEM), else what this host trusts.
    """
    del execution_context  # nothing of it is needed, and nothing of it leaves this process
    found = await asyncio.get_running_loop().run_in_executor(None, run_code, step_config, input_data)
    return {**found, "executed_at": datetime.datetime.now(datetime.timezone.utc).isoformat()}


STEPS: Dict[str, Step] = {"code_execution": code_execution_step}


def step_of(kind: str) -> Step:
    """For an engine's own table of steps."""
    if kind not in STEPS:
        raise ValueError(f"unknown step type {kind!r}; there are: {', '.join(sorted(STEPS))}")
    return STEPS[kind]
