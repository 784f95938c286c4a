# The two commands of a day are `make run` and `make test`; the README has the rest.

BENCH ?= .
PACKAGES ?= ./...
RACED ?= ./models/database/... ./models/jobs/... ./models/bank/... ./models/webhook/... ./models/mandate/... ./models/audit/... ./models/batch/... ./models/debit/... ./handlers/web/mandates/...

.PHONY: run build test test-long test-clocks test-race lint generate bench screenshots release release-check sign

run: ## builds and serves on http://127.0.0.1:8080 with its own PostgreSQL under ./data; BANK=files plays with a simulated bank
	@.make/need.sh postgres
	@$(MAKE) --no-print-directory build
	@exec .make/run.sh $(BANK)

build:
	go build -o bin/debitdesk ./cmd/debitdesk

test: ## everything that CI asks
	@.make/need.sh postgres chromium curl jq xmllint schemas sshd pgbouncer plaintext
	.make/fresh.sh
	@go build -o bin/withpg ./.make/withpg
	GOMEMLIMIT=2GiB bin/withpg go test -vet=off -p 3 -parallel 4 -timeout 80m $(PACKAGES)

test-long: ## the same with every value and history of which make test asks a share
	@DEBITDESK_TEST_LONG=1 $(MAKE) --no-print-directory test

test-clocks: ## the tests under clocks at each month's end of two years, 29 February, Easter and the new year; hours. PACKAGES and DATES pick
	@.make/need.sh postgres chromium curl jq xmllint schemas sshd pgbouncer plaintext cc
	@go build -o bin/withpg ./.make/withpg
	GOMEMLIMIT=2GiB .make/clocks.sh '$(PACKAGES)' $(DATES)

# Collecting garbage took a fifth of the processor: it waits until there is more of it.
test test-clocks test-race: export GOGC = 400

# Our own packages are compiled for the tests without inlining and without symbols for debuggers: half the time of the
# compiler, and what the tests wait for is the database. The program that they start is built in the same way, once.
test test-clocks: export GOFLAGS := $(GOFLAGS) '-gcflags=debitdesk/...=-l -dwarf=false'

test-race: ## packages with work that is shared, under the race detector; needs a C compiler
	@.make/need.sh postgres
	@go build -o bin/withpg ./.make/withpg
	bin/withpg go test -race -vet=off -p 2 -parallel 4 -timeout 80m $(RACED)

lint: ## before a commit; not a part of test: from an empty cache it takes as long as a third of the tests. Has a module of its own
	go tool -modfile=.make/lint/go.mod golangci-lint run ./... ./.make/withpg ./.make/bench ./.make/sbom

generate: ## templ, committed
	go tool templ generate -log-level error

bench: build ## the product beside pgbench on its own PostgreSQL, as ratios; BENCH=purchase|charge|page|memory|closing|panels|billing|batch|book|requestlog|exchange|monthend|pages picks
	@.make/need.sh postgres
	@go run ./.make/bench -run '$(BENCH)'

screenshots: ## the pictures of the README and the manual, from the browser journeys
	@.make/need.sh postgres chromium
	@go build -o bin/withpg ./.make/withpg
	DEBITDESK_SCREENSHOTS=$(CURDIR)/static/manual/pictures bin/withpg go test -count=1 -run 'FromABank|BusyMerchant|StateOfAMandate|ADebiCheckMandate|AnAccountIsReplaced|RowsOfASpreadsheet|ThreeMonthsWithABank|QueueIsEmptied|AListIsATool|ManyRowsByKeyboard|WithTheKeyboardAlone|CalendarAndWhat|AMerchantMovesIn' -timeout 80m ./cmd/debitdesk

release: ## everything that an operator installs, under dist/; two runs on one commit give the same bytes
	@go -C .make/release build -o $(CURDIR)/bin/release .
	bin/release -tree . -dist dist

release-check: ## builds twice, in two folders, and compares; then the checkers that are installed. Slow
	@go -C .make/release build -o $(CURDIR)/bin/release .
	.make/release/check.sh

KEY ?=
sign: ## signs dist/SHA256SUMS with the operator's own SSH key: make sign KEY=~/.ssh/release
	@test -n "$(KEY)" || { echo "debitdesk: name the key: make sign KEY=FILE" >&2; exit 2; }
	ssh-keygen -Y sign -n debitdesk-release -f "$(KEY)" dist/SHA256SUMS
