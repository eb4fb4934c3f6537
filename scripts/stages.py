"""Every stage of `make test`, `make verify` and CI: what it runs, how long it takes, which changes call for it.

Data and decisions alone; scripts/run-stages runs them. `scripts/run-stages list` prints the table.
"""
import dataclasses
import fnmatch

CODE = ("*.cc", "*.h", "CMakeLists.txt", "CMakePresets.json", "cmake/*")
SANDBOX = ("node-agent/sandbox/*", "common/os/*", "node-agent/launch/*", "common/contracts/*", "cmake/*", "CMakeLists.txt")
PEERS = "servers|kubectl|vm|skew|dashboard"  # labels of suites that need programs of others, or a machine of their own
ELSEWHERE = f"faults|ecosystem|charts|everyday-all|{PEERS}"  # labels of suites that are no part of `make test`


@dataclasses.dataclass(frozen=True)
class Stage:
    name: str            # `make verify STAGE=name`
    what: str            # one line for people
    run: str             # bash, in the source tree
    seconds: int         # on two idle cores, with an empty compiler cache
    builds: bool = False  # mostly compiles: nothing after it makes sense if it fails, and a full cache makes it short
    paths: tuple = ("*",)  # verify: a change of one of these calls for it in CI; fnmatch, `*` takes folders in too
    needs: tuple = ()    # stages that its own command begins with, where they have not been run
    per_file: float = 0  # where CI looks only at what changed: seconds for each such file, `seconds` at the most
    in_ci: bool = True   # false: only where somebody asks for it
    parts: tuple = ()    # the stages whose suites it runs at once, each of which can be asked for alone


# The suites of `make test`. Each is a stage that can be called alone.
PARTS = (
    # proves: ELV-102
    Stage("suites", "unit, golden, tidy, fuzz corpora, simulation, packaging scripts",
          f"scripts/suites test -LE 'integration|adversarial|everyday|{ELSEWHERE}'", 120),
    # proves: ELV-103
    Stage("adversarial", "hostile programs in real sandboxes, as root and as an ordinary user",
          "scripts/suites test -L adversarial", 110),
    Stage("everyday", "ordinary programs, in two profiles; those whose packages are there", "scripts/suites test -L 'everyday$'", 30),
    # proves: ELV-102, ELV-103
    Stage("integration", "real controllers, agents and clients; short suites of kills, absences and full disks", "scripts/suites test -L integration", 340),
)

# What a contributor needs to trust a change. One build serves all of it.
TEST = (
    Stage("format", "clang-format on every file", "scripts/sources | xargs clang-format --dry-run --Werror", 5),
    Stage("build", "everything, by clang, with the assertions of the C++ library", "scripts/build test", 330, builds=True),
    Stage("host", "what this machine can enforce; a weak one is no failure, its suites skip visibly",
          "build/test/bin/paddock doctor || true", 5),
    # Suites that wait leave the processors to others, whatever they are about. No longer than its parts one after the other.
    Stage("together", "all suites of the parts below in one pool, the longest first", f"scripts/suites test -LE '{ELSEWHERE}'",
          sum(part.seconds for part in PARTS), parts=PARTS),
    Stage("demo", "the main job, end to end, from this build", "scripts/demo build/test/bin", 15),
)

RELEASE = "scripts/build release-tests programs benches simulation_test controller_store_test sandbox_vm_test"

# The rest, most telling first: CI goes down this list until its time is up.
VERIFY = (
    # proves: ELV-94
    Stage("release", "the programs as they are shipped, by gcc; benches and tests of them", RELEASE, 380, builds=True, paths=CODE),
    Stage("faults", "daemons that are killed, stand still, fill up and starve; a thousand sessions and runs that leave nothing",
          "scripts/build test programs sandbox_adversarial_test && scripts/suites test -L faults", 240,
          paths=(*CODE, "packaging/profiles/*", "tests/integration/*", "tests/adversarial/cycles_test.cc", "tests/adversarial/CMakeLists.txt")),
    Stage("ecosystem", "both clients installed, typed and in a browser; E2B's SDK; kubectl exec; a laptop's requirements",
          "scripts/install-deps dashboard || true; scripts/build test programs && scripts/suites test -L ecosystem", 150,
          paths=(*CODE, "clients/*", "examples/clients/*", "packaging/profiles/*", "tests/integration/*")),
    Stage("charts", "every value of the Helm chart that makes no sense is refused by name", "scripts/build test programs && scripts/suites test -L charts",
          45, paths=("charts/*", "packaging/profiles/*", "scripts/chart-tools", "tests/integration/chart*")),
    Stage("asan", "unit, golden, fuzz corpora and simulation under AddressSanitizer and UBSan",
          "scripts/build asan && scripts/suites asan -L 'unit|golden|fuzz|simulation'", 1500, paths=CODE),
    Stage("tsan", "modules with threads under ThreadSanitizer", "scripts/build tsan tests_with_threads && scripts/suites tsan -L threads", 600,
          paths=("common/*", "controller/*", "node-agent/*", "cli/*", "cmake/*", "CMakeLists.txt", "CMakePresets.json")),
    Stage("vm", "the released sandbox on cgroup v2 alone, in an emulated machine",
          f"scripts/install-deps vm || true; {RELEASE} && scripts/suites release-tests -L vm", 260,
          paths=(*SANDBOX, "tests/vm/*", "tests/adversarial/*"), needs=("release",)),
    Stage("seeds", "the simulator over 500 seeds; the store, ended at each of its calls to the disk",
          f"{RELEASE} && build/tests/simulation_test --gtest_filter='Simulation.*' && "
          "build/tests/controller_store_test --gtest_filter='*StoreCrash*'", 55,
          paths=("controller/*", "node-agent/sync/*", "common/contracts/*", "common/wire/*", "tests/simulation/*"), needs=("release",)),
    Stage("claims", "five claims, chosen by the commit: the code is broken on purpose, and the test of the claim has to fail",
          "scripts/mutation_check.py", 240, paths=(*CODE, "scripts/mutation*")),
    # proves partly: VLT-09, VLT-105
    Stage("overhead", "the sandbox's overhead is within its budget",
          f"{RELEASE} && PADDOCK_BIN_DIR=$PWD/build/bin PADDOCK_SOURCE_DIR=$PWD build/bench/overhead_budget", 15,
          paths=(*SANDBOX, "bench/sandbox/*", "packaging/profiles/*"), needs=("release",)),
    Stage("packages", "Debian packages are built, installed, used and purged",
          f"{RELEASE} && scripts/packages && python3 -B tests/packaging/packages_test.py", 10,
          paths=("packaging/*", "cmake/*", "CMakeLists.txt", "tests/packaging/*", "scripts/packages", "*/app/*", "cli/*"), needs=("release",)),
    Stage("images", "container images are built without an engine, twice with one digest, listed as SPDX, and run by runc",
          f"scripts/install-deps images || true; {RELEASE} && scripts/packages && {{ scripts/images || [ $? -eq 77 ]; }} && "
          "python3 -B tests/packaging/images_test.py", 300,
          paths=("packaging/*", "charts/*", "manifests/*", "scripts/image*", "tests/packaging/*", "cmake/Packages.cmake"), needs=("release",)),
    Stage("demo-twice", "make demo on the release; the second one uploads nothing",
          f"{RELEASE} && scripts/demo build/bin && scripts/demo build/bin --expect-no-upload", 20, needs=("release",)),
    Stage("skew", "an agent and a controller one release apart, both ways",
          "scripts/previous-release && scripts/build test programs && scripts/suites test -L skew", 300,
          paths=("common/contracts/*", "common/client/*", "controller/nodes/*", "controller/api/handlers/node*", "node-agent/sync/*",
                 "node-agent/executor/*", "node-agent/runs/*", "node-agent/uplink/*", "packaging/previous-release", "tests/skew/*")),
    Stage("servers", "instances on PostgreSQL, on buckets of two servers and under Slurm; those whose packages are there",
          "scripts/install-deps servers || true; scripts/s3-server || true; "
          "scripts/build test programs controller_store_test controller_bucket_test && scripts/suites test -L servers", 400,
          paths=("controller/store/*", "controller/bucket/*", "controller/app/*", "common/cas/*", "cli/pool/*", "node-agent/app/*",
                 "node-agent/host/*", "tests/integration/bucket*", "tests/integration/postgres*", "tests/integration/s3*",
                 "tests/integration/slurm*")),
    Stage("kubectl", "Debian 12's kubectl and each other that this machine has, against a live instance",
          "scripts/debian-kubectl || true; scripts/build test programs && scripts/suites test -L kubectl", 150,
          paths=("controller/k8s/*", "controller/api/*", "tests/integration/kubectl*")),
    Stage("everyday-all", "the same in every profile with the packages of all of them: Java, Go, R, Ruby, PHP, scikit-learn, ffmpeg and more",
          "scripts/install-deps everyday || true; scripts/build test programs && scripts/suites test -L everyday", 240,
          paths=(*SANDBOX, "packaging/profiles/*", "tests/everyday/*")),
    Stage("dashboard", "the dashboard in headless Chromium", "scripts/install-deps dashboard || true; scripts/build test programs && "
          "scripts/suites test -L dashboard", 100,
          paths=("controller/dashboard/*", "controller/api/*", "controller/http_server/*", "tests/dashboard/*")),
    Stage("windows", "the launcher for Windows, as far as wine goes", "scripts/ports windows", 150,
          paths=(*SANDBOX, "scripts/ports", "tests/ports/*")),
    Stage("tidy", "clang-tidy; in CI of the files that changed", "scripts/lint ${PADDOCK_CHANGED_SINCE:+--since \"$PADDOCK_CHANGED_SINCE\"}",
          1300, paths=("*.cc", "*.h", ".clang-tidy"), per_file=4),
    Stage("asan-live", "hostile programs, controllers and agents under AddressSanitizer and UBSan; not in CI",
          "scripts/build asan && scripts/suites asan -L 'adversarial|integration|faults|ecosystem'", 900, paths=CODE, needs=("asan",), in_ci=False),
    Stage("load", "the suites that need no other programs, of `together` and of all stages, beside two busy loops on each processor; not in CI",
          f"scripts/build test && scripts/under-load scripts/suites test -LE '{PEERS}'", 1900, in_ci=False),
    # proves partly: VLT-10
    # proves: VLT-103
    Stage("coverage", "lines: of the sandbox at least 90 %, of all at least 85 %", "scripts/coverage", 1400, paths=CODE),
    Stage("macos", "launcher, agent and CLI compiled and linked for macOS; not in CI", "scripts/ports macos", 900,
          paths=("*/darwin/*", "*/macos/*", "cmake/Darwin*", "cmake/Launcher.cmake", "scripts/ports", "scripts/macos_prefix.py"), in_ci=False),
)

BUDGET_S = 60 * 60  # CI begins nothing that would end later than this
WALL_S = 80 * 60    # and ends whatever still runs then


def called_for(stage, changed):
    """Whether a change of these files calls for a stage in CI."""
    return stage.in_ci and any(fnmatch.fnmatch(path, pattern) for path in changed for pattern in stage.paths)


def slowness(took):
    """How many times slower than the table's machine this one is, by (stage, seconds) that are behind it. Builds do not
    count: how long they take is up to the cache."""
    told = [(stage.seconds, seconds) for stage, seconds in took if not stage.builds]
    expected = sum(each[0] for each in told)
    return max(0.5, sum(each[1] for each in told) / expected) if expected else 1.0


def cost(stage, done, stages, changed):
    """Seconds that CI needs for it on the table's machine, with what it needs and is not done."""
    own = stage.seconds
    if stage.per_file:
        own = min(own, stage.per_file * sum(called_for(stage, [path]) for path in changed))
    return own + sum(each.seconds for each in stages if each.name in stage.needs and each.name not in done)


def callable_alone(stages):
    """These stages and the parts of them."""
    return [each for stage in stages for each in (stage, *stage.parts)]


def part_of(suite, stage):
    """The part of a stage that a suite belongs to, by the word before the first dot of its name."""
    kind = suite.split(".")[0]
    return next((part for part in stage.parts if part.name == kind), stage.parts[0])


def fits(cost_s, elapsed, factor):
    return elapsed + factor * cost_s <= BUDGET_S


def table(stages, command):
    """Rows of Markdown. What a part takes alone is no part of the sum."""
    lines = [f"| `{command}` | what it is | minutes |", "|---|---|---|"]
    for stage in stages:
        lines.append(f"| `{stage.name}` | {stage.what} | {minutes(stage.seconds)} |")
        lines += [f"| - `{part.name}` | {part.what} | alone {minutes(part.seconds)} |" for part in stage.parts]
    return "\n".join(lines + [f"| all | | {minutes(sum(stage.seconds for stage in stages))} |", ""])


def minutes(seconds):
    return f"{seconds / 60:.0f}" if seconds >= 90 else f"{seconds / 60:.1f}"
