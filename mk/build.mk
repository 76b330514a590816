# SPDX-License-Identifier: GPL-2.0-only
# Builds the library, the program, the filters, the unit tests and the workloads; wildcards find their sources.

CLANG		?= clang
PROTOC_C	?= protoc-c
PKG_CONFIG	?= pkg-config
RUSTC		?= rustc
CFLAGS		?= -O2 -g
CXXFLAGS	?= $(CFLAGS)

ifeq ($(V),1)
say	=
Q	=
else
say	= @printf '  %-7s %s\n' $(1) $(patsubst $(CURDIR)/%,%,$(2));
Q	= @
endif

# pkg-config runs once, at the first use of the variable, so that setup, help and clean work without the libraries.
probe	= $(eval $(1) := $(or $(shell $(PKG_CONFIG) $(2)),$(error a library is missing: sudo make setup)))$($(1))
PKG_LIBS	= $(call probe,PKG_LIBS,--libs libbpf libdw libelf liblzma jansson libprotobuf-c zlib libzstd)
LIB_LIBS	= $(PKG_LIBS) -liberty
CLI_LIBS	= $(call probe,CLI_LIBS,--libs ncursesw)
UNIT_LIBS	= $(call probe,UNIT_LIBS,--libs cmocka)
# The program is linked with archives, except those of elfutils, which are incomplete in 0.192, and its dependencies.
CLI_DYNAMIC	= -ldw -lelf -llzma -lz
CLI_STATIC	= -Wl,-Bstatic $(filter-out $(CLI_DYNAMIC),$(LIB_LIBS) $(CLI_LIBS)) -Wl,-Bdynamic $(CLI_DYNAMIC) -lm

WARN	:= -Wall -Wextra -Wshadow -Wstrict-prototypes
DEFS	:= -D_GNU_SOURCE -DTPROF_VERSION='"$(VERSION)"' -DTPROF_FILTER_DIR='"$(PREFIX)/lib/tprof/filters"'
ALL_CFLAGS = -std=gnu11 $(WARN) $(DEFS) -Iinclude -Ilibtprof -I$(O)/gen/libtprof -fPIC -fvisibility=hidden \
	     $(SAN:%=-fsanitize=% -fno-sanitize-recover=all -fno-omit-frame-pointer) $(CFLAGS) $(CPPFLAGS)
ALL_LDFLAGS = $(SAN:%=-fsanitize=%) -Wl,--as-needed $(LDFLAGS)
# Filters are built with the defaults of the compiler, like the documented command for filter authors.
BPF_CFLAGS := -g -O2 --target=bpf -Wall -Werror -Iinclude -Ibpf/include
# Profiles of the workloads must have their functions: frame pointers, no sibling calls, no sanitizers.
WORKLOAD_CFLAGS := -O2 -g -Wall -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
		   -fno-optimize-sibling-calls -pthread
# The same without frame pointers, as distributions build programs.
OMIT_FP_CFLAGS := -O2 -g -Wall -fomit-frame-pointer -fno-optimize-sibling-calls -pthread
OMIT_FP := calls frames spin spin_cxx throws
# 32-bit programs of x86 without a C library, because 32-bit libraries are usually not installed.
I386_CFLAGS := -m32 -O2 -Wall -fomit-frame-pointer -fno-optimize-sibling-calls -ffreestanding -fno-pic -no-pie \
	       -static -nostdlib
I386 := $(if $(filter x86_64-%,$(shell $(CC) -dumpmachine)),$(basename $(notdir $(wildcard tests/workload/i386/*.c))))

LIB_SRC		:= $(wildcard libtprof/*.c libtprof/*/*.c)
# The public headers; the other headers in libtprof/ are private.
PUBLIC_H	:= $(sort $(wildcard libtprof/tprof*.h))
PROTO_SRC	:= $(wildcard libtprof/*.proto libtprof/*/*.proto)
CLI_SRC		:= $(wildcard cli/*.c cli/*/*.c)
FILTER_SRC	:= $(wildcard bpf/filters/*.bpf.c)
UNIT_SRC	:= $(wildcard tests/unit/test_*.c tests/unit/*/test_*.c)
WORKLOAD_SRC	:= $(wildcard tests/workload/*.c tests/workload/*.cc tests/workload/*.rs)

PROTO_H		:= $(PROTO_SRC:%.proto=$(O)/gen/%.pb-c.h)
LIB_OBJ		:= $(LIB_SRC:%.c=$(O)/obj/%.o) $(PROTO_SRC:%.proto=$(O)/obj/%.pb-c.o)
CLI_OBJ		:= $(CLI_SRC:%.c=$(O)/obj/%.o)
FILTERS		:= $(FILTER_SRC:bpf/filters/%.c=$(O)/filters/%.o)
MAKE_PROFILE	:= $(O)/cli/make_profile
UNIT_TESTS	:= $(UNIT_SRC:tests/unit/%.c=$(O)/unit/%)
WORKLOADS	:= $(patsubst tests/workload/%,$(O)/workload/%,$(basename $(WORKLOAD_SRC))) \
		   $(OMIT_FP:%=$(O)/workload/omit_fp/%) $(I386:%=$(O)/workload/i386/%)

LIB_A	:= $(O)/libtprof.a
LIB_SO	:= $(O)/libtprof.so.$(ABI)

.PHONY: lib cli filters unit workload abi FORCE
lib: $(LIB_A) $(LIB_SO) $(O)/libtprof.so
cli: $(if $(CLI_SRC),$(O)/tprof)
filters: $(FILTERS)
unit: $(UNIT_TESTS) $(MAKE_PROFILE) $(O)/guest/filters/wake_members.bpf.o
workload: $(WORKLOADS)

# Writes the baseline with which tests/build/abi.sh compares the library.
abi: lib
	sh mk/abi.sh $(LIB_SO) libtprof/libtprof.abi

# The file is rewritten only if the flags have changed; then everything that depends on it is rebuilt.
$(O)/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS))' >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(O)/obj/%.o: %.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

# The generated code for pprof files; the order-only dependency below builds it before the library.
$(O)/gen/%.pb-c.c $(O)/gen/%.pb-c.h: %.proto
	@mkdir -p $(@D)
	$(call say,PROTOC,$(O)/gen/$*.pb-c.c)$(PROTOC_C) --proto_path=$(<D) --c_out=$(@D) $<

$(O)/obj/%.pb-c.o: $(O)/gen/%.pb-c.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

# The system calls of the architecture, as X(name) lines.
SYSCALLS	:= $(O)/gen/libtprof/host/syscalls.inc
$(SYSCALLS): $(O)/flags
	@mkdir -p $(@D)
	$(call say,GEN,$@)echo '#include <asm/unistd.h>' | $(CC) -E -dM - >$@.all && \
		sed -n 's/^#define __NR_\([a-z][a-z0-9_]*\) .*/X(\1)/p' $@.all | grep -v -x 'X(syscalls)' | \
		LC_ALL=C sort >$@ && rm $@.all

$(LIB_OBJ): | $(PROTO_H) $(SYSCALLS)

$(O)/obj/libtprof/host/syscall_name.o: private ALL_CFLAGS += -I$(dir $(SYSCALLS))

$(CLI_OBJ): private ALL_CFLAGS += -Icli

# The page of tprof flame is embedded in the program.
$(O)/obj/cli/flame/flame_page.o: $(filter-out %.c %.h,$(wildcard cli/flame/*))

$(LIB_A): $(LIB_OBJ)
	@rm -f $@
	$(call say,AR,$@)$(AR) rcs $@ $^

$(LIB_SO): $(LIB_OBJ) libtprof/libtprof.map
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,-z,defs \
		-Wl,--version-script=libtprof/libtprof.map $(LIB_OBJ) $(LIB_LIBS) -o $@

$(O)/libtprof.so: $(LIB_SO)
	$(Q)ln -sf $(<F) $@

# Linked with archives, the program starts faster, with fewer symbols to resolve. Without archives, shared libraries.
$(O)/tprof: $(CLI_OBJ) $(LIB_A)
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) $^ $(CLI_STATIC) -o $@ 2>/dev/null || \
		$(CC) $(ALL_LDFLAGS) $^ $(LIB_LIBS) $(CLI_LIBS) -lm -o $@

$(O)/filters/%.bpf.o: bpf/filters/%.bpf.c
	@mkdir -p $(@D)
	$(call say,CLANG,$@)$(CLANG) $(BPF_CFLAGS) -MMD -MP -c $< -o $@

$(O)/unit/%: tests/unit/%.c $(LIB_A)
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(ALL_CFLAGS) -Itests/unit $(ALL_LDFLAGS) -MMD -MF $@.d -MT $@ -MP \
		$< $(LIB_A) $(LIB_LIBS) $(UNIT_LIBS) -lm -o $@

$(O)/unit/cli/%: private ALL_CFLAGS += -Icli

# This test calls functions of the filter headers.
$(O)/unit/filter/test_bucket: private ALL_CFLAGS += -Ibpf/include

# This test makes its allocations, and those of the library, fail.
$(O)/unit/session/test_collect_raw: private ALL_LDFLAGS += \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray

# This test makes allocations of the library fail.
$(O)/unit/format/test_export_hist: private ALL_LDFLAGS += -Wl,--wrap=calloc

# These tests count allocations, lookups, and how often a string is hashed.
$(O)/unit/format/test_raw_recent: private ALL_LDFLAGS += -Wl,--wrap=raw_numbers_find
$(O)/unit/base/test_arena: private ALL_LDFLAGS += -Wl,--wrap=malloc
$(O)/unit/base/test_intern: private ALL_LDFLAGS += -Wl,--wrap=hash_text

$(MAKE_PROFILE): tests/cli/make_profile.c $(LIB_A)
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(ALL_CFLAGS) -Itests/unit $(ALL_LDFLAGS) -MMD -MF $@.d -MT $@ -MP \
		$< $(LIB_A) $(LIB_LIBS) -o $@

$(O)/workload/omit_fp/%: tests/workload/%.c
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(OMIT_FP_CFLAGS) -D_GNU_SOURCE -MMD -MP -MF $@.d -MT $@ $< -o $@

$(O)/workload/omit_fp/%: tests/workload/%.cc
	@mkdir -p $(@D)
	$(call say,CXX,$@)$(CXX) $(OMIT_FP_CFLAGS) $< -o $@

$(O)/workload/i386/%: tests/workload/i386/%.c
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(I386_CFLAGS) $< -o $@

# It writes to the ledger of a filter.
$(O)/workload/unseen: private WORKLOAD_CFLAGS += -Iinclude

$(O)/workload/%: tests/workload/%.c
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(WORKLOAD_CFLAGS) -D_GNU_SOURCE -MMD -MP -MF $@.d -MT $@ $< -o $@

$(O)/workload/%: tests/workload/%.cc
	@mkdir -p $(@D)
	$(call say,CXX,$@)$(CXX) $(WORKLOAD_CFLAGS) $< -o $@

$(O)/workload/%: tests/workload/%.rs
	@mkdir -p $(@D)
	$(call say,RUSTC,$@)env -u MAKEFLAGS -u MFLAGS $(RUSTC) -O -g -C force-frame-pointers=yes $< -o $@

-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(FILTERS:.o=.d) $(UNIT_TESTS:=.d) $(WORKLOADS:=.d) $(MAKE_PROFILE).d
