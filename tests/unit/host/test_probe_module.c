// SPDX-License-Identifier: GPL-2.0-only
/* The reasons why the kernel module cannot be used, each with its fix. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "host/probe_module.h"

/* A machine on which the module works. */
static struct module_facts works(void)
{
	struct module_facts facts = {
		.release = "6.12.99-amd64",
		.kernel_has_modules = true,
		.installed = true,
		.is_signed = true,
		.loaded = true,
		.has_btf = true,
		.info = { .abi = TPROF_ABI_VERSION, .features = KMOD_FEATURES_NEEDED, .version = "1.2.3" },
	};

	return facts;
}

static struct module_facts not_loaded(void)
{
	struct module_facts facts = works();

	facts.loaded = facts.has_btf = false;
	facts.device_err = -ENOENT;
	return facts;
}

static void expect(const struct module_facts *facts, int err, const char *text, const char *mend)
{
	struct finding finding = { 0 };

	module_judge(facts, &finding);
	assert_int_equal(finding.ok, err == 0);
	assert_int_equal(finding.err, err);
	if (!strstr(finding.text, text) || (mend ? !strstr(finding.mend, mend) : finding.mend[0]))
		fail_msg("'%s', '%s': wanted '%s', '%s'", finding.text, finding.mend, text, mend ? mend : "");
}

static void expect_hint(const struct module_facts *facts, const char *hint)
{
	struct finding finding = { 0 };
	struct tprof_error error = { 0 };

	module_judge(facts, &finding);
	finding_advise(&finding, &error);
	assert_string_equal(error.hint, hint);
}

static void it_runs(void **state)
{
	struct module_facts facts = works();

	(void)state;
	expect(&facts, 0, "version 1.2.3", NULL);
	/* A loaded module was signed, whatever file is installed now. */
	facts.only_signed = true;
	facts.is_signed = facts.installed = false;
	expect(&facts, 0, "version 1.2.3", NULL);
}

static void it_is_absent(void **state)
{
	struct module_facts facts = not_loaded();

	(void)state;
	expect(&facts, EOPNOTSUPP, "not loaded", "modprobe tprof");
	expect_hint(&facts, "sudo modprobe tprof; --engine perf works without the module");
	facts.installed = false;
	expect(&facts, EOPNOTSUPP, "not built for this kernel (6.12.99-amd64)", "make install-kmod");
	expect_hint(&facts, "sudo make install-kmod && sudo modprobe tprof; --engine perf works without the module");
}

/* Commands that load the module are not recommended if they would fail, or would not help. */
static void it_cannot_be_loaded(void **state)
{
	struct module_facts facts = not_loaded();

	(void)state;
	facts.loading_disabled = true;
	expect(&facts, EOPNOTSUPP, "until the next boot (kernel.modules_disabled)", NULL);
	expect_hint(&facts, "--engine perf works without the module; /etc/modules-load.d/ names the modules to load at "
		    "boot");
	facts.kernel_has_modules = false;
	expect(&facts, EOPNOTSUPP, "this kernel cannot load modules", NULL);
	expect_hint(&facts, "--engine perf works without the module");
	facts = not_loaded();
	facts.confidential = facts.only_signed = true;
	expect(&facts, EPERM, "locked down", NULL);
	expect_hint(&facts, "boot with lockdown=integrity");
}

static void it_is_not_signed(void **state)
{
	struct module_facts facts = not_loaded();

	(void)state;
	facts.is_signed = false;
	expect(&facts, EOPNOTSUPP, "not loaded", "modprobe tprof");
	facts.only_signed = true;
	expect(&facts, EPERM, "signed modules only", "mokutil --import");
	facts.is_signed = true;
	expect(&facts, EOPNOTSUPP, "not loaded", "modprobe tprof");
}

static void a_container_lacks_the_device(void **state)
{
	struct module_facts facts = works();

	(void)state;
	facts.device_err = -ENOENT;
	expect(&facts, EOPNOTSUPP, "a container needs access to the host's device", NULL);
}

static void it_refuses(void **state)
{
	struct module_facts facts = works();

	(void)state;
	facts.device_err = -EACCES;
	expect(&facts, EPERM, "may not be opened", NULL);
	facts.confidential = facts.only_signed = true;
	expect(&facts, EPERM, "locked down", NULL);
	facts.device_err = 0;
	expect(&facts, EPERM, "locked down", NULL);
	facts = works();
	facts.device_err = -ENODEV;
	expect(&facts, EOPNOTSUPP, "cannot be opened", NULL);
}

static void it_is_another_version(void **state)
{
	struct module_facts facts = works();

	(void)state;
	facts.check_err = -EPROTO;
	facts.info.abi = 4711;
	expect(&facts, EOPNOTSUPP, "version 4711 of the filter ABI", "modprobe -r tprof");
	facts.info.abi = TPROF_ABI_VERSION;
	facts.info.features = 0;
	expect(&facts, EOPNOTSUPP, "lacks features that this tprof needs", "modprobe -r tprof");
	facts.check_err = -ENOTTY;
	expect(&facts, EOPNOTSUPP, "does not belong to the module", "modprobe -r tprof");
}

static void it_has_no_btf(void **state)
{
	struct module_facts facts = works();

	(void)state;
	facts.has_btf = false;
	expect(&facts, EOPNOTSUPP, "no BTF", "/sys/kernel/btf/vmlinux /lib/modules/6.12.99-amd64/build/");
}

static void the_file_is_found(void **state)
{
	static const char dep[] =
		"kernel/drivers/ktprof.ko: kernel/tprof.ko.d/x.ko\n"
		"kernel/a.ko: updates/tprof.ko\n"
		"updates/tprof.ko.xz: kernel/lib/b.ko\n";
	char path[64];

	(void)state;
	assert_int_equal(module_path(dep, path, sizeof(path)), strlen("updates/tprof.ko.xz"));
	assert_string_equal(path, "updates/tprof.ko.xz");
	assert_int_equal(module_path("updates/dkms/tprof.ko:", path, sizeof(path)), strlen("updates/dkms/tprof.ko"));
	assert_string_equal(path, "updates/dkms/tprof.ko");
	assert_int_equal(module_path("updates/tprof.koala:\nkernel/a.ko: updates/tprof.ko", path, sizeof(path)), 0);
	assert_int_equal(module_path("", path, sizeof(path)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_runs),
		cmocka_unit_test(it_is_absent),
		cmocka_unit_test(it_cannot_be_loaded),
		cmocka_unit_test(it_is_not_signed),
		cmocka_unit_test(a_container_lacks_the_device),
		cmocka_unit_test(it_refuses),
		cmocka_unit_test(it_is_another_version),
		cmocka_unit_test(it_has_no_btf),
		cmocka_unit_test(the_file_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
