#!/bin/sh
set -e

if [ -d /run/systemd/system ]; then
	systemctl --system daemon-reload >/dev/null || true
fi
case "$1" in
remove)
	deb-systemd-helper mask debitdesk.service >/dev/null 2>&1 || true
	echo "The data of Debitdesk is kept in /var/lib/debitdesk, with the keys that open it."
	;;
purge)
	deb-systemd-helper purge debitdesk.service debitdesk-work.service >/dev/null 2>&1 || true
	deb-systemd-helper unmask debitdesk.service >/dev/null 2>&1 || true
	if [ -d /var/lib/debitdesk ]; then
		echo "The data of Debitdesk is kept in /var/lib/debitdesk, with the keys that open it. Remove it by hand."
	fi
	;;
esac
