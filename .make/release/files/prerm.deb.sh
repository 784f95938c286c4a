#!/bin/sh
set -e

if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
	deb-systemd-invoke stop debitdesk.service debitdesk-work.service || true
fi
