# Bare `make` lists the targets. What they build lies in build/, which git ignores.

GO ?= go
BIN := build/glovebox
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)

# Go's ./... leaves out folders of this name.
TESTDATA := $(patsubst %/,./%,$(sort $(dir $(wildcard testdata/*.go testdata/*/*.go))))

# Compiling a decoder takes seconds; every test and the demo share one cache of the result.
export GLOVEBOX_TEST_CACHE := $(CURDIR)/build/testcache

.PHONY: help demo build test test-all toolchains bars-all bars-store test-race lint check score fuzz bars mutants soak bench bench-base bench-postgres bench-pdf bench-pictures corpus-pdf corpus-image corpus-text wasm wasm-check golden cover clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: build ## build, make sample files, read them through the wall, keep and find them in a session
	@BIN=$(BIN) GO="$(GO)" sh cmd/internal/samples/demo.sh

build: ## build the program: build/glovebox
	@$(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o $(BIN) ./cmd/glovebox

test: ## run all tests
	$(GO) test ./... $(TESTDATA)

# The version is exact; the compiler lies in build/ alone.
ASC := 0.28.20
toolchains: build/assemblyscript/$(ASC) ## install the AssemblyScript compiler into build/ (needs nodejs and npm)

build/assemblyscript/$(ASC):
	@command -v npm >/dev/null || { echo "npm is missing: apt-get install nodejs npm"; exit 1; }
	@mkdir -p build/assemblyscript
	npm install --prefix build/assemblyscript --no-save --no-package-lock --no-audit --no-fund --ignore-scripts assemblyscript@$(ASC)
	@touch $@

# What these tests are called, and where they are. A compiler that is missing fails them, and the message says what to install.
TOOLCHAIN_PKGS := ./wasm/binary ./plugins/plugintest ./plugins/pdk/examples/vcard
test-all: test toolchains ## run all tests, and those with decoders made by clang, rustc and AssemblyScript
	$(GO) vet -tags toolchains $(TOOLCHAIN_PKGS)
	$(GO) test -tags toolchains -run '^TestToolchain' $(TOOLCHAIN_PKGS)

bars-all: bars ## print the figures, and those of decoders in other languages (needs clang-14)
	@$(GO) test -tags toolchains -run '^$$' -bench '^BenchmarkCGuest' ./plugins/pdk/examples/vcard | grep '^Benchmark'

test-race: ## run all tests with the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race ./...

lint: ## formatting, vet, other systems, the rules of arch_test.go, go.mod in order
	@files=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$files" ]; then echo "not formatted (gofmt -w):"; echo "$$files"; exit 1; fi
	$(GO) vet ./... $(TESTDATA)
	GOOS=wasip1 GOARCH=wasm $(GO) vet ./decoders/pdf/guest ./decoders/image/guest ./decoders/text/guest
	GOOS=windows $(GO) build -o /dev/null ./cmd/glovebox
	GOOS=darwin GOARCH=arm64 $(GO) build -o /dev/null ./cmd/glovebox
	$(GO) test -count=1 -run '^Test(Imports|Forbidden|FrontDoor|Sizes|Docs|Habits)$$' .
	$(GO) mod tidy -diff

check: lint wasm-check test-race ## everything that must hold before a change is handed in

# The scorer lies beside the project: SCORER is its folder, CORPUS the files that it reads. MIN are figures that must be reached.
MIN ?= pdf.recall=0.91,pdf.f1=0.91,pdf.micro_recall=0.95,pdf.micro_precision=0.95,image.right=0.95,image.pixels_right=0.95,text.right=0.96
score: build ## how much of a corpus comes out right: SCORER=DIR CORPUS=DIR [MIN=figure=value,...]
	@test -n "$(SCORER)" && test -n "$(CORPUS)" || { echo "usage: make score SCORER=DIR CORPUS=DIR [MIN=$(MIN)]"; exit 2; }
	@$(BIN) cache warm
	cd "$(abspath $(SCORER))" && $(GO) run . -bin "$(abspath $(BIN))" -corpus "$(abspath $(CORPUS))" -min "$(MIN)" $(SCORE_FLAGS)

FUZZTIME ?= 30s
fuzz: ## run every fuzz target for FUZZTIME (30s)
	@set -e; for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "== $$target ($$pkg)"; $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 2s -parallel 2 $$pkg; \
		done; \
	done

bars: bars-store ## print the figures that this version is held to, once
	@$(GO) test -run '^$$' -bench '^Benchmark(Registry|PutBack|Process|Rewriting|Hostile|Address|Offer)' . | grep '^Benchmark'
	@$(GO) test -count=1 -v -run '^TestBadModulesInAChild$$' ./wasm/binary | grep 'bars:'
	@$(GO) test -run '^$$' -bench '^Benchmark(Weights|WorstSlice)' ./wasm/binary | grep -E '^Benchmark|slice of'
	@$(GO) test -run '^$$' -bench '^BenchmarkInput' ./wasm/sandbox | grep '^Benchmark'
	@$(GO) test -count=1 -v -run '^Test(SameOutputSameFuel|NothingStays|Hostile|HostileFiles|Mutants)$$' . | grep -- '^--- '
	@$(GO) test -run '^$$' -bench '^Benchmark(Cancel)' -benchtime 1x ./plugins | grep '^Benchmark'
	@$(GO) test -run '^$$' -bench '^Benchmark(Load)' -benchtime 1x . | grep '^Benchmark'
	@GLOVEBOX_BARS=1 $(GO) test -count=1 -v -timeout 30m -run '^Test(Isolation|Determinism)$$' ./plugins | grep -E 'crossed|identical|^--- '
	@$(GO) test -run '^$$' -bench '^Benchmark(Pictures|Texts)' . | grep '^Benchmark'
	@$(GO) test -run '^$$' -bench '^BenchmarkDetect' ./decoders/text | grep '^Benchmark'
	@$(GO) test -count=1 -v -run '^TestDetectMeasured$$' ./decoders/text | grep -E 'right|^--- '
	@$(GO) test -run '^$$' -bench '^Benchmark(WallPage900|TablesMemory)' ./decoders/pdf | grep '^Benchmark'
	@$(GO) test -run '^$$' -bench '^Benchmark(Artifacts|Open)' ./host/store/sqliteindex | grep '^Benchmark'
	@GLOVEBOX_BARS=1 $(GO) test -count=1 -v -run '^Test(Stranger|Kill)$$' . | grep -E 'AUC|kills|^--- '
	@GLOVEBOX_BARS=1 $(GO) test -count=1 -v -timeout 30m -run '^TestDeterminism$$' . | grep -E 'reads|^--- '
	@$(GO) test -run '^$$' -bench '^BenchmarkLoad' -benchtime 3x ./plugins | grep '^Benchmark'
	@GLOVEBOX_BARS=1 TMPDIR=$(or $(wildcard /dev/shm),/tmp) $(GO) test -count=1 -v -timeout 30m -run '^TestPromise$$' ./host | grep -E 'violations|steps|^ *--- '

bars-store: ## those of the store alone: rates and sizes first, then kills, faults and races
	@GLOVEBOX_BARS=1 $(GO) test -timeout 30m -run '^$$' -bench '^BenchmarkScale' -benchtime 1x ./host/store/sqliteindex | grep -E '^Benchmark|scale_test'
	@GLOVEBOX_BARS=1 $(GO) test -count=1 -v -timeout 30m -run '^Test(Crash|AttachRate|LargeFile)$$' ./host/store | grep -E 'kills|bars:|^--- '
	@GLOVEBOX_BARS=1 TMPDIR=$(or $(wildcard /dev/shm),/tmp) $(GO) test -count=1 -v -timeout 30m -run '^Test(Faults|Kills|Clocks|FullDisk|RotOnDisk|Busy)$$' ./host | grep -E 'bars:|^--- '
	@GLOVEBOX_BARS=1 TMPDIR=$(or $(wildcard /dev/shm),/tmp) $(GO) test -count=1 -v -timeout 30m -run '^Test(EveryCallFails|Kills)$$' ./host/store/sqliteindex ./host/store/fileblob | grep -E 'bars:|^--- '
	@GLOVEBOX_BARS=1 TMPDIR=$(or $(wildcard /dev/shm),/tmp) $(GO) test -count=1 -v -timeout 30m -run '^Test(EveryStepFails|Killed|Race(One|Two)Process(es)?)$$' ./host/retain ./host/transfer | grep -E 'kills|differences|^--- '
	@GLOVEBOX_BARS=1 $(GO) test -count=1 -v -timeout 30m -run '^Test(Strangers|HostsRandom)$$' ./host | grep -E 'AUC|violations|^ *--- '

# A corpus lies beside the project, with folders pdf, image and text; without one the mutants are of files that the project makes.
MUTANTS ?= 5000
mutants: ## every hostile file, and MUTANTS (5000) damaged files [CORPUS=DIR], through every decoder under a deadline
	@GLOVEBOX_BARS=1 GLOVEBOX_MUTANTS=$(MUTANTS) GLOVEBOX_CORPUS=$(if $(CORPUS),$(abspath $(CORPUS))) $(GO) test -count=1 -v -timeout 30m -run '^Test(HostileFiles|Mutants)$$' . | grep -vE '^ *(=== |--- PASS: .*/)'

soak: ## long runs: 50,000 reads, hostile ones among them, and 1,000 installs in one process keep its memory flat
	GLOVEBOX_SOAK=1 $(GO) test -timeout 30m -run '^$$' -bench '^BenchmarkSoak' -benchtime 1x .

BENCHCOUNT ?= 10
BENCHTIME ?= 0.3s
# Load, Cancel, Soak, PDFCorpus, TablesMemory and Scale are measurements of minutes, with figures of their own: make bars, make soak and make bench-pdf print them.
BENCH = $(GO) test -run '^$$' -bench . -skip '^Benchmark(Load|Cancel|Soak|PDFCorpus|TablesMemory|Scale)' -benchmem -benchtime $(BENCHTIME) -count $(BENCHCOUNT) $$($(GO) list ./... | grep -v /cmd/internal)
bench: ## run the benchmarks BENCHCOUNT times and compare them with bench/base.txt
	@test -s bench/base.txt || { echo "bench/base.txt is missing: make bench-base measures it"; exit 1; }
	@mkdir -p build
	$(BENCH) | tee build/bench.txt
	$(GO) run golang.org/x/perf/cmd/benchstat bench/base.txt build/bench.txt

corpus-pdf: ## words, their order, hidden text and cursor walks of a folder of PDFs beside expected/NAME.txt: CORPUS=DIR
	@GLOVEBOX_CORPUS=$(if $(CORPUS),$(abspath $(CORPUS))) $(GO) test -count=1 -v -tags corpus -run '^TestCorpus$$' ./decoders/pdf

corpus-image: ## a folder of pictures through the wall: the same bytes every time, nothing but pixels, bombs refused at once: CORPUS=DIR
	@GLOVEBOX_CORPUS=$(if $(CORPUS),$(abspath $(CORPUS))) $(GO) test -count=1 -v -tags corpus -run '^TestCorpus(Images|Bombs)$$' .

corpus-text: ## a folder of texts through the wall ten times: the same answers every time: CORPUS=DIR
	@GLOVEBOX_CORPUS=$(if $(CORPUS),$(abspath $(CORPUS))) $(GO) test -count=1 -v -tags corpus -run '^TestCorpusTexts$$' .

# The version is exact; libvips comes with it and lies in build/ alone.
SHARP := 0.35.5
build/sharp/$(SHARP):
	@command -v npm >/dev/null || { echo "npm is missing: apt-get install nodejs npm"; exit 1; }
	@mkdir -p build/sharp
	npm install --prefix build/sharp --no-save --no-package-lock --no-audit --no-fund sharp@$(SHARP)
	@touch $@

bench-pictures: build/sharp/$(SHARP) ## pictures of six megapixels natively, through the wall and by libvips (needs nodejs and npm)
	@GLOVEBOX_SHARP=$(CURDIR)/build/sharp $(GO) test -run '^$$' -bench '^BenchmarkPictures$$' -benchtime 1x . | grep '^Benchmark'

ROWS ?= 1000000
bench-postgres: ## sizes, plans and times of an index of ROWS (1000000) artifacts in PostgreSQL, as docs/scale.md has them
	@$(GO) test -timeout 30m -run '^$$' -bench '^BenchmarkScale' -benchtime 1x ./host/store/pgindex -rows $(ROWS)

bench-pdf: ## the text of a corpus of PDFs through the wall beside pdftotext (poppler-utils): CORPUS=DIR
	@GLOVEBOX_CORPUS=$(if $(CORPUS),$(abspath $(CORPUS))) $(GO) test -run '^$$' -bench '^BenchmarkPDFCorpus$$' -benchtime 15x .

bench-base: ## measure again what make bench compares with
	$(BENCH) | tee bench/base.txt

wasm: ## build the decoders into wasm/modules (the originals stay in build/wasm)
	$(GO) run ./wasm/internal/mkmodules

wasm-check: ## build the decoders again and compare their bytes with what is committed (needs the exact Go of go.mod)
	$(GO) run ./wasm/internal/mkmodules -check

golden: ## write the expected output of tests anew and show what changed
	$(GO) test ./cmd/glovebox -run '^TestScript$$' -update
	$(GO) test ./host/server -run '^TestWire$$' -update
	git diff --stat

cover: ## test coverage: build/cover.html
	@mkdir -p build
	$(GO) test -coverpkg ./... -coverprofile build/cover.out ./...
	$(GO) tool cover -html build/cover.out -o build/cover.html
	$(GO) tool cover -func build/cover.out | tail -1

clean: ## remove build/
	rm -rf build
