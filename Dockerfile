# Two stages: what is needed to install stays in the first one.
FROM python:3.11-slim AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /src
RUN python -m venv /opt/frtsvm
COPY requirements/build.lock requirements/serve.lock requirements/
RUN /opt/frtsvm/bin/pip install --quiet --require-hashes -r requirements/build.lock \
 && /opt/frtsvm/bin/pip install --quiet --require-hashes -r requirements/serve.lock
COPY pyproject.toml README.md LICENSE ./
COPY frtsvm_core frtsvm_core
COPY app app
RUN /opt/frtsvm/bin/pip install --quiet --no-deps --no-build-isolation .

FROM python:3.11-slim
COPY --from=build /opt/frtsvm /opt/frtsvm
ENV PATH=/opt/frtsvm/bin:$PATH PYTHONUNBUFFERED=1 \
    FRTSVM_HOME=/data FRTSVM_HOST=0.0.0.0
# The root is read-only when it runs: byte code and compiled loops have to be there already.
RUN python -m compileall -q /usr/local/lib/python3.11 /opt/frtsvm/lib >/dev/null 2>&1; \
    python -m app.jobs.preload \
 && mkdir /data && chown 10001:10001 /data
USER 10001:10001
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
ENTRYPOINT ["frtsvm"]
CMD ["serve"]
