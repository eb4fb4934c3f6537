# Thin wrappers over the CMake presets. Each installs missing Debian packages first.
.PHONY: build demo test lint format bench coverage install uninstall packages clean deps

PREFIX ?= /usr/local

build: deps
	cmake --preset release >/dev/null
	cmake --build --preset release --target programs

# Start an instance, run the main job, show what came back and what was enforced, stop.
demo: build
	scripts/demo

# Everything that CI runs.
test: deps
	scripts/test

lint: deps
	scripts/lint

format: deps
	scripts/sources | xargs clang-format -i

bench: build
	scripts/install-deps bench || true  # a peer that is missing is left out, visibly
	cmake --build --preset release --target benches
	scripts/bench

coverage: deps
	scripts/coverage

install: build
	cmake --install build --prefix $(PREFIX)

# What the last `make install` put there, but for configuration that was changed since.
uninstall:
	scripts/uninstall

# Debian packages, in build/packages.
packages: build
	scripts/packages

clean:
	rm -rf build

deps:
	@scripts/install-deps
