#!/usr/bin/env bash
# Makes the secrets of the profiles `scale` and `observe` in deploy/secrets, once; those that are there stay.
set -euo pipefail
folder=$(dirname "$0")/secrets
mkdir -p "$folder"
chmod 700 "$folder"   # the files are bound into containers of another user, so they have to be readable
make_one() {          # NAME VALUE
    if [[ -e $folder/$1 ]]; then
        echo "kept $1"
    else
        (umask 022 && printf '%s' "$2" >"$folder/$1")
        echo "made $1"
    fi
}
random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
make_one db_password "$(random)"
make_one frtsvm_database_url "postgresql://frtsvm:$(cat "$folder/db_password")@db/frtsvm"
make_one frtsvm_store_secret "$(random)"
make_one grafana_password "$(random)"
make_one metrics_key "$(random)"
# Without any key the service asks Prometheus for none. With keys, it has to know this one.
echo "add to FRTSVM_API_KEYS, if there are keys: prometheus:metrics:$(sha256sum <"$folder/metrics_key" | cut -d ' ' -f 1)"
