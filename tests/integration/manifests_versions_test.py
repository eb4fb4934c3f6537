"""manifests/examples: every file parsed by each kubectl that this machine has, but for the newest, and applied by the oldest
and the newest of them."""
import kubectl_versions
import manifests_test
from harness import main

NEWEST = kubectl_versions.newest()


class Examples(manifests_test.Examples):
    programs = {version: program for version, program in kubectl_versions.programs().items() if version not in NEWEST}


if __name__ == "__main__":
    main()
