# Everything here runs on Linux and macOS with Go and git; `make e2e` also needs
# node, npm and tmux, `make bench-peers` node and npm, `make dist` npm and xz, and
# PostgreSQL for the lines that concern it.

GO       ?= go
# What takes longest comes first: at the end one package would have the machine to itself.
LONGEST   = ./cmd/piton ./internal/store/sqlite ./internal/turn ./internal/store/filestore ./internal/store/postgres ./internal/pane
PACKAGES  = $(LONGEST) $(shell $(GO) list ./... | grep -v /e2e)
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
DEADCODE    = golang.org/x/tools/cmd/deadcode@v0.52.0
RATCHET     = $(GO) run ./internal/testkit/ratchet

.PHONY: help build install test lint check race properties fuzz soak ratchet walks mutate mutate-landing e2e temporal bench bench-peers bench-threads bench-judge recordings record-turns demo man dist clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Without cgo, as in a release (scripts/dist): the programs need no C library and
# start a little sooner. Tests keep cgo, which the race detector needs.
build: ## build all programs into bin/
	CGO_ENABLED=0 $(GO) build -o bin/ ./cmd/...
	cd temporal && CGO_ENABLED=0 $(GO) build -o ../bin/ ./piton-temporal

install: ## install all programs for this user
	CGO_ENABLED=0 $(GO) install ./cmd/...
	cd temporal && CGO_ENABLED=0 $(GO) install ./piton-temporal

# What vet says is said by lint. Three packages at once: some of them wait much.
test: ## all tests but those with real clients
	@scripts/postgres || echo 'without it the tests on PostgreSQL are skipped' >&2
	@scripts/versitygw || echo 'without it the tests on S3 are skipped' >&2
	TMPDIR=$$(scripts/memory) $(GO) test -p 3 -vet=off -timeout 30m $(PACKAGES)

lint: ## formatting, vet, staticcheck, tidiness, dead code, the limits of rooms
	@$(RATCHET)
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo 'run gofmt -w on these'; exit 1; }
	$(GO) vet ./...
	@# Types alone: vet would compile every module for a system that is not here.
	$(GO) run -exec 'env GOOS=darwin' $(DEADCODE) -test ./... >/dev/null
	$(GO) vet -tags man ./cmd/piton
	$(GO) run $(STATICCHECK) ./...
	$(GO) mod tidy -diff
	cd temporal && $(GO) vet ./... && $(GO) run $(STATICCHECK) ./... && $(GO) mod tidy -diff
	@dead=$$(cd temporal && $(GO) run $(DEADCODE) -filter '^github.com/piton-project/piton/temporal' ./piton-temporal); test -z "$$dead" || { echo "$$dead"; exit 1; }
	@# The server that bench starts is the tests' own, whose other parts they use.
	@dead=$$($(GO) run $(DEADCODE) ./cmd/... ./bench/... ./e2e/conformance ./internal/judge/tools/gen ./internal/judge/debrief/gen ./internal/page/gen ./internal/testkit/ratchet) || exit 1; \
	  dead=$$(echo "$$dead" | grep -v '^internal/testkit/\(pgtest\|need\)/'); \
	  test -z "$$dead" || { echo "$$dead"; echo 'no program reaches these: delete them, or move them to the tests that use them'; exit 1; }

# Where goroutines share something. The programs and SQLite take much longer under
# the race detector, so only 'make check' runs them with it. With PART and OF only every
# OF-th of these, from the PART-th on, so that a run a day tries all of them in OF days.
RACES = ./internal/turn ./internal/store/filestore ./internal/run/runner ./internal/history ./internal/pane \
  ./checkpoints ./internal/app/... ./internal/states ./internal/redact ./internal/hook ./internal/courier ./internal/mark/... \
  ./internal/proc ./internal/client/... ./internal/config ./internal/store ./internal/store/sqlstore \
  ./internal/store/archive ./internal/store/localfs ./internal/store/pack ./runs ./internal/run/... ./internal/mcp ./internal/api ./internal/announce ./internal/daemon ./internal/tmux
PART ?= 0
OF   ?= 1
PARTED = $(shell printf '%s\n' $(RACES) | awk 'NR % $(OF) == $(PART)')

race: ## a short run of the tests with the race detector
	TMPDIR=$$(scripts/memory) $(GO) test -vet=off -race -short -timeout 40m $(PARTED)

# Not a part of lint: it compiles the programs to say what ran in them, which after a
# change takes a minute.
walks: ## what ordinary calls reach, against ratchet.txt
	$(RATCHET) walks

ratchet: ## lower the limits of ratchet.txt to what is there
	$(RATCHET) lower

# 60 random mistakes in the product, of which the tests must find 54. The seed is the
# week; SEED, MUTANTS and ROOMS choose others. Tests take the machine's time, so mutants
# of the largest rooms take minutes each.
mutate: ## try the tests on 60 programs with a mistake each (SEED=, MUTANTS=, ROOMS=a,b)
	$(RATCHET) mutate $(addprefix -seed ,$(SEED)) $(addprefix -n ,$(MUTANTS)) $(addprefix -rooms ,$(ROOMS))

mutate-landing: ## the same with 10, in the rooms that changed since main
	$(RATCHET) mutate -since landing -n 10 -within 8m $(addprefix -seed ,$(SEED))

check: lint walks ## lint, walks, and all tests with the race detector
	$(GO) test -race -timeout 60m $(PACKAGES)

properties: ## every property test with 2,000 sequences from a new seed
	scripts/properties 2000

fuzz: ## every fuzzer for FUZZTIME (default 20s)
	scripts/fuzz $(or $(FUZZTIME),20s) $(PART) $(OF)

soak: ## every property test with 20,000 sequences, every flip and hostile file, every fuzzer: hours
	scripts/soak $(or $(CHECKS),20000) $(or $(FUZZTIME),60s)

e2e: ## the real clients against a mock model API, the page in a browser, and the suites of MCP and LangGraph (installs them)
	e2e/install
	PITON_TEST_PAGE=1 $(GO) test -count=1 ./internal/page/gen
	$(GO) test -count=1 -parallel 3 -timeout 40m ./e2e/...
	$(MAKE) temporal

temporal: ## piton-temporal with a Temporal server, which is built
	cd temporal && $(GO) test -count=1 -timeout 20m ./...

bench: ## the figures of docs/performance.md, each beside its floor
	$(GO) run ./bench $(BENCH)

bench-peers: ## Piton beside LangGraph's savers (installs them from npm)
	bench/peers/langgraph/install
	bench/peers/cluster $(GO) run ./bench -peers $(BENCH)

bench-threads: ## the saver for LangGraph beside LangGraph's own (installs them from npm)
	bench/peers/langgraph/install
	test -d savers/langgraph/node_modules || (cd savers/langgraph && npm ci --ignore-scripts --loglevel=error)
	CGO_ENABLED=0 $(GO) build -o bin/ ./cmd/piton
	TEST_PITON=bin/piton bench/peers/cluster node bench/peers/langgraph/threads.mjs $(THREADS)

bench-judge: ## the debriefs on labelled turns of the real clients, beside two plain stop hooks
	$(GO) run ./bench/judge

recordings: ## make the recordings of README anew (needs the clients of e2e)
	PITON_E2E_RECORD=$(CURDIR)/docs/recordings $(GO) test -count=1 ./e2e -run TestRecordings

record-turns: ## record the labelled turns that have no log yet (needs the clients of e2e)
	e2e/install
	$(GO) test -tags record -count=1 -timeout 60m -run TestRecordTurns ./e2e

demo: ## see the main job
	@$(GO) run ./cmd/piton demo

man: ## the man pages of all commands into build/man1/
	$(GO) run -tags man ./cmd/piton man build/man1

dist: ## archives and packages for Linux and macOS with checksums into dist/ (VERSION=v1.2.3)
	scripts/dist $(VERSION)

clean: ## remove what was built
	rm -rf bin build dist internal/page/web/node_modules e2e/page/node_modules e2e/node_modules e2e/conformance/node_modules e2e/openapi/node_modules savers/langgraph/node_modules bench/peers/langgraph/node_modules
