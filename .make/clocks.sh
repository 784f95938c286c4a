#!/usr/bin/env bash
# Runs tests under shifted clocks: `clocks.sh PACKAGES [date …]`, by default at each month's end of two years, on
# 29 February, at Easter, and at noon of the first of a year. Both clocks move: the one of Go's programs, by a constant that is
# added where package time asks the system, and the one of PostgreSQL, by a small library of ours (clock.c).
set -euo pipefail
cd "$(dirname "$0")/.."

packages=$1
shift
dates=("$@")
if [ ${#dates[@]} = 0 ]; then
	first=$(date +%Y-%m-01)
	for months in $(seq 1 24); do
		dates+=("$(date -d "$first +$months month -1 day" +%Y-%m-%d)T21:58:00Z") # two minutes before midnight in South Africa
	done
	dates+=("2028-02-29T09:00:00Z" "2027-03-26T09:00:00Z" "$(($(date +%Y) + 1))-01-01T10:00:00Z")
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
cc -O2 -shared -fPIC -o "$scratch/clock.so" .make/clock.c -ldl

source=$(go env GOROOT)/src/time/time.go
sed 's/^\tsec, nsec, mono := runtimeNow()$/&\n\tsec += shifted/' "$source" >"$scratch/time.go"
cat >>"$scratch/time.go" <<'GO'

var shifted = func() (seconds int64) {
	text, _ := syscall.Getenv("DEBITDESK_CLOCK_SHIFT")
	for i := 0; i < len(text); i++ {
		seconds = seconds*10 + int64(text[i]-'0')
	}
	return seconds
}()
GO
sed -i '0,/^import (/s//import (\n\t"syscall"/' "$scratch/time.go"
grep -q 'sec += shifted' "$scratch/time.go" || { echo "clocks.sh does not know this version of package time" >&2; exit 1; }
printf '{"Replace":{"%s":"%s"}}\n' "$source" "$scratch/time.go" >"$scratch/overlay.json"

bin/withpg -check # says where it looks
real=$(command -v postgres || true)
for one in /usr/lib/postgresql/*/bin/postgres; do
	if [ -x "$one" ]; then real=$one; fi
done
real=$(dirname "$(readlink -f "$real")")
mkdir "$scratch/bin"
ln -s "$real"/* "$scratch/bin/"
rm "$scratch/bin/postgres"

failed=()
for at in "${dates[@]}"; do
	shift_by=$(($(date -d "$at" +%s) - $(date +%s)))
	if [ "$shift_by" -lt 0 ]; then continue; fi
	echo "== the clock says $at"
	cat >"$scratch/bin/postgres" <<SH
#!/bin/sh
LD_PRELOAD=$scratch/clock.so DEBITDESK_CLOCK_SHIFT=$shift_by exec $real/postgres "\$@"
SH
	chmod 755 "$scratch/bin/postgres"
	# shellcheck disable=SC2086 # several packages
	GOFLAGS="${GOFLAGS-} -overlay=$scratch/overlay.json" DEBITDESK_POSTGRES_BIN=$scratch/bin DEBITDESK_CLOCK_SHIFT=$shift_by \
		bin/withpg go test -vet=off -count=1 -p 3 -parallel 4 -timeout 45m $packages ||
		failed+=("$at")
done
if [ ${#failed[@]} != 0 ]; then
	echo "red under the clocks of: ${failed[*]}" >&2
	exit 1
fi
