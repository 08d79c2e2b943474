#!/usr/bin/env bash
# Test that a backup can be restored. The script takes a backup of the store that the FRTSVM_... variables select, restores
# it into a new folder, serves that folder on another port, and compares it with the running service: models, versions and
# digests, and the predictions of the model `smoke` if it exists. The running service is only read.
# The exit code is 0 if the restored store is identical.
#   BASE_URL   URL of the running service (default http://127.0.0.1:8000)
#   FRTSVM_KEY key with the scope `predict`, if the service requires keys
#   DRILL_PORT port of the restored service (default 8999)
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
# The restored store must be independent of the live one. Remove all variables of the live store, and set these three
# explicitly: a variable that is not set would be read from /run/secrets.
while IFS='=' read -r name _; do
    if [[ $name == FRTSVM_* && $name != FRTSVM_KEY && $name != FRTSVM_API_KEYS ]]; then unset "$name"; fi
done < <(env)
export FRTSVM_HOME=$place/home FRTSVM_DATABASE_URL=sqlite:///$place/home/frtsvm.sqlite3 FRTSVM_ARTIFACTS=$place/home
frtsvm restore "$place/backup"
FRTSVM_HOST=127.0.0.1 FRTSVM_PORT=$port FRTSVM_LOG_LEVEL=warning frtsvm serve &
server=$!
# The image contains Python, but not curl.
cat >"$place/ask.py" <<'PY'
import json, os, sys, urllib.request

url, what = sys.argv[1:3]


def ask(path, body=None):
    request = urllib.request.Request(url + path, data=body, headers={"Content-Type": "application/json"})
    if os.environ.get("FRTSVM_KEY"):
        request.add_header("Authorization", "Bearer " + os.environ["FRTSVM_KEY"])
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


def pages(path, key):
    found = []
    while True:
        page = ask(f"{path}?limit=100&offset={len(found)}")
        found += page[key]
        if len(page[key]) < 100:
            return found


if what == "ready":
    ask("/readyz")
elif what == "versions":  # model, version, digest and status of every version
    for model in pages("/models", "items"):
        for version in pages(f"/models/{model['model']}", "versions"):
            info = ask(f"/models/{model['model']}/versions/{version['version']}")
            print(info["model"], info["version"], info["artifact"]["sha256"], info["status"])
else:
    print(json.dumps(ask("/predict", b'{"model":"smoke","X":[[-2,-2],[0.1,0.2],[2,2]]}')))
PY
restored=http://127.0.0.1:$port
for _ in $(seq 120); do
    if python3 "$place/ask.py" "$restored" ready 2>/dev/null; then break; fi
    kill -0 "$server"
    sleep 0.5
done
python3 "$place/ask.py" "$live" versions >"$place/live"
python3 "$place/ask.py" "$restored" versions >"$place/restored"
diff "$place/live" "$place/restored"
if grep -q '^smoke ' "$place/live"; then
    python3 "$place/ask.py" "$live" predict >"$place/live.json"
    python3 "$place/ask.py" "$restored" predict >"$place/restored.json"
    diff "$place/live.json" "$place/restored.json"
fi
echo "drill: $(wc -l <"$place/live") versions restored, identical to the running service"
