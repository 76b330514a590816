# SPDX-License-Identifier: GPL-2.0-only
# Real programs with a fixed amount of work, about 1 to 2 s of CPU time each, and the data that they work on. For
# tests/peer/programs.sh, which sourced live.sh.
#
#	programs_data			generates the data in $DATA; the same in each run
#	programs_list			prints the names of the programs
#	programs_package NAME		prints the Debian package of a program, and its version; fails without it
#	programs_command NAME		prints the command, to be run by sh in $DATA

DATA=$TMP/data
# The programs of Debian, not others of the same name.
PROGRAMS_PATH=/usr/bin:/bin

# name and command of each program
programs_table() {
	cat <<'END'
gzip	gzip -6c text
bzip2	bzip2 -c text
xz	xz -1c --threads=1 text
zstd	zstd -q -10 -c text
sort	LC_ALL=C.UTF-8 sort --parallel=1 -k 4 text changed text
mawk	mawk -f work.awk text text changed
sqlite3	sqlite3 :memory: <work.sql
gcc	gcc -O2 -S -o /dev/null work.c
python3	python3 work.py
perl	perl work.pl
node	node --perf-basic-prof --interpreted-frames-native-stack work.js
openssl	openssl enc -aes-256-cbc -pbkdf2 -iter 1500000 -pass pass:x -in text
git	git diff --no-index --stat long longer || [ $? -eq 1 ]
jq	jq -c -f work.jq work.json
bash	bash work.bash
go	HOME=. go tool compile -c 1 -p main -o work.o work.go
END
}

programs_list() {
	programs_table | cut -f 1
}

programs_package() {
	package_of=$(PATH=$PROGRAMS_PATH command -v "$1") && package_of=$(realpath "$package_of") || return
	# The database of dpkg may have the path from before /bin was merged into /usr/bin.
	dpkg -S "$package_of" "${package_of#/usr}" 2>/dev/null | sed 's/: .*//; q' |
		xargs dpkg-query -W -f '${Package} ${Version}\n'
}

programs_command() {
	programs_table | awk -F '\t' -v name="$1" '$1 == name { print $2 }'
}

# Numbers that look random, and words made of them
data_text() {
	awk 'BEGIN {
		x = 1
		for (i = 0; i < 300000; i++) {
			x = (x * 16807) % 2147483647
			print i, x, x % 977, "word" x % 3571, "line" i % 101
		}
	}'
}

# data_functions NUMBER FORMAT: that many functions in a language; the format has four places for numbers
data_functions() {
	awk -v nr="$1" -v format="$2" 'BEGIN { for (i = 1; i <= nr; i++) printf format, i, i % 13 + 1, i % 7 + 2, i }'
}

data_sources() {
	data_functions 150 'int f%d(int *a, int n)\n{\n\tint s = 0;\n
	for (int i = 0; i < n; i++) {\n\t\ts += a[i] * %d;\n\t\tif (s %% %d == 0)\n\t\t\ta[i] = s ^ %d;
		switch (s & 7) {\n\t\tcase 1: s += i; break;\n\t\tcase 3: s ^= n; break;
		case 5: s -= a[0]; break;\n\t\t}\n\t}\n\treturn s;\n}\n' >work.c
	{
		echo 'package main'
		for name in f g h; do
			data_functions 500 "func $name%d(a []int, m map[string]int) int {\n\ts := 0
				for i, v := range a {\n\t\ts += v * %d\n\t\tif s%%%d == 0 {\n\t\t\ta[i] = s ^ %d\n\t\t}
				m[string(rune(s))] += i\n\t}\n\treturn s\n}\n"
		done
		echo 'func main() {}'
	} >work.go
	awk 'NR <= 40000 { printf "%s{\"id\":%d,\"name\":\"%s\"}", NR == 1 ? "[" : ",\n", $2, $4 }
		END { print "]" }' text >work.json
}

data_scripts() {
	cat >work.awk <<'END'
{ for (i = 1; i <= NF; i++) n[$i % 5000]++; s += n[$3 % 5000] }
END
	cat >work.jq <<'END'
[.[] | {a: (.id * 7 % 1000), b: (.name | ascii_upcase)}] | group_by(.a) | map(length)
END
	cat >work.sql <<'END'
CREATE TABLE t(a INTEGER, b TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400000)
	INSERT INTO t SELECT i * 16807 % 65537, 'word' || i % 3571 FROM n;
CREATE INDEX i ON t(b, a);
SELECT b, count(*), sum(a), max(a) FROM t GROUP BY b ORDER BY 3 DESC LIMIT 5;
SELECT count(*) FROM t x JOIN t y ON x.a = y.a AND x.b = y.b;
END
	cat >work.py <<'END'
def collatz(n):
    length = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        length += 1
    return length

words = {}
for i in range(1, 90000):
    words[str(collatz(i))] = words.get(str(collatz(i) % 97), 0) + 1
print(sorted(words.items())[:5])
END
	cat >work.pl <<'END'
my %count;
for my $i (1 .. 2500000) {
	my $word = "word" . $i * 16807 % 3571;
	$count{$word}++ if $word =~ /^w.*[0-4]$/;
}
print join(" ", (sort keys %count)[0 .. 4]), "\n";
END
	cat >work.js <<'END'
function grow(n) { return n < 2 ? [n] : [grow(n - 1), n, grow(n - 2)]; }
function sum(t) { return t.reduce((s, x) => s + (Array.isArray(x) ? sum(x) : x), 0); }
let all = 0;
for (let i = 0; i < 250; i++)
	all += sum(grow(20)) + JSON.stringify(grow(18)).length;
console.log(all);
END
	cat >work.bash <<'END'
declare -A n
for ((i = 0; i < 150000; i++)); do
	word=word$((i * 16807 % 3571))
	[[ $word == *[0-4] ]] && n[$word]=${word/word/x}
done
echo ${#n[@]}
END
}

programs_data() {
	mkdir "$DATA"
	(
		cd "$DATA" || exit
		data_text >text
		awk 'NR % 7 == 0 { $2 = NR } NR % 1000 > 3' text >changed
		cat text changed text changed >long
		cat changed text text changed >longer
		data_sources
		data_scripts
	)
}
