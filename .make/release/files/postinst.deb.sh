#!/bin/sh
set -e

case "$1" in configure) ;; *) exit 0 ;; esac

if ! getent passwd debitdesk >/dev/null; then
	useradd --system --user-group --home-dir /var/lib/debitdesk --no-create-home --shell /usr/sbin/nologin \
		--comment Debitdesk debitdesk
fi
mkdir -p /var/lib/debitdesk
chown debitdesk:debitdesk /var/lib/debitdesk
chmod 0700 /var/lib/debitdesk
chown root:debitdesk /etc/debitdesk/debitdesk.env
chmod 0640 /etc/debitdesk/debitdesk.env

deb-systemd-helper unmask debitdesk.service >/dev/null || true
if deb-systemd-helper --quiet was-enabled debitdesk.service; then
	deb-systemd-helper enable debitdesk.service >/dev/null || true
else
	deb-systemd-helper update-state debitdesk.service >/dev/null || true
fi
if [ -d /run/systemd/system ]; then
	systemctl --system daemon-reload >/dev/null || true
	if [ -z "$2" ]; then
		deb-systemd-invoke start debitdesk.service || true
	else
		deb-systemd-invoke try-restart debitdesk.service debitdesk-work.service || true
	fi
fi

if [ -z "$2" ]; then
	cat <<'TEXT'
Debitdesk is installed. Its settings are in /etc/debitdesk/debitdesk.env, its data in /var/lib/debitdesk.
The first business and its admin: open the link that this prints, as root:
  debitdeskctl user first
Then run: debitdeskctl doctor
TEXT
fi
