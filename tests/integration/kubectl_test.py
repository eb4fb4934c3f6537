"""The newest kubectl that this machine has drives a live instance. PADDOCK_KUBECTL names further programs, separated by
colons. Without one of 1.29 or later nothing is proven of a current kubectl, and the suite is skipped."""
import kubectl_suite
import kubectl_versions
from harness import main

FOUND = {version: program for version, program in kubectl_versions.newest().items() if version >= (1, 29)}
kubectl_suite.load(globals(), FOUND, kubectl_versions.HOW_TO_GET_A_CURRENT_ONE)


if __name__ == "__main__":
    main()
