#!/usr/bin/env bash
# The design's own checks of POST /execute, with nothing but curl. Start an instance that answers on 8007:
#   PADDOCK_CONTROLLER_EXECUTE_PORT=8007 paddock up
# then run this, or give another address: verify.sh http://127.0.0.1:9000
set -u
url=${1:-http://127.0.0.1:8007}
failed=0

# check WHAT WANTED GOT: every word of WANTED is in GOT
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
execute() { curl -s --max-time 65 -X POST "$url/execute" -d "$1"; }

check "health" '"status":"healthy"' "$(curl -s "$url/health")"
check "simple execution" $'"success":true\n"stdout":"2\\n"\n"exit_code":0' \
  "$(execute '{"language": "python", "code": "print(1 + 1)", "timeout_seconds": 5}')"
check "input data" '"stdout":"6\n"' \
  "$(execute '{"code": "import json\nprint(sum(input_data[\"nums\"]))", "input_data": {"nums": [1, 2, 3]}}')"
check "dangerous code is blocked" $'"success":false\n"validation_errors":["Blocked import: os"]' \
  "$(execute '{"code": "import os; os.system(\"ls\")"}')"
check "network is blocked" '"success":false' \
  "$(execute '{"code": "import urllib.request; urllib.request.urlopen(\"http://google.com\")"}')"
check "the timeout is enforced" $'"success":false\n"exit_code":-1' \
  "$(execute '{"code": "while True: pass", "timeout_seconds": 2}')"
check "a wrong request is 422" '422' \
  "$(curl -s -o /dev/null -w '%{http_code}' -X POST "$url/execute" -d '{"code": "print(1)", "timeout_seconds": 61}')"
exit $failed
