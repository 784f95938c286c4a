if [ "$1" = 0 ] && [ -d /run/systemd/system ]; then
	systemctl disable --now debitdesk.service debitdesk-work.service || true
fi
