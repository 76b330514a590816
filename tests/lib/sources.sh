# SPDX-License-Identifier: GPL-2.0-only
# sources	which sources these are, on one line: what they were tested with before is worth nothing for others
sources() {
	echo "sources $( (git rev-parse HEAD && git diff HEAD) 2>/dev/null | cksum)"
}
