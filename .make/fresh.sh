#!/bin/sh
# Fails when generated code is older than what it is made from, or when a file
# is not formatted. Compares before and after, so it needs no git.
set -eu
cd "$(dirname "$0")/.."

sources() { find cmd handlers views models migrations static .make "$@" 2>/dev/null || true; }
sums() { sources -name '*_templ.go' -type f -exec cksum {} + | sort; }

before=$(sums)
make -s generate
if [ "$before" != "$(sums)" ]; then
	echo "debitdesk: generated code was stale; it is fresh now: look at it and commit it" >&2
	exit 1
fi

unformatted=$(sources -name '*.go' -type f ! -name '*_templ.go' -exec gofmt -l {} +)
if [ -n "$unformatted" ]; then
	printf 'debitdesk: run gofmt on:\n%s\n' "$unformatted" >&2
	exit 1
fi
