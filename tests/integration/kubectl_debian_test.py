"""Debian 12's kubectl 1.20, the oldest that is supported, drives a live instance; without it the suite is skipped."""
import kubectl_suite
import kubectl_versions
from harness import main

FOUND = {version: program for version, program in kubectl_versions.programs().items() if version == kubectl_versions.DEBIANS}
kubectl_suite.load(globals(), FOUND, kubectl_versions.HOW_TO_GET_1_20)


if __name__ == "__main__":
    main()
