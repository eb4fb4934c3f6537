"""Each kubectl of 1.27 or later that this machine has drives a live instance, but for the newest (kubectl_test.py) and
Debian's (kubectl_debian_test.py)."""
import kubectl_suite
import kubectl_versions
from harness import main

NEWEST = kubectl_versions.newest()
FOUND = {version: program for version, program in kubectl_versions.programs().items()
         if version > kubectl_versions.DEBIANS and version not in NEWEST}
kubectl_suite.load(globals(), FOUND, kubectl_versions.HOW_TO_GET_OLDER_ONES)


if __name__ == "__main__":
    main()
