"""How a sandboxed command ended; docs/results.md has the table."""
import dataclasses
import json
import typing


@dataclasses.dataclass(frozen=True)
class SandboxResultV2:
    """Its fields are attributes and keys alike: `result.status`, `result["status"]`, `dict(result)`."""
    version: int = 2
    status: str = "INTERNAL_ERROR"
    rc: int = 1
    reason: str = ""
    stdout: str = ""
    stderr: str = ""
    duration_ms: int = 0
    cmd: typing.List[str] = dataclasses.field(default_factory=list)
    traceId: str = ""
    enforced: typing.Dict[str, typing.Any] = dataclasses.field(default_factory=dict)
    errorClass: typing.Optional[str] = None
    code: typing.Optional[str] = None
    truncated: typing.Dict[str, bool] = dataclasses.field(default_factory=dict)
    usage: typing.Dict[str, typing.Any] = dataclasses.field(default_factory=dict)
    denials: typing.List[typing.Dict[str, typing.Any]] = dataclasses.field(default_factory=list)
    tests: typing.Optional[typing.Dict[str, int]] = None  # collected, passed, failed, skipped

    @classmethod
    def from_json(cls, text: str) -> "SandboxResultV2":
        """Fields that this version does not know are left out."""
        value = json.loads(text)
        return cls(**{f.name: value[f.name] for f in dataclasses.fields(cls) if f.name in value})

    def keys(self) -> typing.List[str]:
        return [field.name for field in dataclasses.fields(self)]

    def __getitem__(self, name: str) -> typing.Any:
        if name not in self.keys():
            raise KeyError(name)
        return getattr(self, name)

    def header(self) -> str:
        """The same for two runs that ended the same way."""
        return f"[sandbox] status={self.status} rc={self.rc}" + (f" reason={self.reason}" if self.reason else "")


SandboxResult = SandboxResultV2
