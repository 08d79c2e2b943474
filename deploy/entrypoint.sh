#!/bin/sh
# The compiled loops come with the image. They are read from a folder that can be written, because on
# another kind of processor they are compiled anew and kept there.
set -eu
if [ ! -d "$NUMBA_CACHE_DIR" ]; then
    cp -r /opt/frtsvm/numba "$NUMBA_CACHE_DIR"
fi
exec "$@"
