# The commands that everybody uses. `make help` lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
CONSTRAINTS := deploy/dev/constraints.txt
SOURCES := steersman apiserver controller_manager nodeagent tests bench deploy/dev examples
UP ?=
PYTEST := $(BIN)/pytest
PYTEST_FLAGS ?=

.DEFAULT_GOAL := help
.PHONY: help setup bootstrap up test check fix lint types imports proto proto-check constraints \
        test-unit test-contract test-integration test-chaos bench-api bench-kinds clean

help: ## This list
	@grep -hE '^[a-z][a-z-]*:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /|/' | column -t -s '|'

setup: $(STAMP) ## A virtualenv in .venv with everything in it

$(STAMP): pyproject.toml $(CONSTRAINTS)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { deploy/dev/bootstrap.sh --venv && $(PYTHON) -m venv $(VENV); }
	@echo "installing into $(VENV): a minute or more the first time"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint $(CONSTRAINTS) --editable '.[dev]'
	@$(BIN)/python -m compileall -q steersman apiserver controller_manager nodeagent
	@touch $@

bootstrap: ## On Debian as root: etcd, Docker, kubectl for the tests; elsewhere: say what is missing
	@deploy/dev/bootstrap.sh

up: setup ## A cluster on this machine, shown live; UP='--runtime hollow' and the like are passed on to `steer up`
	$(BIN)/steer up $(UP)

test: bootstrap setup check-static ## Everything: static checks, then every test that this machine can run
	$(PYTEST) $(PYTEST_FLAGS)

check: setup check-static test-unit ## Static checks and unit tests: before every commit

.PHONY: check-static
check-static: setup lint types imports proto-check

lint: setup
	$(BIN)/ruff format --check --quiet $(SOURCES)
	$(BIN)/ruff check --quiet $(SOURCES)

types: setup
	$(BIN)/mypy

imports: setup
	$(BIN)/lint-imports --no-cache

fix: setup ## Format and repair what can be repaired
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)

proto: setup ## Generate steersman/pb from proto/
	$(BIN)/python deploy/dev/generate_protos.py

proto-check: setup
	$(BIN)/python deploy/dev/generate_protos.py --check

.PHONY: docs docs-check
docs: setup ## Write docs/kinds.md and docs/kinds/ from the code and its tests
	$(BIN)/python -m deploy.dev.generate_kinds

docs-check: setup
	$(BIN)/python -m deploy.dev.generate_kinds --check

constraints: ## Note the versions in .venv as the ones that everybody gets
	$(BIN)/python -m pip freeze --exclude-editable --exclude steersman > $(CONSTRAINTS)

test-unit: setup ## Pure tests: milliseconds each
	$(PYTEST) $(PYTEST_FLAGS) -q tests/unit

test-contract: setup ## One suite per protocol, for the fake and the real thing
	$(PYTEST) $(PYTEST_FLAGS) tests/contract

test-integration: setup ## Real servers
	$(PYTEST) $(PYTEST_FLAGS) tests/integration

test-chaos: setup ## Kill, pause and cut while traffic runs
	$(PYTEST) $(PYTEST_FLAGS) tests/chaos

test-rollout-kills: setup ## A rolling update whose controller manager is killed at 100 of its changes
	STEERSMAN_ROLLOUT_KILLS=100 $(PYTEST) $(PYTEST_FLAGS) tests/integration/test_deployment_chain.py

bench-api: setup ## The API server measured: one table, ratios to etcd's own put rate in the same run
	$(BIN)/python -m bench.api

bench-tracing: setup ## What tracing costs: off, at 1 % and at 100 %, in CPU time per call
	$(BIN)/python -m bench.tracing

bench-kinds: setup ## Objects on their way in: microseconds, ratios to plain json in the same run
	$(BIN)/python -m bench.kinds

bench-scheduler: setup ## Scheduling: decisions in memory, and pods bound end to end, over 100 to 5,000 nodes
	$(BIN)/python -m bench.scheduler

bench-failover: setup ## Leaders stopped, killed and paused, 30 times each: how soon the next one writes
	$(BIN)/python -m bench.failover

bench-deployment: setup ## A Deployment of 500 pods on 50 hollow nodes: time to Ready, replacement, rollout
	$(BIN)/python -m bench.deployment

bench-pods: setup ## Pods on a real engine, beside docker run
	$(BIN)/python -m bench.pods

bench-rest: setup ## The REST front by the yardstick's own script, beside real Kubernetes
	$(BIN)/python -m bench.rest

test-e2e: setup ## A whole cluster, real Docker
	$(PYTEST) $(PYTEST_FLAGS) tests/e2e

test-kubectl: setup ## Real kubectl, word for word: our transcripts, and recordings of Kubernetes where they are
	STEERSMAN_E2E_KUBECTL=1 $(PYTEST) $(PYTEST_FLAGS) tests/e2e/kubectl

test-compose: setup ## deploy/compose.yaml, killed part by part; making its images takes minutes
	STEERSMAN_E2E_COMPOSE=1 $(PYTEST) $(PYTEST_FLAGS) tests/e2e/test_compose.py

images: setup ## Every image that deploy/compose.yaml names, from packages alone: no registry is needed
	deploy/airgap/images.sh

.PHONY: test-rollout-kills bench-tracing bench-scheduler bench-failover bench-deployment bench-pods bench-rest images test-e2e test-kubectl test-compose
clean: ## Remove what was made, but for the data dir
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
