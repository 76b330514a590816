# SPDX-License-Identifier: GPL-2.0-only
# tprof: GNU make only, no configure step. Everything built is in $(O). `make help` lists the targets.

VERSION	:= $(shell cat VERSION)
ABI	:= 1
PREFIX	?= /usr/local
SAN	?=

comma	:= ,
O	?= build$(if $(SAN),/san-$(subst $(comma),-,$(SAN)))

.PHONY: all
all: lib cli filters

# For the targets that do everything: all CPUs, unless make was told otherwise.
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
