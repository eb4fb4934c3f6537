# Thin wrappers over the CMake presets. Each installs missing Debian packages first.
.PHONY: build demo test lint format bench coverage install uninstall packages clean deps

PREFIX ?= /usr/local
SYSCONFDIR ?= /etc

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

# Programs, units, and configuration in /etc; then the user `paddock`, and systemd is told. With DESTDIR only files are made.
install: build
	PREFIX="$(PREFIX)" SYSCONFDIR="$(SYSCONFDIR)" DESTDIR="$(DESTDIR)" scripts/install

# What `make install` with the same PREFIX and DESTDIR put there, but for data and for configuration that was changed
# since. PURGE=1: these and the user, too.
uninstall:
	PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/uninstall $(if $(PURGE),--purge)

# Debian packages, in build/packages.
packages: build
	scripts/packages

clean:
	rm -rf build

deps:
	@scripts/install-deps
