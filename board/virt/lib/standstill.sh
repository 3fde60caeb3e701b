# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Whether this machine itself stood still: what failed meanwhile is no verdict, and is run once more. A guest's clock has
# gone on, and so has that of a test with a time limit.

# stood_still FILE [SINCE]: says for how long it did at the longest, by what stall-watch has written down there, since so
# many milliseconds of its clock; nothing where a test can bear it.
stood_still() {
    sed -n 's/.*"fromMicroseconds": \([0-9]*\), "untilMicroseconds": \([0-9]*\).*/\1 \2/p' "$1" |
        awk -v since="${2:-0}" -v bearable=400 '
            $2 > since * 1000 && $2 - $1 > most { most = $2 - $1 }
            END { if (most >= bearable * 1000) printf "this machine stood still for %d ms", most / 1000 }'
}
