# make demo    the main job on embedded data          make test    every test
# make build   compile native/ into the source tree (incremental)
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
NATIVE := build/in-tree

.PHONY: demo test build
build: $(VENV)/ready
	@$(BIN)/cmake -S . -B $(NATIVE) -G Ninja -DSUREFIT_IN_TREE=ON -DPython_EXECUTABLE=$(abspath $(BIN)/python) \
	  -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) > $(NATIVE).log 2>&1 || (cat $(NATIVE).log; exit 1)
	@$(BIN)/cmake --build $(NATIVE)

$(VENV)/ready: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	mkdir -p build
	touch $@
