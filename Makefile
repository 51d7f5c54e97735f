# make help lists the commands. A fresh clone needs python3 (3.11 or newer) with pip, g++ and make, nothing else.
PYTHON ?= python3
VENV   ?= .venv
PYTEST ?=
BIN    := $(VENV)/bin
READY  := $(VENV)/ready
# One build folder for each environment: CMake remembers the Python it was configured for.
NATIVE := build/in-tree$(if $(filter-out .venv,$(VENV)),-$(subst /,_,$(VENV)))
CHECKED := build/sanitize
CMAKE  := $(BIN)/cmake -S . -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja)
# Two builds at once in one folder would step on each other.
LOCK   := $(if $(shell command -v flock),flock $(VENV)/lock)
RUN    := SCIPY_ARRAY_API=1 $(BIN)/python

.DEFAULT_GOAL := help
.PHONY: help demo test build lint format types contracts sanitize docs dropin bench wheel clean

help:            ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 18

demo: build      ## the main job on embedded data: compare models, write surefit-report.html
	$(BIN)/python -m surefit compare

test: build      ## every test, the slowest listed (PYTEST="..." adds options; the large ones: PYTEST="-m large")
	$(RUN) -m pytest -n 2 --dist worksteal --durations=30 --durations-min=2 $(PYTEST)

build: $(NATIVE)/build.ninja  ## compile native/ into the source tree (incremental)
	@$(LOCK) $(BIN)/cmake --build $(NATIVE)

lint: $(READY)   ## ruff: faults and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(READY) ## ruff: mend formatting and what can be mended
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: build     ## mypy on the package
	$(BIN)/mypy

contracts: build ## import-linter: a module imports from its own folder or a lower floor
	$(BIN)/lint-imports

sanitize: $(READY)  ## the tests of native/ under sanitizers: address and undefined behaviour; threads for the pool
	@$(LOCK) $(CMAKE) -B $(CHECKED) -DSUREFIT_SANITIZE=ON -DSUREFIT_NATIVE_TESTS=ON
	@$(LOCK) $(BIN)/cmake --build $(CHECKED)
	$(BIN)/ctest --test-dir $(CHECKED)/tests --output-on-failure --no-tests=error -j 2
	@$(LOCK) $(CMAKE) -B $(CHECKED)-thread -DSUREFIT_SANITIZE=ON -DSUREFIT_SANITIZERS=thread -DSUREFIT_NATIVE_TESTS=ON
	@$(LOCK) $(BIN)/cmake --build $(CHECKED)-thread --target test_parallel
	TSAN_OPTIONS=die_after_fork=0 $(BIN)/ctest --test-dir $(CHECKED)-thread/tests -R parallel --output-on-failure \
	  --no-tests=error

docs: build      ## the examples in docs/, README.md and the docstrings
	$(RUN) -m pytest -q -n 0 README.md docs --doctest-glob='*.md' -p no:cacheprovider
	$(RUN) -m pytest -q -n 0 surefit --doctest-modules -p no:cacheprovider

dropin: build    ## scikit-learn's own tests with surefit's classes in the place of its own
	$(RUN) -m tests.dropin

bench: build     ## every family against its peers (pip install the extra `peers` first), then the table in README.md
	$(BIN)/python -m benchmarks.run

wheel: $(READY)  ## sdist, and from it a wheel, into dist/
	rm -rf dist
	$(BIN)/python -c "import scikit_build_core.build as backend; print(backend.build_sdist('dist'))"
	$(BIN)/python -m pip wheel --quiet --quiet --no-deps --wheel-dir dist dist/*.tar.gz
	@ls -l dist

clean:           ## remove what was built (the environment stays)
	rm -rf build dist surefit/_native*.so surefit/_native.pyi surefit-report.html
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache

# The environment: made once; packages are installed again only when the list of requirements has changed.
$(READY): pyproject.toml tools/requirements.py
	@test -x $(BIN)/python || $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
	  "surefit needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || $(PYTHON) -m venv --clear --without-pip $(VENV)
	@mkdir -p build
	@$(BIN)/python tools/requirements.py dev > build/requirements.txt
	@cmp -s build/requirements.txt $(VENV)/requirements.txt || { \
	  echo "installing what surefit and its tests need into $(VENV)"; \
	  if $(BIN)/python -m pip --version > /dev/null 2>&1; then pip="$(BIN)/python -m pip"; \
	  else pip="$(PYTHON) -m pip --python $(BIN)/python"; fi; \
	  $$pip install --quiet --quiet --disable-pip-version-check -r build/requirements.txt; }
	@pwd > "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/surefit-source.pth"
	@cp build/requirements.txt $(VENV)/requirements.txt
	@touch $@

$(NATIVE)/build.ninja: $(READY) CMakeLists.txt
	@mkdir -p $(NATIVE)
	@$(LOCK) $(CMAKE) -B $(NATIVE) -DSUREFIT_IN_TREE=ON -DPython_EXECUTABLE=$(abspath $(BIN)/python) \
	  > $(NATIVE)/configure.log 2>&1 || { cat $(NATIVE)/configure.log; exit 1; }
	@touch $@
