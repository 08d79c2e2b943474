#!/usr/bin/env bash
# Create the secrets of the profiles `scale` and `observe` in deploy/secrets. Existing secrets are kept.
set -euo pipefail
folder=$(dirname "$0")/secrets
mkdir -p "$folder"
chmod 700 "$folder"   # only the folder is private: containers of another user must be able to read the mounted files
make_one() {          # NAME VALUE
    if [[ -e $folder/$1 ]]; then
        echo "kept $1"
    else
        (umask 022 && printf '%s' "$2" >"$folder/$1")
        echo "created $1"
    fi
}
random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
make_one db_password "$(random)"
make_one frtsvm_database_url "postgresql://frtsvm:$(cat "$folder/db_password")@db/frtsvm"
make_one frtsvm_store_secret "$(random)"
make_one grafana_password "$(random)"
make_one metrics_key "$(random)"
# A service without keys does not require one from Prometheus. A service with keys must have this entry.
echo "if the service has keys, add to FRTSVM_API_KEYS: prometheus:metrics:$(sha256sum <"$folder/metrics_key" | cut -d ' ' -f 1)"
