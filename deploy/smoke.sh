#!/usr/bin/env bash
# Trains a model, predicts with it and reads its info, over HTTP as a caller would.
#   deploy/smoke.sh            trains a version, then checks it
#   deploy/smoke.sh --again    after a crash: what was there still answers, and a further version can be trained
# BASE_URL (default http://127.0.0.1:8000) names the service, FRTSVM_KEY a key if it wants one.
set -euo pipefail
url=${BASE_URL:-http://127.0.0.1:8000}
call() {  # METHOD PATH [BODY]: the body of the answer; ends the script unless the status is 2xx
    local answer status
    answer=$(curl -sS --max-time 120 -X "$1" -w '\n%{http_code}' \
        ${FRTSVM_KEY:+-H "Authorization: Bearer $FRTSVM_KEY"} \
        ${3:+-H 'Content-Type: application/json' -d "$3"} "$url$2")
    status=${answer##*$'\n'}
    answer=${answer%$'\n'*}
    if [[ $status != 2* ]]; then
        echo "FAIL $1 $2: $status $answer" >&2
        exit 1
    fi
    printf '%s' "$answer"
}
expect() {  # TEXT WHAT ANSWER: the answer has the text
    if [[ $3 != *"$1"* ]]; then
        echo "FAIL $2: no $1 in $3" >&2
        exit 1
    fi
    echo "ok   $2"
}
rows='[[-2.1,-1.9],[-1.8,-2.2],[-2.4,-1.7],[-1.6,-1.5],[-2.0,-2.6],[2.2,1.8],[1.9,2.3],[2.5,2.1],[1.7,1.6],[2.1,2.4]]'
labels='["no","no","no","no","no","yes","yes","yes","yes","yes"]'

expect '"ready"' 'ready' "\"$(call GET /readyz >/dev/null && echo ready)\""
if [[ ${1:-} == --again ]]; then
    expect '"labels":["no","yes"]' 'the version from before the crash predicts' \
        "$(call POST /predict '{"model":"smoke","version":1,"X":[[-2,-2],[2,2]]}')"
fi
trained=$(call POST /train "{\"model\":\"smoke\",\"X\":$rows,\"y\":$labels,\"params\":{\"kernel\":\"linear\"}}")
expect '"classes":["no","yes"]' 'train' "$trained"
[[ $trained =~ \"version\":([0-9]+) ]]
version=${BASH_REMATCH[1]}
expect '"labels":["no","yes"]' 'predict' \
    "$(call POST /predict "{\"model\":\"smoke\",\"version\":$version,\"X\":[[-2,-2],[2,2]]}")"
expect '"converged":true' 'model info, with its certificate' \
    "$(call GET "/models/smoke/versions/$version")"
if [[ $(curl -sS -o /dev/null --max-time 30 -w '%{http_code}' "$url/metrics") == 404 ]]; then
    echo "skip metrics: the proxy keeps them inside; Prometheus asks each replica"
else
    expect 'frtsvm_requests_total' 'metrics' "$(call GET /metrics)"
fi
echo "smoke: all well, version $version"
