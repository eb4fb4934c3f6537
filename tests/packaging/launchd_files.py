"""What the tests of the daemon of macOS share: where its files lie in the sources and on a Mac."""
import os
import pathlib

SOURCE = pathlib.Path(os.environ.get("PADDOCK_SOURCE_DIR", pathlib.Path(__file__).parent / "../..")).resolve()
HERE = SOURCE / "packaging/launchd"
LABEL = "dev.paddock.node-agent"
PLIST = f"Library/LaunchDaemons/{LABEL}.plist"
CONFIG = "etc/paddock/node-agent.yaml"
DATA = "var/lib/paddock/node-agent"
STAND_IN = pathlib.Path(__file__).parent.resolve() / "macos_commands.sh"


def text(path):
    return (SOURCE / path).read_text(encoding="utf-8")
