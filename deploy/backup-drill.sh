#!/usr/bin/env bash
# Takes a backup of the store that the FRTSVM_... variables name, restores it into a fresh folder, serves that on another
# port, and compares: the same models, versions and digests, and the same predictions of the model `smoke`, if there is one.
# The running service is only read. Ends with 0 if a backup of today would bring everything back.
#   BASE_URL   the running service (default http://127.0.0.1:8000)
#   FRTSVM_KEY a key with the scope predict, if it wants one
#   DRILL_PORT port of the restored one (default 8999)
set -euo pipefail
live=${BASE_URL:-http://127.0.0.1:8000}
port=${DRILL_PORT:-8999}
place=$(mktemp -d)
server=
finish() {
    if [[ -n $server ]]; then kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; fi
    rm -rf "$place"
}
trap finish EXIT

frtsvm backup "$place/backup"
# A store of its own: no variable of the live one may lead there.
while IFS='=' read -r name _; do
    if [[ $name == FRTSVM_* && $name != FRTSVM_KEY && $name != FRTSVM_API_KEYS ]]; then unset "$name"; fi
done < <(env)
FRTSVM_HOME=$place/home frtsvm restore "$place/backup"
FRTSVM_HOME=$place/home FRTSVM_PORT=$port FRTSVM_LOG_LEVEL=warning frtsvm serve &
server=$!
ask() {  # URL [BODY]
    curl -fsS --max-time 30 ${FRTSVM_KEY:+-H "Authorization: Bearer $FRTSVM_KEY"} \
        ${2:+-H 'Content-Type: application/json' -d "$2"} "$1"
}
for _ in $(seq 120); do
    if curl -fsS --max-time 2 "http://127.0.0.1:$port/readyz" >/dev/null 2>&1; then break; fi
    kill -0 "$server"
    sleep 0.5
done
versions() {  # URL: model, version, digest and status of everything
    python3 - "$1" <<'PY'
import json, os, sys, urllib.request

def ask(path):
    request = urllib.request.Request(sys.argv[1] + path)
    if os.environ.get("FRTSVM_KEY"):
        request.add_header("Authorization", "Bearer " + os.environ["FRTSVM_KEY"])
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)

def pages(path, key):
    found = []
    while True:
        page = ask(f"{path}?limit=100&offset={len(found)}")
        found += page[key]
        if len(page[key]) < 100:
            return found

for model in pages("/models", "items"):
    for version in pages(f"/models/{model['model']}", "versions"):
        info = ask(f"/models/{model['model']}/versions/{version['version']}")
        print(info["model"], info["version"], info["artifact"]["sha256"], info["status"])
PY
}
versions "$live" >"$place/live"
versions "http://127.0.0.1:$port" >"$place/restored"
diff "$place/live" "$place/restored"
if grep -q '^smoke ' "$place/live"; then
    body='{"model":"smoke","X":[[-2,-2],[0.1,0.2],[2,2]]}'
    ask "$live/predict" "$body" >"$place/live.json"
    ask "http://127.0.0.1:$port/predict" "$body" >"$place/restored.json"
    diff "$place/live.json" "$place/restored.json"
fi
echo "drill: $(wc -l <"$place/live") versions came back as they are"
