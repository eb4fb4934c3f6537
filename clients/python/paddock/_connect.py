"""Which controller is meant when nobody says: as the program `paddock` decides."""
from __future__ import annotations

import json
import os
import pathlib
import re
from typing import Any, Mapping, NamedTuple, Optional

from .errors import PaddockError


class Target(NamedTuple):
    base_url: str
    token: str
    ca_file: Optional[str]


def state_root(env: Mapping[str, str]) -> pathlib.Path:
    if home := env.get("PADDOCK_HOME"):
        return pathlib.Path(home)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return pathlib.Path("/var/lib/paddock")
    if (state := env.get("XDG_STATE_HOME", "")).startswith("/"):
        return pathlib.Path(state, "paddock")
    return pathlib.Path(env.get("HOME", "/"), ".local/state/paddock")


def _has_ended(pointer: Mapping[str, Any]) -> bool:
    """Nobody knows whether it will be started again, so nobody waits for it."""
    if os.name != "posix":  # elsewhere this would be a signal
        return False
    try:
        os.kill(int(pointer["controller"]["pid"]), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError, TypeError, KeyError, ValueError):
        pass
    return False


def local_instance(env: Mapping[str, str]) -> Target:
    """The instance on this host, as its `paddock up` left word of it; its operator asks, unless PADDOCK_TOKEN is another's."""
    name = env.get("PADDOCK_INSTANCE") or "default"
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}", name):
        raise PaddockError("PADDOCK_INSTANCE is no name of an instance", code="INVALID_INSTANCE_NAME")
    folder = pathlib.Path(state_root(env), "instances", name)
    try:
        pointer = json.loads((folder / "instance.json").read_text())
        url = pointer["url"]
        if _has_ended(pointer):
            raise ValueError
        data = folder
        if (folder / "settings.json").exists():
            data = pathlib.Path(json.loads((folder / "settings.json").read_text()).get("dataDir") or folder)
        token = env.get("PADDOCK_TOKEN") or (data / "controller" / "tokens" / "admin").read_text().strip()
    except (OSError, ValueError, KeyError, TypeError):
        raise PaddockError(f"the instance `{name}` is not up on this host, or belongs to another user; `paddock up` starts it, "
                           "PADDOCK_SERVER names one elsewhere", code="INSTANCE_NOT_UP") from None
    return Target(str(url), token, str(data / "controller" / "tls" / "ca.pem"))


def default_target(env: Mapping[str, str]) -> Target:
    if server := env.get("PADDOCK_SERVER"):
        return Target(server, env.get("PADDOCK_TOKEN", ""), env.get("PADDOCK_CA_FILE") or None)
    return local_instance(env)
