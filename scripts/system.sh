#!/bin/sh
# What the tests want from the system beside Python, where this machine lets us have it: a browser for the HTML report
# and a PostgreSQL server for the history. Never fails: without them their tests are skipped, and say why.
have_browser() { command -v chromium >/dev/null 2>&1 && command -v chromedriver >/dev/null 2>&1; }
have_postgres() { ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; }

wanted=""
have_browser || wanted="chromium chromium-driver"
have_postgres || wanted="$wanted postgresql"
[ "$wanted" ] || exit 0

if [ "${HEADSTART_NO_INSTALL:-}" ]; then
    why="HEADSTART_NO_INSTALL is set"
elif ! command -v apt-get >/dev/null 2>&1; then
    why="this system has no apt-get"
elif [ "$(id -u)" -ne 0 ]; then
    why="installing needs root"
else
    echo "Installing for the tests: $wanted"
    log=$(mktemp)
    # Only the programs are wanted; the tests make a server of their own and end it.
    settings=/etc/postgresql-common/createcluster.conf
    [ -e "$settings" ] || { mkdir -p "${settings%/*}" && echo "create_main_cluster = false" >"$settings"; }
    {
        timeout 60 apt-get -qq update
        # shellcheck disable=SC2086  # several words
        DEBIAN_FRONTEND=noninteractive timeout 300 apt-get -qq install -y --no-install-recommends \
            -o Dpkg::Options::=--force-confold $wanted
    } >"$log" 2>&1 </dev/null
    why="apt-get could not install it: $(grep -m 1 '^E:' "$log" || tail -n 1 "$log")"
    rm -f "$log"
fi
have_browser || echo "The browser tests will be skipped: there is no chromium with chromedriver, and $why."
have_postgres || echo "The tests on PostgreSQL will be skipped: it is not here, and $why."
