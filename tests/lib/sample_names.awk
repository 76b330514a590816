# SPDX-License-Identifier: GPL-2.0-only
# Gives samples of perf (perf_samples.awk) the names that tprof would give them: `[object+0xaddress]` for code without a
# symbol, with its offset in the file; that of a leaf is where its function begins. The first input has lines
#
#	bias FILE NUMBER
#	function FILE FIRST LAST	sorted by FILE and number of digits, then address
#
# and the second the samples. Prints the leaf and the root.
BEGIN { FS = "\t" }

NR == FNR {
	if ($1 == "bias")
		bias[$2] = $3
	else
		first[$2, nr[$2]++] = $3 "\t" $4
	next
}
{ print leaf($1, $2, $3) "\t" root($4, $5, $6) }

function hex(text,  i, n) {
	for (i = 1; i <= length(text); i++)
		n = n * 16 + index("123456789abcdef", substr(text, i, 1))
	return n + 0
}

function short(object) {
	sub(/^.*\//, "", object)
	return object
}

function root(name, object, address) {
	if (name != "[unknown]" || object !~ /^\//)
		return name
	return sprintf("[%s+0x%s]", short(object), address)
}

# The function is the last one that does not begin after the address.
function leaf(name, object, address,  at, low, high, middle, range) {
	if (name != "[unknown]" || !nr[object])
		return root(name, object, address)
	at = hex(address) + bias[object]
	low = 0
	high = nr[object]
	while (high - low > 1) {
		middle = int((low + high) / 2)
		split(first[object, middle], range, "\t")
		if (hex(range[1]) <= at)
			low = middle
		else
			high = middle
	}
	split(first[object, low], range, "\t")
	if (at < hex(range[1]) || at >= hex(range[2]))
		return root(name, object, address)
	return sprintf("[%s+0x%x]", short(object), hex(range[1]) - bias[object])
}
