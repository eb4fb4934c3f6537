"""charts/paddock, rendered by Helm itself, and what its objects are checked with."""
import functools
import json
import os
import pathlib
import subprocess
import tempfile

import yaml

SOURCE = pathlib.Path(os.environ.get("PADDOCK_SOURCE_DIR", ".")).resolve()
FOLDER = SOURCE / "charts/paddock"
NAMESPACE = "space"
AGENT = {"agent": {"enabled": True, "enrollTokenSecret": {"name": "enroll"}, "caSecret": {"name": "ca"}}}
CODE = {"codeExecution": {"enabled": True}}
MONITORED = {"controller": {"serviceMonitor": {"enabled": True, "tokenSecret": {"name": "metrics"}},
                            "prometheusRule": {"enabled": True}, "dashboard": {"enabled": True}}}
SIDECAR = {"name": "front", "image": "front", "ports": [{"name": "front", "containerPort": 443}]}
BEFORE = {"tls": {"enabled": False, "terminatedBy": "the container front of this pod"},
          "controller": {"extraContainers": [SIDECAR], "service": {"targetPort": "front"}}}
ELSEWHERE = {"to": [{"ipBlock": {"cidr": "192.0.2.0/24"}}]}
BUCKET = {"endpoint": "https://s3.example", "bucket": "files", "prefix": "paddock/"}
SEVERAL = {"controller": {"replicas": 3, "postgres": {"urlSecret": {"name": "database"}}, "sharedFilesSecret": "shared",
                          "bucket": {"credentialsSecret": {"name": "keys"}}, "config": {"blobs": {"s3": BUCKET}}},
           "networkPolicy": {"controllerEgress": [ELSEWHERE]}}
ALONE = {"tls": {"enabled": False}, "controller": {"service": {"enabled": False}}}


@functools.lru_cache
def tool(name):
    """(what scripts/chart-tools says, or None; why not)"""
    done = subprocess.run([SOURCE / "scripts/chart-tools", name], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 77):
        raise AssertionError(f"scripts/chart-tools {name} ended with {done.returncode}: {done.stderr}")
    return done.stdout.strip() or None, done.stderr.strip()


def merged(*parts):
    """Values on top of each other, as Helm's -f does."""
    out = {}
    for part in parts:
        for key, value in part.items():
            out[key] = merged(out[key], value) if isinstance(value, dict) and isinstance(out.get(key), dict) else value
    return out


def template(*values, release="paddock"):
    """What `helm template` did with these values."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(merged(*values), file)
        file.flush()
        return subprocess.run([tool("helm")[0], "template", release, FOLDER, "--namespace", NAMESPACE, "-f", file.name],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def render(*values, **kwargs):
    """The objects of a chart that renders."""
    done = template(*values, **kwargs)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return [each for each in yaml.safe_load_all(done.stdout) if each]


def of_kind(objects, kind, name=None):
    found = [each for each in objects if each["kind"] == kind and name in (None, each["metadata"]["name"])]
    assert len(found) == 1, [each["metadata"]["name"] for each in found]
    return found[0]


def pods(objects):
    """(name of the object, spec of its pods)"""
    return [(each["metadata"]["name"], each["spec"]["template"]["spec"]) for each in objects
            if each["kind"] in ("StatefulSet", "DaemonSet", "Deployment")]


def containers(pod):
    return [*pod.get("initContainers", []), *pod["containers"]]


def type_faults(objects):
    """What TypeScript says of the objects as values of the types that the Kubernetes API has for them: a field
    that does not exist, one that is missing, a value of another type."""
    types = pathlib.Path(tool("types")[0])
    lines = []
    for i, each in enumerate(objects):
        group, _, version = each["apiVersion"].rpartition("/")
        package = ("@kubernetes-models/prometheus-operator" if group == "monitoring.coreos.com" else "kubernetes-models")
        path = "/".join(part for part in (package, group, version, each["kind"]) if part)
        lines += [f'import type {{I{each["kind"]} as T{i}}} from "{path}";', f"export const o{i}: T{i} = {json.dumps(each)};"]
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "node_modules").symlink_to(types / "node_modules")
        (pathlib.Path(folder) / "objects.ts").write_text("\n".join(lines))
        done = subprocess.run(["node", "node_modules/typescript/bin/tsc", "--noEmit", "--strict", "--skipLibCheck",
                               "--preserveSymlinks", "--module", "nodenext", "--moduleResolution", "nodenext", "objects.ts"],
                              cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout
