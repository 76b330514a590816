# SPDX-License-Identifier: GPL-2.0-only
# What the guests of tests/vm run besides tprof: workloads, and tests in C, linked statically.

GUEST_TESTS	:= $(patsubst tests/vm/kmod/%.c,$(O)/guest/%,$(wildcard tests/vm/kmod/*.c))
GUEST_WORKLOADS	:= $(patsubst tests/workload/%.c,$(O)/workload/%,$(wildcard tests/workload/*.c))

.PHONY: guest
guest: $(GUEST_TESTS) $(GUEST_WORKLOADS)

$(O)/guest/%: tests/vm/kmod/%.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) -std=gnu11 $(WARN) -D_GNU_SOURCE -Iinclude -Itests/vm -O2 -g -static -pthread \
		-MMD -MP -MF $@.d -MT $@ $< -o $@

-include $(GUEST_TESTS:=.d)
