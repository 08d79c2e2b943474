# The first `make serve` or `make test` creates .venv and installs all dependencies from the lock files.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
HOST ?= 127.0.0.1
PORT ?= 8000
# Data sets of the paper, for tests and benchmarks. Optional: tests that need the folder are skipped without it.
export FRTSVM_DATA_DIR ?= $(wildcard ../shared/data)
TESTS := test test-all test-long test-reliability test-planted-faults test-cluster
# More test processes than cores, because many tests wait: additional BLAS threads would only compete for cores.
$(TESTS): export OPENBLAS_NUM_THREADS := 1
# The tests start about a hundred servers; without byte code caching each would compile every module.
$(TESTS): export PYTHONDONTWRITEBYTECODE :=
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help serve test test-all test-long test-reliability test-planted-faults test-cluster audit sbom check format messages migration \
	bench bench-serving bench-scaling bench-search paper paper-quick lock clean

help: ## list the make targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-19s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

serve: $(VENV)/.serve ## start the service on 127.0.0.1:8000 (HOST=, PORT=), with its store in .frtsvm
	$(BIN)/frtsvm serve --host $(HOST) --port $(PORT)

test: $(VENV)/.dev ## run the test suite, about 7 minutes on two cores
	$(BIN)/python -m pytest -m "not slow and not timed" -n 4
	$(BIN)/python -m pytest -m "timed and not slow" -n 2

test-all: $(VENV)/.dev ## run the test suite including the slow tests
	$(BIN)/python -m pytest -n 2

test-long: $(VENV)/.dev ## run the slow tests that `make test` leaves out: restarts under load, crashes, clusters, the quick paper plan
	$(BIN)/python -m pytest -m slow --ignore tests/reliability -n 2

test-reliability: $(VENV)/.dev ## run the reliability tests with full counts and update docs/reliability.md, under 2.5 hours; an interrupted run continues
	$(BIN)/python -m tests.reliability --write

test-planted-faults: $(VENV)/.dev ## check that the reliability tests find each of 15 faults planted in the service
	$(BIN)/python -m pytest tests/reliability/test_planted_faults.py -v

test-cluster: $(VENV)/.dev ## run the tests on a real Dask cluster with failing workers, and the backup drill, about two minutes
	$(BIN)/python -m pytest tests/app/jobs/cluster tests/deploy tests/frtsvm_core/distributed

check: $(VENV)/.dev ## check formatting, lint, types, import contracts and deployment files
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/hadolint Dockerfile
	$(BIN)/python -m deploy.check

AUDIT := .venv-audit
audit: $(AUDIT)/.ready $(VENV)/.serve ## look for known vulnerabilities: bandit on the source, pip-audit on the packages of `make serve`
	$(AUDIT)/bin/bandit --quiet --recursive --severity-level high app frtsvm_core
	@$(BIN)/python -m tests.reliability.audit $(AUDIT)/bin/pip-audit

sbom: $(AUDIT)/.ready $(VENV)/.serve ## write a bill of materials of the packages of `make serve` (sbom.json, CycloneDX)
	$(AUDIT)/bin/cyclonedx-py requirements requirements/serve.lock --pyproject pyproject.toml \
		--output-reproducible --output-format JSON --output-file sbom.json

$(AUDIT)/.ready: requirements/audit.lock
	$(PYTHON) -m venv $(AUDIT)
	$(AUDIT)/bin/python -m pip install --quiet --require-hashes -r requirements/audit.lock
	@touch $@

messages: $(VENV)/.dev ## list every error message, warning and log line with its place in the source
	@$(BIN)/python -m tests.messages

format: $(VENV)/.dev ## format the code and apply automatic lint fixes
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

migration: $(VENV)/.dev ## generate a database migration from the changed schema (NAME="short description")
	$(BIN)/python -m app.store.migrations "$(NAME)"

bench: $(VENV)/.dev ## compare training speed with scikit-learn, under 10 minutes
	$(BIN)/python -m benchmarks.speed

bench-serving: $(VENV)/.dev ## compare request cost with a minimal FastAPI route and MLServer, about 11 minutes
	$(BIN)/python -m benchmarks.serving

bench-scaling: $(VENV)/.dev ## compare a fit on files larger than the memory of the workers with a fit in memory, some minutes
	$(BIN)/python -m benchmarks.scaling --compare

bench-search: $(VENV)/.dev ## compare parameter search with GridSearchCV, a full grid and a tuned SVC; most tables need FRTSVM_DATA_DIR
	$(BIN)/python -m benchmarks.search

paper: $(VENV)/.dev ## reproduce the tables and figures of the paper (docs/reproduction.md), under an hour
	$(BIN)/python -m benchmarks.paper

paper-quick: $(VENV)/.dev ## run a small part of `make paper` to check that it works, under 3 minutes
	$(BIN)/python -m benchmarks.paper --plan quick

# --- environment -------------------------------------------------------------------------------
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is required; this is " + sys.version.split()[0] + ". Set PYTHON=... to another interpreter.")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/build.lock

$(VENV)/.serve: requirements/serve.lock pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/serve.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: requirements/dev.lock $(VENV)/.serve
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/dev.lock
	@touch $@

LOCK = uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --quiet \
	--custom-compile-command "make lock"

lock: ## update the lock files (needs uv)
	$(LOCK) requirements/build.in -o requirements/build.lock
	$(LOCK) requirements/audit.in -o requirements/audit.lock
	$(LOCK) pyproject.toml -o requirements/serve.lock
	$(LOCK) pyproject.toml --extra scale --extra arrow -c requirements/serve.lock -o requirements/scale.lock
	$(LOCK) pyproject.toml --group dev -c requirements/serve.lock -o requirements/dev.lock

clean: ## remove the virtual environments, caches and build output
	rm -rf $(VENV) $(AUDIT) sbom.json .reliability .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist *.egg-info
