if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
fi
if [ "$1" = 0 ]; then
	echo "The data of Debitdesk is kept in /var/lib/debitdesk, with the keys that open it."
fi
