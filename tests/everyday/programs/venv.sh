# A virtual environment is made and used, without a network.
# run: bash venv.sh
# needs: python3-venv
# limits: {cpuTime: 60s}
set -e
/usr/bin/python3 -m venv /tmp/environment
. /tmp/environment/bin/activate
[ "$(python -c 'import sys; print(sys.prefix)')" = /tmp/environment ]
pip --version > /dev/null
echo ok
