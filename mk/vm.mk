# SPDX-License-Identifier: GPL-2.0-only
# Builds the programs for the guests of tests/vm: workloads, filters of the tests, and statically linked tests in C.
# `make vm` starts an interactive guest, with copies of FILES in its directory /files.

GUEST_TESTS	:= $(patsubst tests/vm/kmod/%.c,$(O)/guest/%,$(wildcard tests/vm/kmod/*.c))
GUEST_PROGRAMS	:= $(patsubst tests/workload/%.c,%,$(wildcard tests/workload/*.c))
GUEST_WORKLOADS	:= $(GUEST_PROGRAMS:%=$(O)/workload/%) \
		   $(patsubst %,$(O)/workload/omit_fp/%,$(filter $(GUEST_PROGRAMS),$(OMIT_FP))) \
		   $(I386:%=$(O)/workload/i386/%)
# Clients of the library.
GUEST_CLIENTS	:= $(patsubst tests/vm/programs/%.c,$(O)/guest/%,$(wildcard tests/vm/programs/*.c))
GUEST_FILTERS	:= $(patsubst tests/live/filters/%.c,$(O)/guest/filters/%.o,$(wildcard tests/live/filters/*.bpf.c))

# The kernels of `make check`. Kernels whose name is not a version have targets of their own.
GUEST_KERNELS	:= $(shell awk '$$3 ~ /^[0-9]/ { print $$3 "-" $$2 }' tests/vm/machine/machines | sort -u)

.PHONY: guest guest-filters guest-fetch $(GUEST_KERNELS:%=fetch-%) vm
guest-fetch: $(GUEST_KERNELS:%=fetch-%)
$(GUEST_KERNELS:%=fetch-%): fetch-%:
	$(call say,FETCH,$*)TPROF_BUILD=$(O) tests/vm/machine/fetch.sh $*

guest: $(GUEST_TESTS) $(GUEST_WORKLOADS) $(GUEST_CLIENTS) $(O)/guest/steady
guest-filters: $(GUEST_FILTERS)

vm:
	@sh mk/setup.sh vm
	@TPROF_BUILD=$(O) tests/vm/machine/shell.sh $(or $(MACHINE),$(if $(filter arm64,$(ARCH)),arm64,x86-64)) $(FILES)

guest_cc = $(CC) -std=gnu11 $(WARN) -D_GNU_SOURCE -Iinclude -Itests/vm/include -I$(O)/guest/include -O2 -g \
	   -static -pthread -MMD -MP -MF $@.d -MT $@ $< -o $@

$(O)/guest/%: tests/vm/kmod/%.c $(O)/flags | $(O)/guest/include/tprof/uapi
	$(call say,CC,$@)$(guest_cc)

$(O)/guest/%: tests/vm/programs/%.c $(LIB_A) $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) -std=gnu11 $(WARN) -D_GNU_SOURCE -Iinclude -Ilibtprof -O2 -g -MMD -MP -MF $@.d -MT $@ \
		$(ALL_LDFLAGS) $< $(LIB_A) $(CLI_STATIC) -o $@ 2>/dev/null || \
		$(CC) -std=gnu11 -D_GNU_SOURCE -Iinclude -Ilibtprof -O2 -g $(ALL_LDFLAGS) $< $(LIB_A) $(LIB_LIBS) \
			-lm -o $@

$(O)/guest/steady: tests/vm/machine/steady.c $(O)/flags | $(O)/guest/include/tprof/uapi
	$(call say,CC,$@)$(guest_cc)

# The path of the installed headers, which examples use.
$(O)/guest/include/tprof/uapi:
	@mkdir -p $(@D)
	@ln -sfn $(CURDIR)/include/uapi $@

$(O)/guest/filters/%.bpf.o: tests/live/filters/%.bpf.c
	@mkdir -p $(@D)
	$(call say,CLANG,$@)$(CLANG) $(BPF_CFLAGS) -MMD -MP -c $< -o $@

-include $(GUEST_TESTS:=.d) $(O)/guest/steady.d $(GUEST_FILTERS:.o=.d)
