#!/bin/sh
# The image contains the compiled loops. Copy them to a writable folder: on another processor model
# numba compiles them again and stores the result there.
set -eu
if [ ! -d "$NUMBA_CACHE_DIR" ]; then
    cp -r /opt/frtsvm/numba "$NUMBA_CACHE_DIR"
fi
exec "$@"
