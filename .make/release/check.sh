#!/bin/sh
# Builds a release from two copies of the tree in two folders and compares every byte; then asks the checkers that are
# installed: lintian, rpmlint, systemd-analyze, helm. What is not installed is named and left out.
set -eu
cd "$(dirname "$0")/../.."
top=$PWD
say() { echo "release-check: $*"; }
have() { command -v "$1" >/dev/null 2>&1 || { say "goes without $1, which is not installed"; return 1; }; }

bin/release -tree . -dist dist
other=$(mktemp -d)
trap 'rm -rf "$other"' EXIT
git worktree list >/dev/null 2>&1 || { say "is for a git checkout"; exit 1; }
git ls-files -z | tar --null -T - -cf - | tar -C "$other" -xf -
VERSION=$(ls dist | sed -n 's/^debitdesk_\(.*\)_linux_amd64\.deb$/\1/p')
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export VERSION SOURCE_DATE_EPOCH
DEBITDESK_COMMIT=$(git rev-parse HEAD) bin/release -tree "$other" -dist "$other/dist"
diff -r dist "$other/dist" || { say "two builds differ"; exit 1; }
say "two builds in two folders are the same"
(cd dist && sha256sum --quiet -c SHA256SUMS)

wrong=0
for unit in debitdesk debitdesk-work; do
	if have systemd-analyze; then
		if ! systemd-analyze security --offline=yes --no-pager --threshold=20 ".make/release/files/$unit.service" >"$other/said" 2>&1; then
			cat "$other/said" && wrong=1
		fi
		tail -1 "$other/said"
	fi
done
if have lintian; then lintian --allow-root --fail-on error dist/*.deb || wrong=1; fi
if have rpmlint; then
	rpmlint --config .make/release/files/rpmlint.toml dist/*.rpm >"$other/said" 2>&1 || wrong=1
	cat "$other/said"
fi
if have helm; then helm lint dist/helm/*.tgz --set baseURL=https://desk.example || wrong=1; fi
cd "$top"
[ $wrong = 0 ] || { say "found errors"; exit 1; }
