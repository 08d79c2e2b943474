#!/usr/bin/env bash
# Smoke test: train a model, predict with it and read its metadata over HTTP.
#   deploy/smoke.sh            train a version of the model `smoke` and check it
#   deploy/smoke.sh --again    after a crash: check that version 1 still predicts, and train another version
# BASE_URL is the URL of the service (default http://127.0.0.1:8000), FRTSVM_KEY a key if the service requires one.
set -euo pipefail
url=${BASE_URL:-http://127.0.0.1:8000}
call() {  # METHOD PATH [BODY]: print the response body; end the script unless the status is 2xx
    local response status
    response=$(curl -sS --max-time 120 -X "$1" -w '\n%{http_code}' \
        ${FRTSVM_KEY:+-H "Authorization: Bearer $FRTSVM_KEY"} \
        ${3:+-H 'Content-Type: application/json' -d "$3"} "$url$2")
    status=${response##*$'\n'}
    response=${response%$'\n'*}
    if [[ $status != 2* ]]; then
        echo "FAIL $1 $2: $status $response" >&2
        exit 1
    fi
    printf '%s' "$response"
}
expect() {  # TEXT STEP RESPONSE: end the script unless the response contains the text
    if [[ $3 != *"$1"* ]]; then
        echo "FAIL $2: the response does not contain $1: $3" >&2
        exit 1
    fi
    echo "ok   $2"
}
rows='[[-2.1,-1.9],[-1.8,-2.2],[-2.4,-1.7],[-1.6,-1.5],[-2.0,-2.6],[2.2,1.8],[1.9,2.3],[2.5,2.1],[1.7,1.6],[2.1,2.4]]'
labels='["no","no","no","no","no","yes","yes","yes","yes","yes"]'

expect '"ready"' 'ready' "\"$(call GET /readyz >/dev/null && echo ready)\""
if [[ ${1:-} == --again ]]; then
    expect '"labels":["no","yes"]' 'the version trained before the crash predicts' \
        "$(call POST /predict '{"model":"smoke","version":1,"X":[[-2,-2],[2,2]]}')"
fi
trained=$(call POST /train "{\"model\":\"smoke\",\"X\":$rows,\"y\":$labels,\"params\":{\"kernel\":\"linear\"}}")
expect '"classes":["no","yes"]' 'train' "$trained"
[[ $trained =~ \"version\":([0-9]+) ]]
version=${BASH_REMATCH[1]}
expect '"labels":["no","yes"]' 'predict' \
    "$(call POST /predict "{\"model\":\"smoke\",\"version\":$version,\"X\":[[-2,-2],[2,2]]}")"
expect '"converged":true' 'model info with its certificate' \
    "$(call GET "/models/smoke/versions/$version")"
if [[ $(curl -sS -o /dev/null --max-time 30 -w '%{http_code}' "$url/metrics") == 404 ]]; then
    echo "skip metrics: the proxy does not pass them on; Prometheus reads them from each replica"
else
    expect 'frtsvm_requests_total' 'metrics' "$(call GET /metrics)"
fi
echo "smoke test passed, version $version"
