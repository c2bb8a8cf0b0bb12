#!/bin/sh
# A browser for the tests of the HTML report, where this machine lets us have one. Never fails: without a browser
# these tests are skipped, and say why.
have() { command -v chromium >/dev/null 2>&1 && command -v chromedriver >/dev/null 2>&1; }

have && exit 0
if [ "${HEADSTART_NO_INSTALL:-}" ]; then
    why="HEADSTART_NO_INSTALL is set"
elif ! command -v apt-get >/dev/null 2>&1; then
    why="this system has no apt-get"
elif [ "$(id -u)" -ne 0 ]; then
    why="installing it needs root"
else
    echo "Installing chromium and its driver, for the tests of the HTML report"
    log=$(mktemp)
    {
        timeout 60 apt-get -qq update
        DEBIAN_FRONTEND=noninteractive timeout 300 apt-get -qq install -y --no-install-recommends chromium chromium-driver
    } >"$log" 2>&1 </dev/null
    have && { rm -f "$log"; exit 0; }
    why="apt-get could not install it: $(grep -m 1 '^E:' "$log" || tail -n 1 "$log")"
    rm -f "$log"
fi
echo "The browser tests will be skipped: there is no chromium with chromedriver, and $why."
