# Two stages, so that the build tools do not end up in the final image.
FROM python:3.11-slim AS build
# Lock file to install. serve: one machine. scale: adds PostgreSQL, object storage, Dask and Parquet.
ARG LOCK=serve
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /src
RUN python -m venv /opt/frtsvm
COPY requirements/*.lock requirements/
RUN /opt/frtsvm/bin/pip install --quiet --require-hashes -r requirements/build.lock \
 && /opt/frtsvm/bin/pip install --quiet --require-hashes -r "requirements/$LOCK.lock"
COPY pyproject.toml README.md LICENSE ./
COPY frtsvm_core frtsvm_core
COPY app app
# Remove the files that are not needed at run time: installers, tests of libraries and type stubs.
RUN /opt/frtsvm/bin/pip install --quiet --no-deps --no-build-isolation --no-compile . \
 && /opt/frtsvm/bin/pip uninstall --quiet --yes setuptools pip \
 && find /opt/frtsvm -depth -type d \( -name tests -o -name __pycache__ \) -exec rm -rf {} + \
 && find /opt/frtsvm -name '*.pyi' -delete

FROM python:3.11-slim
LABEL org.opencontainers.image.title="FR-TSVM Service" \
      org.opencontainers.image.description="Trains and serves Fast and Robust Twin SVMs over HTTP" \
      org.opencontainers.image.licenses="BSD-3-Clause" \
      org.opencontainers.image.version="0.1.0"
COPY --from=build /opt/frtsvm /opt/frtsvm
COPY deploy/entrypoint.sh /opt/frtsvm/bin/entrypoint.sh
ENV PATH=/opt/frtsvm/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    HOME=/tmp NUMBA_CACHE_DIR=/tmp/numba \
    FRTSVM_HOME=/data FRTSVM_HOST=0.0.0.0
# The root file system is read-only at run time, so byte code and compiled loops are built here.
RUN { python -m compileall -q /usr/local/lib/python3.11 /opt/frtsvm/lib >/dev/null 2>&1 || true; } \
 && NUMBA_CACHE_DIR=/opt/frtsvm/numba python -c "from app.jobs.preload import warm_up; warm_up()" \
 && test -n "$(find /opt/frtsvm/numba -name '*.nbc')" \
 && rm -rf /tmp/* \
 && mkdir /data && chown 10001:10001 /data
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
# After SIGTERM, requests in flight and running trainings have FRTSVM_SHUTDOWN_GRACE seconds to finish.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
    CMD ["python", "-c", "import os, urllib.request as u; u.urlopen('http://127.0.0.1:%s/healthz' % (os.environ.get('FRTSVM_PORT') or 8000), timeout=2)"]
ENTRYPOINT ["entrypoint.sh"]
CMD ["frtsvm", "serve"]
