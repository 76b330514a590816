// SPDX-License-Identifier: GPL-2.0-only
/* Names of single functions: the texts that the kernel prints, and the kernel that runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "symbol/kallsyms.h"
#include "symbol/kernel_names.h"
#include "symbol/ksyms.h"

#define IP 0xffffffff81000210

struct text {
	const char *text;
	const char *name, *object;	/* NULL: it is no name */
	uint64_t start, end;
};

static const struct text texts[] = {
	{ "vfs_read+0x10/0x1a0", "vfs_read", "", IP - 0x10, IP + 0x190 },
	{ "vfs_read+0x0/0x1", "vfs_read", "", IP, IP + 1 },
	{ "ext4_readdir+0x210/0x211 [ext4]", "ext4_readdir", "[ext4]", IP - 0x210, IP + 1 },
	{ "a+b+0x1/0x2", "a+b", "", IP - 1, IP + 1 },
	{ "0xffffffff81000210", NULL, NULL, 0, 0 },
	{ "", NULL, NULL, 0, 0 },
	{ "+0x10/0x1a0", NULL, NULL, 0, 0 },
	{ "vfs_read", NULL, NULL, 0, 0 },
	{ "vfs_read+", NULL, NULL, 0, 0 },
	{ "vfs_read+0x", NULL, NULL, 0, 0 },
	{ "vfs_read+0x10", NULL, NULL, 0, 0 },
	{ "vfs_read+0x10/", NULL, NULL, 0, 0 },
	{ "vfs_read+0x10/0x", NULL, NULL, 0, 0 },
	{ "vfs_read+0x10/1a0", NULL, NULL, 0, 0 },
	{ "vfs_read+0x10/0x10", NULL, NULL, 0, 0 },
	{ "vfs_read+0x10/0x1a0 ", NULL, NULL, 0, 0 },
	{ "vfs_read+0x10/0x1a0 []", NULL, NULL, 0, 0 },
	{ "vfs_read+0x10/0x1a0 [ext4", NULL, NULL, 0, 0 },
	{ "vfs_read+0x10/0x1a0[ext4]", NULL, NULL, 0, 0 },
	{ "vfs_read+0x10/0xffffffffffffffff", NULL, NULL, 0, 0 },
	{ "vfs_read+0x10/0x10000000000000001", NULL, NULL, 0, 0 },
	{ "vfs_read+0xffffffff81000211/0xffffffff81000300", NULL, NULL, 0, 0 },
};

static void test_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const struct text *text = &texts[i];
		size_t length = strlen(text->text);
		char *exact = malloc(length + 1);	/* sanitizers detect reads beyond it */
		struct kernel_name name;

		memcpy(exact, text->text, length);
		if (kernel_names_parse(exact, length, IP, &name) != (text->name != NULL))
			fail_msg("\"%s\"", text->text);
		if (text->name) {
			assert_int_equal(name.name_length, strlen(text->name));
			assert_memory_equal(name.name, text->name, name.name_length);
			assert_int_equal(name.object_length, strlen(text->object));
			if (name.object_length)
				assert_memory_equal(name.object, text->object, name.object_length);
			assert_true(name.start == text->start && name.end == text->end);
		}
		free(exact);
	}
}

/* The functions of the kernel that runs, of every module, and of what BPF has now: some of them. */
#define MAX_FUNCTIONS 5000

struct function {
	uint64_t start;
	bool is_bpf;
};
static struct function functions[MAX_FUNCTIONS];
static size_t nr_functions;

/* Takes every 67th function. */
static void read_functions(void)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	struct kallsyms_line line;
	char text[1024];
	unsigned int nr = 0;

	for (nr_functions = 0; file && fgets(text, sizeof(text), file) && nr_functions < MAX_FUNCTIONS;) {
		if (!kallsyms_parse(text, text + strlen(text) - 1, &line) || !line.is_function || nr++ % 67)
			continue;
		functions[nr_functions++] = (struct function){
			line.start, line.object_length == 5 && !memcmp(line.object, "[bpf]", 5),
		};
	}
	if (file)
		fclose(file);
}

/* A kernel from which names can be asked, or a reason to skip. */
static struct ksyms *new_asking(void)
{
	struct kernel_names names = { 0 };
	struct ksyms *ksyms;
	int err = kernel_names_open(&names);

	kernel_names_close(&names);
	read_functions();
	if (geteuid() || !nr_functions || (err && err != -EINVAL)) {
		print_message("# SKIP needs root, and addresses in /proc/kallsyms\n");
		skip();
	}
	assert_int_equal(err, 0);
	ksyms = ksyms_new(NULL);
	ksyms_prepare(ksyms);
	return ksyms;
}

struct answer {
	char name[512], object[64];
	uint64_t delta;
};

static bool ask(struct ksyms *ksyms, uint64_t ip, struct answer *answer)
{
	const char *name, *object;

	memset(answer, 0, sizeof(*answer));
	if (!ksyms_find(ksyms, ip, &name, &object, &answer->delta))
		return false;
	snprintf(answer->name, sizeof(answer->name), "%s", name);
	snprintf(answer->object, sizeof(answer->object), "%s", object);
	return true;
}

/* Code that is asked for has the names that the list gives it, in and around each function. */
static void test_same_names(void **state)
{
	struct ksyms *asking = new_asking(), *whole = ksyms_new(NULL);
	struct answer asked, listed;
	size_t nr_named = 0;

	(void)state;
	for (size_t i = 0; i < nr_functions; i++) {
		static const int64_t places[] = { 0, 1, 5, -1 };

		/* A new one now and then, which does not read the list because it was asked very often. */
		if (i % 200 == 199) {
			assert_true(ksyms_nr(asking) < 2000);
			ksyms_free(asking);
			asking = new_asking();
		}

		for (size_t j = 0; j < sizeof(places) / sizeof(places[0]) && !functions[i].is_bpf; j++) {
			uint64_t ip = functions[i].start + (uint64_t)places[j];
			bool is_asked = ask(asking, ip, &asked), is_listed = ask(whole, ip, &listed);

			if (is_asked != is_listed || memcmp(&asked, &listed, sizeof(asked)))
				fail_msg("%#llx: %s+%llu %s, listed as %s+%llu %s", (unsigned long long)ip, asked.name,
					 (unsigned long long)asked.delta, asked.object, listed.name,
					 (unsigned long long)listed.delta, listed.object);
			nr_named += is_asked;
		}
	}
	assert_true(nr_named > nr_functions);
	ksyms_free(asking);
	ksyms_free(whole);
}

/* Only the functions that were asked for are in memory; and all of them after very many questions. */
static void test_asks_for_few(void **state)
{
	struct ksyms *ksyms = new_asking();
	struct answer first, again;

	(void)state;
	for (int age = 0; age < 3; age++) {
		assert_true(ask(ksyms, functions[nr_functions / 2].start + 1, &first));
		assert_true(ksyms_nr(ksyms) > 0 && ksyms_nr(ksyms) <= 4);
		ksyms_age(ksyms);
	}
	for (uint64_t ip = functions[0].start; ksyms_nr(ksyms) < 5000 && ip < functions[0].start + (64 << 20); ip += 64)
		ask(ksyms, ip, &again);
	assert_true(ksyms_nr(ksyms) > 20000);
	assert_true(ask(ksyms, functions[nr_functions / 2].start + 1, &again));
	assert_memory_equal(&first, &again, sizeof(first));
	ksyms_free(ksyms);
}

/* The program that asks is a BPF program itself. */
static void test_bpf_program(void **state)
{
	struct ksyms *ksyms = new_asking();
	struct answer answer = { 0 };
	struct kallsyms_line line;
	FILE *file = fopen("/proc/kallsyms", "r");
	char text[1024];
	bool found = false;

	(void)state;
	while (file && !found && fgets(text, sizeof(text), file))
		found = strstr(text, "tprof_names\t[bpf]") && kallsyms_parse(text, strchr(text, '\n'), &line);
	if (file)
		fclose(file);
	if (!found) {
		ksyms_free(ksyms);
		print_message("# SKIP the kernel does not compile BPF programs\n");
		skip();
	}
	for (uint64_t ip = line.start - 1; ip < line.start + 3; ip++) {
		assert_true(ask(ksyms, ip, &answer));
		assert_non_null(strstr(answer.name, "tprof_names"));
		assert_string_equal(answer.object, "[bpf]");
		assert_int_equal(answer.delta, ip < line.start ? 0 : ip - line.start);
	}
	ksyms_free(ksyms);
}

static void drop_all_rights(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { 0 };

	if (syscall(SYS_capset, &header, none))
		_exit(2);
}

/* A process that does not see addresses in /proc/kallsyms gets no names either. */
static void test_hidden(void **state)
{
	struct ksyms *ksyms = new_asking();
	struct answer answer;
	char line[256] = "";
	pid_t pid = fork();
	int status;

	(void)state;
	if (!pid) {
		FILE *file;

		drop_all_rights();
		file = fopen("/proc/kallsyms", "r");
		_exit(!file || !fgets(line, sizeof(line), file) ? 2 :
		      ask(ksyms, functions[nr_functions / 2].start, &answer) != (strtoull(line, NULL, 16) != 0));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	ksyms_free(ksyms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_same_names),
		cmocka_unit_test(test_asks_for_few),
		cmocka_unit_test(test_bpf_program),
		cmocka_unit_test(test_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
