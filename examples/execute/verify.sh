#!/usr/bin/env bash
# The design's ten checks of POST /execute, with nothing but curl. Start an instance that answers on 8007:
#   PADDOCK_CONTROLLER_EXECUTE_PORT=8007 paddock up
# then run this, or give another address: verify.sh http://127.0.0.1:9000
# A service that speaks TLS and asks for a token:
#   CACERT=ca.pem TOKEN=pdk_… verify.sh https://localhost:8007
# Steps 1, 2, 9 and 10 are commands in a checkout of the source: they are printed and not run.
set -u
url=${1:-http://127.0.0.1:8007}
failed=0
options=(-s --max-time 65)
[ -z "${CACERT:-}" ] || options+=(--cacert "$CACERT")
# By a file descriptor: the arguments of a process are seen by others.
ask() {
  if [ -n "${TOKEN:-}" ]; then
    curl "${options[@]}" --header @<(printf 'Authorization: Bearer %s\n' "$TOKEN") "$@"
  else
    curl "${options[@]}" "$@"
  fi
}
execute() { ask -X POST "$url/execute" -d "$1"; }

# check WHAT WANTED GOT: every line of WANTED is in GOT
check() {
  local part
  while IFS= read -r part; do
    if [[ $3 != *"$part"* ]]; then
      echo "FAILED  $1: no $part in $3"
      failed=1
      return
    fi
  done <<<"$2"
  echo "ok      $1"
}
by_hand() { echo "by hand $1: $2"; }

by_hand "1 build" "make build"
by_hand "2 start" "PADDOCK_CONTROLLER_EXECUTE_PORT=8007 build/bin/paddock up"
# The node takes code a second or two after `paddock up`: its first interpreters are made then.
for _ in {1..60}; do
  [[ "$(ask "$url/health")" == *'"status":"unhealthy"'* ]] || break
  sleep 0.5
done
check "3 health" '"status":"healthy"' "$(ask "$url/health")"
check "4 simple execution" $'"success":true\n"stdout":"2\\n"\n"exit_code":0' \
  "$(execute '{"language": "python", "code": "print(1 + 1)", "timeout_seconds": 5}')"
check "5 input data" '"stdout":"6\n"' \
  "$(execute '{"code": "import json\nprint(sum(input_data[\"nums\"]))", "input_data": {"nums": [1, 2, 3]}}')"
check "6 dangerous code is blocked" $'"success":false\n"validation_errors":["Blocked import: os"]' \
  "$(execute '{"code": "import os; os.system(\"ls\")"}')"
check "7 network is blocked" $'"success":false\nBlocked import: urllib' \
  "$(execute '{"code": "import urllib.request; urllib.request.urlopen(\"http://google.com\")"}')"
# Its answer comes long before the 30 s that code has unless it asks for less.
started=$SECONDS
check "8 the timeout is enforced" $'"success":false\n"exit_code":-1\n"error":"Execution timed out"' \
  "$(execute '{"code": "while True: pass", "timeout_seconds": 2}')"
took=$((SECONDS - started))
check "8 and in time" "in time" "$([ "$took" -lt 25 ] && echo "in time" || echo "$took s for a timeout of 2 s")"
by_hand "9 unit tests" "ctest --preset dev -R 'validator|node-agent_snippets'"
by_hand "10 security tests" "ctest --preset dev -R execute_; ctest --preset dev -L adversarial"
check "a wrong request is 422" '422' \
  "$(ask -o /dev/null -w '%{http_code}' -X POST "$url/execute" -d '{"code": "print(1)", "timeout_seconds": 61}')"
exit $failed
