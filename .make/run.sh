#!/bin/sh
# Serves the product to try it: on the sandbox bank, or with "files" on a simulated bank that
# exchanges ISO 20022 files with it and follows its clock. The two have data of their own.
set -eu
case "${1:-sandbox}" in
sandbox) exec bin/debitdesk serve --demo ;;
files) ;;
*)
	echo "BANK=$1 is neither sandbox nor files" >&2
	exit 2
	;;
esac
export DEBITDESK_DATA="${DEBITDESK_DATA:-data/files}"
dir="$DEBITDESK_DATA/bank"
mkdir -p "$DEBITDESK_DATA"
[ -e "$dir/profile.json" ] || bin/debitdesk bank check "$dir" --init simulator
export DEBITDESK_BANK="files:$dir"
# The bank begins when the product has shown it the time, and ends with the product.
(
	until [ -e "$dir/clock" ]; do sleep 1; done
	exec bin/debitdesk simulate bank "$dir" --clock "$dir/clock"
) &
bank=$!
trap 'kill "$bank" 2>/dev/null || true' EXIT
trap 'exit 0' INT TERM
bin/debitdesk serve --demo
