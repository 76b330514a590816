#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# flame.sh BUILD: prints a section of BENCHMARKS.md about the page of `tprof flame` with 100,000 call stacks: its size,
# and the time in which a browser draws it. REPEAT sets the number of rounds (5).
set -u

. "${0%/*}/part.sh"
count=100000

command -v chromium >/dev/null || fail 'needs chromium (sudo make setup)'
"$build/cli/make_profile" many $count >"$out/many.pb.gz" || fail 'no profile'

# Reading a pixel waits until the drawing is complete.
cat >"$out/drawn.html" <<'END'
<script>
document.getElementById("canvas").getContext("2d").getImageData(0, 0, 1, 1);
document.body.dataset.drawn = performance.now();
</script>
END

for _ in $(seq "${REPEAT:-5}"); do
	measured "$build/tprof" flame -i "$out/many.pb.gz" -o "$out/many.html" || fail 'no page'
	note made tprof "$(took 3)"
	sed "/^<\/body>/e cat '$out/drawn.html'" "$out/many.html" >"$out/timed.html"
	timeout 120 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$out/browser" \
		--window-size=1200,700 --dump-dom "file://$out/timed.html" 2>"$out/log" |
		grep -o 'data-drawn="[0-9.]*' | cut -d '"' -f 2 >>"$out/drawn.page"
done
[ -s "$out/drawn.page" ] || fail "the page is not drawn: $(tail -n 3 "$out/log")"

cat <<END
## What a flame page costs

\`tprof flame -o FILE.html\` of a profile with $count call stacks, and the page in a browser without a screen, from
opening the file until the boxes are drawn; medians of ${REPEAT:-5} rounds. Making the page takes
$(in_units %.0f 1000 "$(median made tprof)") ms of CPU time.

$GOALS
$(goal 'size, MB' "$(in_units %.1f 1e6 "$(wc -c <"$out/many.html")")" 10)
$(goal 'opened until drawn, ms' "$(in_units %.0f 1 "$(median drawn page)")" 2000)
END
