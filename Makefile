# `make serve` and `make test` set up everything they need in .venv, from lock files, once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
HOST ?= 127.0.0.1
PORT ?= 8000
# Used by the tests and the paper runs where it exists; everything else runs without it.
export FRTSVM_DATA_DIR ?= $(wildcard ../shared/data)
TESTS := test test-all test-long test-reliability test-planted-faults test-cluster
# Four test processes on two cores, because many tests wait: BLAS threads on top would only wait for each other.
$(TESTS): export OPENBLAS_NUM_THREADS := 1
# They start a hundred servers, which would compile every module each time.
$(TESTS): export PYTHONDONTWRITEBYTECODE :=
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help serve test test-all test-long test-reliability test-planted-faults test-cluster audit sbom check format migration \
	bench bench-serving bench-scaling bench-search paper paper-quick lock clean

help: ## list the commands
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

serve: $(VENV)/.serve ## start the service on 127.0.0.1:8000 with an embedded store
	$(BIN)/frtsvm serve --host $(HOST) --port $(PORT)

test: $(VENV)/.dev ## run the test suite
	$(BIN)/python -m pytest -m "not slow and not timed" -n 4
	$(BIN)/python -m pytest -m "timed and not slow" -n 2

test-all: $(VENV)/.dev ## run the test suite with the long runs
	$(BIN)/python -m pytest -n 2

test-long: $(VENV)/.dev ## what `make test` leaves out: restarts under load, crashes, the paper's quick plan, clusters
	$(BIN)/python -m pytest -m slow --ignore tests/reliability -n 2

test-reliability: $(VENV)/.dev ## the reliability programme with full counts, under 2.5 hours; goes on where it was cut
	$(BIN)/python -m tests.reliability --write

test-planted-faults: $(VENV)/.dev ## each of 15 faults, put into the service, is found by the programme
	$(BIN)/python -m pytest tests/reliability/test_planted_faults.py -v

test-cluster: $(VENV)/.dev ## a real cluster with workers that die, and the backup drill, about two minutes
	$(BIN)/python -m pytest tests/app/jobs/cluster tests/deploy tests/frtsvm_core/distributed

check: $(VENV)/.dev ## formatting, lint, types, import contracts, deployment files
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/hadolint Dockerfile
	$(BIN)/python -m deploy.check

AUDIT := .venv-audit
audit: $(AUDIT)/.ready $(VENV)/.serve ## known weaknesses: bandit over the source, pip-audit over what `make serve` installs
	$(AUDIT)/bin/bandit --quiet --recursive --severity-level high app frtsvm_core
	@$(BIN)/python -m tests.reliability.audit $(AUDIT)/bin/pip-audit

sbom: $(AUDIT)/.ready $(VENV)/.serve ## what `make serve` installs, as a CycloneDX document (sbom.json)
	$(AUDIT)/bin/cyclonedx-py requirements requirements/serve.lock --pyproject pyproject.toml \
		--output-reproducible --output-format JSON --output-file sbom.json

$(AUDIT)/.ready: requirements/audit.lock
	$(PYTHON) -m venv $(AUDIT)
	$(AUDIT)/bin/python -m pip install --quiet --require-hashes -r requirements/audit.lock
	@touch $@

format: $(VENV)/.dev ## rewrite the code in the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

migration: $(VENV)/.dev ## write the step for a change of the tables (NAME="what it does")
	$(BIN)/python -m app.store.migrations "$(NAME)"

bench: $(VENV)/.dev ## training speed against scikit-learn, under 10 minutes
	$(BIN)/python -m benchmarks.speed

bench-serving: $(VENV)/.dev ## requests against FastAPI's bare route and MLServer, about 11 minutes
	$(BIN)/python -m benchmarks.serving

bench-scaling: $(VENV)/.dev ## a fit on files larger than the memory of the workers, and the same in memory, some minutes
	$(BIN)/python -m benchmarks.scaling --compare

bench-search: $(VENV)/.dev ## parameter search against GridSearchCV, a full grid and a tuned SVC (long)
	$(BIN)/python -m benchmarks.search

paper: $(VENV)/.dev ## recreate the tables and figures of the paper (docs/reproduction.md), under an hour
	$(BIN)/python -m benchmarks.paper

paper-quick: $(VENV)/.dev ## a part of it that shows that everything works, under 3 minutes
	$(BIN)/python -m benchmarks.paper --plan quick

# --- environment -------------------------------------------------------------------------------
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed, this is " + sys.version.split()[0] + " (set PYTHON=...)")'
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

lock: ## refresh the lock files (needs uv)
	$(LOCK) requirements/build.in -o requirements/build.lock
	$(LOCK) requirements/audit.in -o requirements/audit.lock
	$(LOCK) pyproject.toml -o requirements/serve.lock
	$(LOCK) pyproject.toml --extra scale --extra arrow -c requirements/serve.lock -o requirements/scale.lock
	$(LOCK) pyproject.toml --group dev -c requirements/serve.lock -o requirements/dev.lock

clean: ## remove the environment and every cache
	rm -rf $(VENV) $(AUDIT) sbom.json .reliability .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist *.egg-info
