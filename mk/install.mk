# SPDX-License-Identifier: GPL-2.0-only
# Installation below $(DESTDIR)$(PREFIX); uninstall uses the same list of files.

INSTALL	?= install

# A recursive variable, because the manual pages of the library exist only after they are built.
MAN_PAGES	= $(wildcard man/*.[1-9]) $(shell ls $(MAN3)/*.3)
COMPLETION	:= $(wildcard cli/completion.bash)

# DIRECTORY:MODE:FILE
INSTALLED = \
	$(patsubst %,bin:755:%,$(O)/tprof) \
	$(patsubst %,lib:755:%,$(LIB_SO)) \
	$(patsubst %,lib:644:%,$(LIB_A)) \
	$(patsubst %,lib/pkgconfig:644:%,$(O)/libtprof.pc) \
	$(patsubst %,lib/tprof/filters:644:%,$(FILTERS)) \
	$(patsubst %,include/tprof:644:%,$(PUBLIC_H) $(wildcard include/tprof/*.h)) \
	$(patsubst %,include/tprof:644:%,$(wildcard bpf/include/tprof/*.h)) \
	$(patsubst %,include/tprof/uapi:644:%,$(wildcard include/uapi/*.h)) \
	$(foreach page,$(MAN_PAGES),share/man/man$(patsubst .%,%,$(suffix $(page))):644:$(page)) \
	$(patsubst %,share/tprof:644:%,$(wildcard docs/*.schema.json))

mode_of	= $(word 2,$(subst :, ,$(1)))
file_of	= $(word 3,$(subst :, ,$(1)))
target_of = $(DESTDIR)$(PREFIX)/$(word 1,$(subst :, ,$(1)))/$(notdir $(file_of))
LINK	= $(DESTDIR)$(PREFIX)/lib/libtprof.so
COMPLETED = $(DESTDIR)$(PREFIX)/share/bash-completion/completions/tprof

define newline


endef

$(O)/libtprof.pc: libtprof/libtprof.pc.in VERSION $(O)/flags
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' $< >$@

.PHONY: install uninstall
install: all man $(O)/libtprof.pc
	$(foreach item,$(INSTALLED),$(Q)$(INSTALL) -D -m $(call mode_of,$(item)) $(call file_of,$(item)) \
		$(call target_of,$(item))$(newline))
	$(Q)ln -sf $(notdir $(LIB_SO)) $(LINK)
	$(if $(COMPLETION),$(Q)$(INSTALL) -D -m 644 $(COMPLETION) $(COMPLETED))
	$(if $(DESTDIR),,$(Q)[ "$$(id -u)" -ne 0 ] || ldconfig)

# Removes the files, and the directories that belong to tprof alone if they are empty.
uninstall: man
	$(foreach item,$(INSTALLED),$(Q)rm -f $(call target_of,$(item))$(newline))
	$(Q)rm -f $(LINK) $(COMPLETED)
	$(Q)for dir in lib/tprof/filters lib/tprof include/tprof/uapi include/tprof share/tprof; do \
		rmdir $(DESTDIR)$(PREFIX)/$$dir 2>/dev/null || :; done
