# SPDX-License-Identifier: GPL-2.0-only
# Man pages of the library, from the comments of its header.

MAN3	:= $(O)/man/man3

.PHONY: man
man: $(MAN3)/libtprof.3

# The day of the header, or the one that builders of packages ask for.
$(MAN3)/libtprof.3: libtprof/tprof.h mk/man3.awk
	$(call say,MAN,$(@D))rm -rf $(@D) && mkdir -p $(@D)
	$(Q)awk -v out=$(@D) -v date="$$(LC_ALL=C date -u '+%B %-d, %Y' \
		-d "@$${SOURCE_DATE_EPOCH:-$$(stat -c %Y $<)}")" -f mk/man3.awk $<

.PHONY: picture
picture: all workload
	$(Q)sh mk/picture.sh $(O) docs/tprof-top.svg
