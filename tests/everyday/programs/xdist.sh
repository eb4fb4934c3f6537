# pytest with workers of its own.
# run: bash xdist.sh
# needs: python3-pytest python3-pytest-xdist
# limits: {memory: 1Gi, cpuTime: 60s, pids: 128}
set -e
mkdir -p tests
printf 'import pytest\n@pytest.mark.parametrize("n", range(20))\ndef test_square(n): assert n * n >= n\n' > tests/test_squares.py
/usr/bin/python3 -m pytest -q -n 2 -p no:cacheprovider tests | tail -1 | grep -q "20 passed"
echo ok
