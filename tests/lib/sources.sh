# SPDX-License-Identifier: GPL-2.0-only
# sources: prints one line that identifies the sources, the commit and uncommitted changes. Results that were recorded
# with another line are not valid for these sources.
sources() {
	echo "sources $( (git rev-parse HEAD && git diff HEAD) 2>/dev/null | cksum)"
}
