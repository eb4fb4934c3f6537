"""Pods of manifests/, run by runc as a kubelet and its runtime would: image, command, environment, security context, volumes.

What a cluster adds (network plugin, DNS, AppArmor, memory limits) is not here: pods share one network namespace, and names of
services are in /etc/hosts.
"""
import json
import os
import pathlib
import shutil
import subprocess
import tarfile

FIRST_ID = 200000  # of the host's users, where a pod has users of its own
# What a container has of its runtime unless it drops it.
BY_DEFAULT = ("CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE NET_RAW SETFCAP SETGID SETPCAP SETUID SYS_CHROOT "
              "AUDIT_WRITE").split()
# The filter that Podman and CRI-O mean by RuntimeDefault; Debian's package golang-github-containers-common has it.
RUNTIME_DEFAULT = pathlib.Path("/usr/share/containers/seccomp.json")


def said(*words, **named):
    done = subprocess.run([str(word) for word in words], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **named)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))} ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def of_kind(objects, kind):
    return next(each for each in objects if each["kind"] == kind)


def seccomp(capabilities):
    """RuntimeDefault in the runtime's own words, for a container with these capabilities."""
    profile = json.loads(RUNTIME_DEFAULT.read_text())

    def holds(rule):
        wanted, unwanted = rule.get("includes") or {}, rule.get("excludes") or {}
        have = {f"CAP_{each}" for each in capabilities}
        return (set(wanted.get("caps", [])) <= have and not set(unwanted.get("caps", [])) & have
                and "amd64" in wanted.get("arches", ["amd64"]) and "amd64" not in unwanted.get("arches", []))

    known = ("names", "action", "args", "errnoRet")
    rules = [{key: rule[key] for key in known if rule.get(key)} for rule in profile["syscalls"] if holds(rule)]
    return {"defaultAction": profile["defaultAction"], "defaultErrnoRet": profile["defaultErrnoRet"],
            "architectures": ["SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32"], "syscalls": rules}


class Image:
    """An OCI archive, as skopeo and umoci read it."""

    def __init__(self, archive, folder):
        self.layout = folder / "layout"
        with tarfile.open(archive) as tar:
            tar.extractall(self.layout)
        self.tag = json.loads((self.layout / "index.json").read_text())["manifests"][0]["annotations"]["org.opencontainers.image.ref.name"]
        self.config = json.loads(said("skopeo", "inspect", "--config", f"oci-archive:{archive}"))["config"]

    def unpack(self, bundle, first_id):
        mapped = [f"--uid-map=0:{first_id}:65536", f"--gid-map=0:{first_id}:65536"] if first_id else []
        said("umoci", "unpack", *mapped, f"--image={self.layout}:{self.tag}", bundle)
        bundle.chmod(0o755)  # its root may be another user


class Pod:
    """A pod whose containers are started one by one. `secrets`: {name: {key: content}}; `network_of`: another pod whose network it has."""

    def __init__(self, folder, objects, kind, image, secrets=None, network_of=None, hosts=""):
        self.folder, self.image, self.objects, self.secrets = folder, image, objects, secrets or {}
        template = of_kind(objects, kind)["spec"]
        self.spec = template["template"]["spec"]
        self.claims = [each["metadata"]["name"] for each in template.get("volumeClaimTemplates", [])]
        self.first_id = 0 if self.spec.get("hostUsers", True) else FIRST_ID
        self.network_of = network_of or self
        self.running = {}  # name: (id, process)
        folder.mkdir()
        folder.chmod(0o755)
        (folder / "hosts").write_text(f"127.0.0.1 localhost\n{hosts}")
        self.volumes = {each["name"]: self.make_volume(each) for each in [*self.spec["volumes"], *({"name": name} for name in self.claims)]}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for name in reversed(list(self.running)):
            self.stop(name)

    def containers(self):
        return [*self.spec.get("initContainers", []), *self.spec["containers"]]

    def make_volume(self, volume):
        path = self.folder / f"volume-{volume['name']}"
        path.mkdir()
        group = self.first_id + self.spec.get("securityContext", {}).get("fsGroup", 0)
        if "configMap" in volume:
            content = next(each["data"] for each in self.objects
                           if each["kind"] == "ConfigMap" and each["metadata"]["name"] == volume["configMap"]["name"])
            self.write(path, content, volume["configMap"], group)
        elif "secret" in volume:
            self.write(path, self.secrets[volume["secret"]["secretName"]], volume["secret"], group)
        else:  # a claim, a folder of the node, an empty one: fsGroup may write
            os.chown(path, self.first_id, group)
            path.chmod(0o777 if "emptyDir" in volume else 0o2775)
        return path

    def write(self, path, content, source, group):
        for item in source.get("items") or [{"key": key, "path": key} for key in content]:
            file = path / item["path"]
            file.write_text(content[item["key"]])
            file.chmod(source.get("defaultMode", 0o644))
            os.chown(file, self.first_id, group)

    def start(self, name, command=None):
        """Its process; what it says is in the file `name`.log."""
        container = next(each for each in self.containers() if each["name"] == name)
        container = {**container, "command": command or container.get("command")}
        bundle = self.folder / name
        self.image.unpack(bundle, self.first_id)
        (bundle / "config.json").unlink()
        said("runc", "spec", "--bundle", bundle)
        config = json.loads((bundle / "config.json").read_text())
        self.configure(config, container)
        (bundle / "config.json").write_text(json.dumps(config))
        identity = f"{self.folder.parent.name}-{self.folder.name}-{name}"
        with open(self.folder / f"{name}.log", "w") as log:
            command = [*self.runc(), "run", "--bundle", bundle, identity]
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.running[name] = (identity, process)
        return process

    def once(self, name, *words):
        """A container of this kind with another program, to its end: (exit code, what it said)."""
        code = self.start(name, [*words]).wait(300)
        self.stop(name)
        return code, self.log(name)

    def stop(self, name):
        identity, process = self.running.pop(name)
        process.terminate()  # runc hands it on, as a runtime sends a container its stop signal
        try:
            process.wait(180)
        finally:
            subprocess.run([*self.runc(), "delete", "--force", identity], stderr=subprocess.DEVNULL)
            process.wait()
        shutil.rmtree(self.folder / name, ignore_errors=True)
        return process.returncode

    def runc(self):
        return ["runc", "--root", str(self.folder.parent / "runc")]

    def pid(self, name):
        return json.loads(said(*self.runc(), "state", self.running[name][0]))["pid"]

    def log(self, name):
        return (self.folder / f"{name}.log").read_text()

    def exec(self, name, *words, env=(), check=True):
        """A program in a container that runs, as `kubectl exec` starts it."""
        command = [*self.runc(), "exec", *(word for each in env for word in ("--env", each)), self.running[name][0], *words]
        done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=180)
        if check and done.returncode != 0:
            raise AssertionError(f"{words} ended with {done.returncode}\n{done.stdout}\n{self.log(name)[-3000:]}")
        return done.stdout

    def curl(self, name, *words):
        """curl of this host, in the network of a container that runs: (exit code, answer)"""
        done = subprocess.run(["nsenter", f"--net=/proc/{self.pid(name)}/ns/net", "curl", "-sS", "--noproxy", "*", "--max-time", "60",
                               *map(str, words)], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def configure(self, config, container):
        context = container["securityContext"]
        user = context.get("runAsUser", int(self.image.config["User"].split(":")[0]))
        assert user or not context.get("runAsNonRoot"), "runAsNonRoot"
        asked = context["capabilities"]
        capabilities = [*([] if asked.get("drop") == ["ALL"] else BY_DEFAULT), *asked.get("add", [])]
        names = [f"CAP_{each}" for each in capabilities]
        config["root"]["readonly"] = context["readOnlyRootFilesystem"]
        config["process"].update(
            terminal=False, args=container["command"] or self.image.config["Entrypoint"] + self.image.config["Cmd"],
            env=[*self.image.config["Env"], *self.variables(container)], cwd=self.image.config["WorkingDir"] or "/", rlimits=[],
            noNewPrivileges=context["allowPrivilegeEscalation"] is False,
            user={"uid": user, "gid": context.get("runAsGroup", user), "additionalGids": self.groups()},
            # Ambient and inheritable ones are not Kubernetes'; who is not root has none in effect.
            capabilities={"bounding": names, "effective": names if user == 0 else [], "permitted": names if user == 0 else []})
        if context.get("seccompProfile", {}).get("type") == "RuntimeDefault" and RUNTIME_DEFAULT.exists():
            config["linux"]["seccomp"] = seccomp(capabilities)
        self.join_namespaces(config)
        self.mount(config, container)

    def groups(self):
        given = self.spec.get("securityContext", {}).get("fsGroup")
        return [given] if given is not None else []

    def variables(self, container):
        def value(each):
            return each["value"] if "value" in each else {"spec.nodeName": "node-1.example"}[each["valueFrom"]["fieldRef"]["fieldPath"]]
        return [f"{each['name']}={value(each)}" for each in container.get("env", [])]

    def join_namespaces(self, config):
        linux = config["linux"]
        assert linux["maskedPaths"] and linux["readonlyPaths"]  # as for every pod
        namespaces = {each["type"]: each for each in linux["namespaces"]}
        if self.first_id:
            namespaces["user"] = {"type": "user"}
            linux["uidMappings"] = linux["gidMappings"] = [{"containerID": 0, "hostID": self.first_id, "size": 65536}]
        first = next(iter(self.network_of.running), None)
        if first:
            held = f"/proc/{self.network_of.pid(first)}/ns"
            namespaces["network"]["path"] = f"{held}/net"
            if self.network_of is self and self.first_id:
                namespaces["user"]["path"] = f"{held}/user"
        linux["namespaces"] = list(namespaces.values())
        if first and self.network_of is not self:  # a new /sys belongs to a network of its own users'
            of_sys = next(each for each in config["mounts"] if each["type"] == "sysfs")
            of_sys.update(type="none", source="/sys", options=["rbind", "ro"])

    def mount(self, config, container):
        def add(source, inside, read_only):
            options = ["rbind", "ro" if read_only else "rw"]
            config["mounts"].append({"destination": inside, "type": "none", "source": str(source), "options": options})
        add(self.folder / "hosts", "/etc/hosts", True)
        for each in container["volumeMounts"]:
            source = self.volumes[each["name"]]
            add(source / each["subPath"] if "subPath" in each else source, each["mountPath"], each.get("readOnly", False))
