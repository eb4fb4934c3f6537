"""What the tests may use: the fields and defaults of profile `test`."""
import dataclasses
from typing import Any, Dict, Mapping, Optional, Tuple, Type


@dataclasses.dataclass(frozen=True)
class SandboxPolicy:
    wall_time_s: float = 30
    cpu_time_s: float = 20
    mem_bytes: int = 512 * 2**20
    pids_max: int = 32
    nofile: int = 512
    output_bytes: int = 2**20
    enforce_network: bool = False  # tests never have a network; True only says so
    allow_partial: bool = False  # run even if this host cannot enforce every limit

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            kinds: Tuple[Type[Any], ...] = (bool,)
            if field.type is bool:
                good = isinstance(value, bool)
            else:
                kinds = (int, float) if field.type is float else (int,)
                good = isinstance(value, kinds) and not isinstance(value, bool) and 0 < value < 2**53
            if not good:
                raise ValueError(f"{field.name}: {value!r} is not a {kinds[-1].__name__} that makes sense here")

    def document(self, env: Optional[Mapping[str, str]] = None) -> Dict[str, Any]:
        """As the SandboxPolicy document that `paddock pytest --policy` reads."""
        def milliseconds(seconds: float) -> str:
            return f"{max(1, round(seconds * 1000))}ms"

        return {
            "network": {"enabled": False},
            "limits": {
                "wallTime": milliseconds(self.wall_time_s),
                "cpuTime": milliseconds(self.cpu_time_s),
                "memory": str(self.mem_bytes),
                "pids": self.pids_max,
                "openFiles": self.nofile,
                "stdout": str(self.output_bytes),
                "stderr": str(self.output_bytes),
            },
            "env": dict(env or {}),
            "allowPartial": self.allow_partial,
        }
