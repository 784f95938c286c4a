if ! getent passwd debitdesk >/dev/null; then
	useradd --system --user-group --home-dir /var/lib/debitdesk --no-create-home --shell /usr/sbin/nologin \
		--comment Debitdesk debitdesk || exit 1
fi
mkdir -p /var/lib/debitdesk
chown debitdesk:debitdesk /var/lib/debitdesk
chmod 0700 /var/lib/debitdesk
chown root:debitdesk /etc/debitdesk/debitdesk.env
chmod 0640 /etc/debitdesk/debitdesk.env
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
	if [ "$1" = 1 ]; then
		systemctl preset debitdesk.service || true
	else
		systemctl try-restart debitdesk.service debitdesk-work.service || true
	fi
fi
if [ "$1" = 1 ]; then
	cat <<'TEXT'
Debitdesk is installed. Its settings are in /etc/debitdesk/debitdesk.env, its data in /var/lib/debitdesk.
Start it: systemctl enable --now debitdesk
The first business and its admin: open the link that this prints, as root:
  debitdeskctl user first
Then run: debitdeskctl doctor
TEXT
fi
