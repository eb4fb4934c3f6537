# Thin wrappers over the CMake presets and scripts/. Each installs missing Debian packages first.
.PHONY: build demo test verify lint format bench coverage install uninstall packages images clean

PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
deps = @scripts/install-deps build run

build:
	$(deps)
	scripts/build release programs

# Start an instance, run the main job, show what came back and what was enforced, stop.
demo: build
	scripts/demo build/bin

# What a change has to pass. STAGE=NAME: one stage of it; scripts/run-stages list names them.
test:
	$(deps) test
	scripts/run-stages test $(STAGE)

# The rest, which takes hours where the compiler cache is empty. STAGE=NAME: one stage of it.
verify:
	$(deps) test verify
	scripts/run-stages verify $(STAGE)

lint:
	$(deps) test verify
	scripts/lint

format:
	$(deps) test
	scripts/sources | xargs clang-format -i

bench: build
	scripts/install-deps bench || true  # a peer that is missing is left out, visibly
	scripts/build release-bench benches
	scripts/bench

coverage:
	$(deps) test verify
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

# Container images of the packages, in build/images, without a container engine.
images: packages
	@scripts/install-deps images
	scripts/images

clean:
	rm -rf build
