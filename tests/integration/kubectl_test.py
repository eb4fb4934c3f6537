"""Each kubectl of 1.27 or later that this machine has drives a live instance. PADDOCK_KUBECTL names further programs,
separated by colons. Without one of 1.29 or later nothing is proven of a current kubectl, and the suite is skipped."""
import kubectl_suite
import kubectl_versions
from harness import main

FOUND = {version: program for version, program in kubectl_versions.programs().items() if version > kubectl_versions.DEBIANS}
CURRENT = any(version >= (1, 29) for version in FOUND)
kubectl_suite.load(globals(), FOUND if CURRENT else {}, kubectl_versions.HOW_TO_GET_A_CURRENT_ONE)


if __name__ == "__main__":
    main()
