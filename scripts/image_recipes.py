"""What each container image holds and how it starts; scripts/images builds them. Data alone."""
import dataclasses

# Numbers, as Kubernetes checks runAsNonRoot by them: the user that the chart's controller has.
USER = 65532
CONTROLLER = "/usr/bin/paddock-controller"
NODE_AGENT = "/usr/bin/paddock-node-agent"

# What a job's own command, or a `#!/bin/sh` in it, may call, and what Python looks for.
JOB_TOOLS = ("bash", "dash", "coreutils", "debianutils", "diffutils", "findutils", "grep", "gzip", "hostname", "mawk", "ncurses-base",
             "netbase", "sed", "tar", "tzdata", "util-linux")

# In every image. coreutils: `kubectl exec … cat` of a token (docs/cluster.md). libc-bin: the locale C.UTF-8.
COMMON = ("base-files", "ca-certificates", "coreutils", "libc-bin", "paddock")

# Scripts of Debian's packages call these while an image is made; nothing that stays calls them, whatever is declared.
OF_INSTALLING = {"debconf", "dpkg", "init-system-helpers", "openssl", "perl", "perl-base", "sensible-utils", "ucf"}


@dataclasses.dataclass(frozen=True)
class Recipe:
    name: str         # the image is called paddock-NAME
    what: str         # one line: org.opencontainers.image.description
    packages: tuple   # beside COMMON. These stay, with what they depend on, and nothing else does
    command: tuple    # the program and its configuration
    user: int
    ports: tuple = ()


RECIPES = {recipe.name: recipe for recipe in (
    # curl: the chart's probes where TLS ends before the controller.
    Recipe("controller", "Paddock's controller: what may run, what ran, and who may know it",
           ("paddock-controller", "curl"),
           (CONTROLLER, "--config", "/etc/paddock/controller.yaml"), USER, ("8443",)),
    # root of the pod's user namespace: a sandbox is made by one who may make others' (docs/cluster.md).
    Recipe("node-agent", "Paddock's node agent: runs untrusted code in native sandboxes",
           ("paddock-node-agent", "python3", "python3-venv", *JOB_TOOLS),
           (NODE_AGENT, "--config", "/etc/paddock/node-agent.yaml"), 0),
    # Controller and agent: of POST /execute, and what the chart takes for everything unless it is told of the two above.
    Recipe("code-execution", "Paddock's controller and node agent, with the Python packages of POST /execute",
           ("paddock-controller", "paddock-node-agent", "curl", "python3", "python3-venv", "python3-numpy", "python3-pandas",
            "python3-dateutil", *JOB_TOOLS),
           (CONTROLLER, "--config", "/etc/paddock/controller.yaml"), USER, ("8443", "8007")),
)}
