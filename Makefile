# SPDX-License-Identifier: GPL-2.0-only
# Builds tprof with GNU make, without a configure step. All built files are below $(O). `make help` lists the targets.

VERSION	:= $(shell cat VERSION)
ABI	:= 1
PREFIX	?= /usr/local
SAN	?=

comma	:= ,
O	?= build$(if $(SAN),/san-$(subst $(comma),-,$(SAN)))

.PHONY: all
all: lib cli filters

# The targets that build everything use all CPUs, unless make was called with -j.
PARALLEL = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

include mk/build.mk
include mk/kmod.mk
include mk/vm.mk
include mk/man.mk
include mk/install.mk
include mk/test.mk

.PHONY: setup demo clean help

setup:
	@sh mk/setup.sh all

demo:
	@sh mk/setup.sh build
	@$(MAKE) --no-print-directory $(PARALLEL) all $(O)/workload/spin
	@sh mk/demo.sh $(O)

clean:
	rm -rf $(O)

help:
	@sed 's/^\t//' mk/help.txt
