# SPDX-License-Identifier: GPL-2.0-only
# Builds the manual pages of the library from the comments of its public headers.

MAN3	:= $(O)/man/man3

.PHONY: man
man: $(MAN3)/libtprof.3

# The date of the pages is that of the newest header, or SOURCE_DATE_EPOCH.
$(MAN3)/libtprof.3: $(PUBLIC_H) mk/man3.awk
	$(call say,MAN,$(@D))rm -rf $(@D) && mkdir -p $(@D)
	$(Q)awk -v out=$(@D) -v date="$$(LC_ALL=C date -u '+%B %-d, %Y' \
		-d "@$${SOURCE_DATE_EPOCH:-$$(stat -c %Y $(PUBLIC_H) | sort -n | tail -n 1)}")" \
		-f mk/man3.awk $(PUBLIC_H)

.PHONY: picture
picture: all workload
	$(Q)sh mk/picture.sh $(O) docs/tprof-top.svg
