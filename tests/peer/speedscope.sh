#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: npm
# speedscope, in a browser, opens an exported profile and shows the same functions and weights as `tprof report`. Debian
# has no package of speedscope: npm downloads it, so `make check-all` runs this test and `make check` does not.
. "${0%/*}/../lib/cli.sh"

for tool in npm chromium; do
	command -v $tool >/dev/null || bail "needs $tool"
done
(cd "$TMP" && npm pack --silent speedscope >archive && tar -xzf "$(cat archive)") 2>"$TMP/log" ||
	bail "npm does not fetch speedscope: $(tail -n 1 "$TMP/log")"
release=$TMP/package/dist/release
# A headless browser requests no animation frames; a timer replaces them.
sed 's#<head>#<head><script>window.requestAnimationFrame = (draw) => setTimeout(draw, 16);</script>#' \
	"$release/index.html" >"$release/driven.html"

# in_ns: converts the times of lines like "39.00µs 4.00ms NAME" to ns
in_ns() {
	awk 'BEGIN { ns["ns"] = 1; ns["µs"] = 1e3; ns["ms"] = 1e6; ns["s"] = 1e9 }
		function time(text,  unit) { unit = text; gsub(/[0-9.]/, "", unit); return text * ns[unit] }
		{
			total = time($1)
			self = time($2)
			sub(/^[^ ]+ [^ ]+ /, "")
			printf "%.0f %.0f %s\n", total, self, $0
		}'
}

# sandwich PROFILE: prints the rows of its table of functions as "TOTAL SELF NAME", in ns, without those of processes
sandwich() {
	"$TPROF" export -i "$TMP/$1.pb.gz" -f speedscope -o "$TMP/$1.json"
	printf 'speedscope.loadFileFromBase64("%s.json", "%s")\n' "$1" "$(base64 -w 0 "$TMP/$1.json")" \
		>"$release/profile.js"
	timeout 120 chromium --headless --no-sandbox --enable-unsafe-swiftshader --use-gl=angle \
		--use-angle=swiftshader --user-data-dir="$TMP/browser" --allow-file-access-from-files \
		--enable-logging=stderr --window-size=1200,2000 --virtual-time-budget=20000 --dump-dom \
		"file://$release/driven.html#localProfilePath=$release/profile.js&view=sandwich" 2>"$TMP/log" |
		tr -d '\n' | sed 's/<tr/\n<tr/g' |
		sed -n '/^<tr/{s/<[^>]*>/ /g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g; p;}' |
		sed -nE 's/^ *([0-9.]+[nµm]?s) \([^)]*\) +([0-9.]+[nµm]?s) \([^)]*\) +(.*[^ ]) *$/\1 \2 \3/p' |
		in_ns | grep -vE ' \([0-9]+\)$' | sort
}

for names in 'small' 'small <b>"&' 'flat'; do
	# shellcheck disable=SC2086 # words
	"$MAKE_PROFILE" $names >"$TMP/profile.pb.gz"
	is "$names: speedscope shows what tprof report says" "$(sandwich profile)" \
		"$("$TPROF" report -i "$TMP/profile.pb.gz" --json |
		jq -r '.rows[] | "\(.total.weight) \(.self.weight) \(.name)"' | sort)"
	is "$names: it complains of nothing" "$(grep CONSOLE "$TMP/log" | grep -iE 'error|uncaught|failed')" ''
done
done_testing
