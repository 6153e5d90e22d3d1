# hwrngd. `make run` does the main job, `make check` tests everything that a change needs.
# Both install what they need beside Go, git and make (apt, as root) and say so.

PREFIX  ?= /usr/local
DESTDIR ?=
VERSION ?=
GO      ?= go
FUZZTIME ?= 30s

BUILD   := build
BINARY  := $(BUILD)/hwrngd
LDFLAGS := -s -w $(if $(VERSION),-X main.version=$(VERSION))
TOOL    := $(GO) tool -modfile=tools/go.mod
# The build for routers. Without inlining in the standard library it is a twentieth smaller, packed a seventh;
# our own code, which does the work, stays as it is.
MINIMAL := $(BUILD)/hwrngd-minimal
LEAN    := -trimpath -tags minimal -gcflags=all=-l -gcflags=github.com/hwrngd/hwrngd/...= -ldflags '$(LDFLAGS)'
# End-to-end tests of what the minimal build lacks.
FULL_ONLY := Audit|Command|Production|FC005Verdicts|FC027Pipes|FC041Permission|FC050|FC051|BadInputs|WebConfig
# Each of these has its own ioctl numbers, word size or byte order.
ARCHS   := 386 arm arm64 mips mipsle mips64 mips64le ppc64le riscv64 loong64 s390x

# A release is VERSION, or what an unmarked tree is on the way to.
RELEASE := $(or $(VERSION),$(shell sed -n 's/^const nextVersion = "\(.*\)"/\1/p' cmd/hwrngd/version.go))

.PHONY: all build minimal run install lint test cross e2e vm vm-all package systemd monitoring release reproduce check check-all fuzz emulate soak bench clean

all: build

build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BINARY) ./cmd/hwrngd

# With its tests, and the limits of size and memory.
minimal:
	@test/need.sh xz-utils
	CGO_ENABLED=0 $(GO) build $(LEAN) -o $(MINIMAL) ./cmd/hwrngd
	GOOS=linux GOARCH=mipsle GOMIPS=softfloat CGO_ENABLED=0 $(GO) build $(LEAN) -o $(MINIMAL)-mipsle ./cmd/hwrngd
	test/budget.sh $(MINIMAL)-mipsle $(MINIMAL)
	CGO_ENABLED=1 $(GO) test -race -tags minimal ./cmd/hwrngd ./metrics/...
	GOARCH=386 CGO_ENABLED=0 $(GO) test -tags minimal ./cmd/hwrngd ./metrics/...
	HWRNGD=$(abspath $(MINIMAL)) $(GO) test -count=1 ./test/e2e -skip '$(FULL_ONLY)'

# As root, on a machine with /dev/hwrng, this credits the running kernel within seconds.
run: build
	$(BINARY) run $(ARGS)

install: build
	install -D -m 755 $(BINARY) $(DESTDIR)$(PREFIX)/sbin/hwrngd

# Packages for every architecture, bare programs, bills of materials and checksums, in build/release.
release:
	OUT=$(BUILD)/release packaging/build.sh $(RELEASE)
	OUT=$(BUILD)/release-openwrt packaging/openwrt/build.sh $(RELEASE)

# The same once more, elsewhere and without a cache: every byte must be the same.
reproduce: release
	packaging/reproduce.sh packaging/build.sh $(BUILD)/release $(RELEASE)
	packaging/reproduce.sh packaging/openwrt/build.sh $(BUILD)/release-openwrt $(RELEASE)

lint:
	@unformatted=$$($(TOOL) gofumpt -l .); if [ -n "$$unformatted" ]; then echo "gofumpt -w:" $$unformatted; exit 1; fi
	$(GO) vet ./...
	$(TOOL) staticcheck ./...
	cd test/monitoring && $(GO) vet ./... && $(GO) tool -modfile=../../tools/go.mod staticcheck ./...
	$(TOOL) staticcheck -tags minimal ./cmd/... ./metrics/...

# The race detector needs a C compiler; 386 shows what is wrong on 32-bit machines.
test:
	@test/need.sh gcc libc6-dev mandoc swtpm
	CGO_ENABLED=1 $(GO) test -race $$($(GO) list ./... | grep -v /test/)
	cd tools && $(GO) test ./bom
	GOARCH=386 CGO_ENABLED=0 $(GO) test ./fips ./sp80090b ./internal/... ./source/... ./pool/... ./audit/...

cross:
	@for arch in $(ARCHS); do echo "vet GOARCH=$$arch"; export GOARCH=$$arch CGO_ENABLED=0; $(GO) vet ./... && $(GO) vet -tags minimal ./cmd/... ./metrics/... || exit 1; done

# The built program against real devices, a real kernel, injected faults, and rngtest.
e2e: build
	@test/need.sh strace openssl softhsm2 opensc
	PROMTOOL=$$(test/need.sh --unpack prometheus usr/bin/promtool) && \
	RNGTEST=$$(test/need.sh --unpack rng-tools-debian usr/sbin/rngtest usr/bin/rngtest) && \
	export HWRNGD=$(abspath $(BINARY)) PROMTOOL RNGTEST HWRNGD_REQUIRE_CONFORMANCE=1 && \
	$(GO) test -count=1 -p 1 $$($(GO) list ./test/... | grep -v -e test/faults$$ -e test/vm$$ -e test/systemd$$ -e test/openwrt) && \
	$(GO) test -count=1 ./test/faults -table $(abspath $(BUILD))/faults.md

# The package for this machine, which the test below installs.
package:
	@test/need.sh lintian
	OUT=$(BUILD)/package packaging/build.sh $(RELEASE) $$(dpkg --print-architecture)
	lintian --fail-on warning $(BUILD)/package/*.deb

# The package under a real systemd, in a namespace.
systemd: build package
	@test/need.sh systemd shellcheck rpm
	INITRAMFS_FUNCTIONS=$$(test/need.sh --unpack initramfs-tools-core usr/share/initramfs-tools/hook-functions) && \
	export INITRAMFS_FUNCTIONS HWRNGD=$(abspath $(BINARY)) HWRNGD_PACKAGES=$(abspath $(BUILD))/package && \
	$(GO) test -count=1 ./test/systemd

# The OpenWrt package: scripts under busybox, feed, and the packages for two kinds of router.
.PHONY: openwrt openwrt-all
openwrt: OPENWRT_ARCHS = mipsel_24kc x86_64
openwrt: build
	@test/need.sh qemu-user-static shellcheck
	OUT=$(BUILD)/openwrt packaging/openwrt/build.sh $(RELEASE) $(OPENWRT_ARCHS)
	BUSYBOX=$$(test/need.sh --unpack busybox-static bin/busybox usr/bin/busybox) && \
	export BUSYBOX HWRNGD=$(abspath $(BINARY)) HWRNGD_OPENWRT_PACKAGES=$(abspath $(BUILD))/openwrt && \
	$(GO) test -count=1 -timeout 30m ./test/openwrt/...

# The same with the packages for every router, and both variants under emulation.
openwrt-all: export HWRNGD_OPENWRT = all
openwrt-all:
	$(MAKE) openwrt OPENWRT_ARCHS=

# Debian's Linux 6.1 in an emulated machine, with generators that lie, hang and go.
vm: build
	@test/need.sh qemu-system-x86
	HWRNGD=$(abspath $(BINARY)) HWRNGD_VM_RESULTS=$(abspath $(BUILD))/vm $(GO) test -count=1 -timeout 20m ./test/vm -run Quick

# Rules, alerts and dashboards, with a real Prometheus that watches a real daemon. A module of its own.
monitoring: build
	PROMTOOL=$$(test/need.sh --unpack prometheus usr/bin/promtool) && \
	PROMETHEUS=$$(test/need.sh --unpack prometheus usr/bin/prometheus) && \
	export PROMTOOL PROMETHEUS HWRNGD=$(abspath $(BINARY)) && \
	cd test/monitoring && $(GO) test -count=1 ./...

check: lint test cross minimal e2e vm systemd openwrt monitoring

# Each fuzz test for a while, big-endian machines under emulation, ten minutes of random faults, and
# every case in emulated machines, with other kernels and architectures.
check-all: check fuzz emulate soak vm-all openwrt-all reproduce

vm-all: package
	@test/need.sh qemu-system-x86 qemu-system-arm qemu-system-mips qemu-system-misc mmdebstrap swtpm
	HWRNGD_PACKAGES=$(abspath $(BUILD))/package HWRNGD_VM=all HWRNGD_VM_RESULTS=$(abspath $(BUILD))/vm-all \
	$(GO) test -count=1 -v -timeout 150m ./test/vm

soak: build
	@test/need.sh strace
	HWRNGD=$(abspath $(BINARY)) $(GO) test -count=1 -v ./test/faults -run Soak -soak 10m -timeout 25m

fuzz:
	GO=$(GO) test/fuzz.sh $(FUZZTIME)

# All that neither starts programs nor asks the kernel for what emulation lacks.
EMULATED = ./fips ./sp80090b ./source ./source/afalg ./source/hwrng ./source/jitter ./source/repeat ./source/stream ./source/tpm \
	./pool/... ./audit/... ./metrics ./metrics/prom ./metrics/text ./metrics/textfile ./metrics/web/respond

# Function only: what emulation says about time or entropy means nothing. It does not know the
# ioctls of the random device, and is too slow to recompute the chances.
emulate:
	@test/need.sh qemu-user-static
	@for a in mips s390x arm; do \
		echo "test GOARCH=$$a"; GOARCH=$$a GOMIPS=softfloat CGO_ENABLED=0 $(GO) test -short -skip 'Chance|OpenKernel' -timeout 20m -exec "qemu-$$a-static" $(EMULATED) || exit 1; \
	done
	@for m in arm64:aarch64:max s390x:s390x:max ppc64le:ppc64le:power9; do \
		set -- $$(echo $$m | tr : ' '); echo "test GOARCH=$$1, the CPU's instruction"; \
		GOARCH=$$1 CGO_ENABLED=0 $(GO) test -exec "qemu-$$2-static -cpu $$3" ./source/cpu || exit 1; \
	done

bench: build
	RNGTEST=$$(test/need.sh --unpack rng-tools-debian usr/sbin/rngtest usr/bin/rngtest) && \
	export HWRNGD=$(abspath $(BINARY)) && \
	$(GO) run ./test/bench/fips $$RNGTEST && $(GO) run ./test/bench/audit $$RNGTEST
	test/bench/jitter.sh $(BINARY)
	$(GO) test -run '^$$' -bench . ./fips ./sp80090b ./source/repeat ./audit ./metrics/...

clean:
	rm -rf $(BUILD)
