// SPDX-License-Identifier: GPL-2.0-only
/* Symbolizes code that is in no file where it runs: compiled by a JIT compiler, or moved by its program. */
#include "symbolize_fixture.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

/* Some programs copy their code to huge pages: anonymous memory at the address of the file. */
static const char moving_source[] =
	"#define _GNU_SOURCE\n#include <stdio.h>\n#include <string.h>\n#include <sys/mman.h>\n#include <unistd.h>\n"
	"__attribute__((noinline, aligned(4096))) int moved(int i) { return i * 7 + 3; }\n"
	"__attribute__((noinline, aligned(4096))) int changed(int i) { return i * 5 + 1; }\n"
	"__attribute__((noinline, aligned(4096))) int main(void)\n"
	"{\n"
	"	static char copy[8192];\n"
	"	char *at = (char *)moved;\n"
	"	memcpy(copy, at, sizeof(copy));\n"
	"	copy[4096 + 100] ^= 1;\n"
	"	if (mmap(at, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,\n"
	"		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != at)\n"
	"		return 1;\n"
	"	memcpy(at, copy, sizeof(copy));\n"
	"	printf(\"%p %p\\n\", moved, changed);\n"
	"	fflush(stdout);\n"
	"	pause();\n"
	"}\n";

static void test_moved(void **state)
{
	char directory[] = "/tmp/tprof-test-XXXXXX", program[64];
	unsigned long long moved, changed;
	int out[2];
	FILE *said;
	pid_t pid;

	assert_int_equal(pipe(out), 0);
	assert_non_null(mkdtemp(directory));
	snprintf(program, sizeof(program), "%s/moving.c", directory);
	write_text(program, moving_source);
	program[strlen(program) - 2] = '\0';
	shell("gcc -O1 -o %s %s.c", program, program);
	pid = fork();
	if (!pid) {
		dup2(out[1], STDOUT_FILENO);
		execl(program, "moving", NULL);
		_exit(1);
	}
	close(out[1]);
	said = fdopen(out[0], "r");
	assert_int_equal(fscanf(said, "%llx %llx", &moved, &changed), 2);
	assert_string_equal(resolve(*state, pid, moved + 1).name, "moved");
	assert_string_equal(resolve(*state, pid, moved + 1).object, "moving");
	assert_int_equal(resolve(*state, pid, moved + 1).offset, 1);
	/* One byte differs, so it is not the code of the file. */
	assert_string_equal(resolve(*state, pid, changed + 1).name, "[jit]");
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	/* A recent comparison is still valid, but not an older one. */
	age(*state);
	assert_string_equal(resolve(*state, pid, moved + 2).name, "moved");
	age(*state);
	age(*state);
	assert_string_not_equal(resolve(*state, pid, moved + 3).name, "moved");
	fclose(said);
	shell("rm -r %s", directory);
}

static void test_jit(void **state)
{
	struct fixture *fixture = *state;
	struct tprof_symbol symbol;
	char path[64];
	FILE *file;
	void *code = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(code, MAP_FAILED);
	/* The mapping as in a record. */
	tell_file(fixture, getpid(), (uint64_t)code, 8192, "//anon", UINT64_MAX);
	symbol = resolve(fixture, getpid(), (uint64_t)code + 4);
	assert_string_equal(symbol.name, "[jit]");
	assert_string_equal(symbol.object, "[jit]");

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%lx 40 LazyCompile:*hot /app/main.js:3:7\n", (long)code);
	fclose(file);
	age(fixture);
	symbol = resolve(fixture, getpid(), (uint64_t)code + 4);
	unlink(path);
	assert_string_equal(symbol.name, "LazyCompile:*hot /app/main.js:3:7");
	assert_string_equal(symbol.object, "[jit]");
	assert_int_equal(symbol.offset, 4);
	assert_string_equal(resolve(fixture, getpid(), (uint64_t)code + 0x40).name, "[jit]");
	munmap(code, 8192);
}

/* Writes a perf map with JIT code at an address of this process. */
static void write_perfmap(uint64_t start, uint64_t length)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%lx %lx compiled\n", (long)start, (long)length);
	fclose(file);
}

/*
 * A perf map keeps the lines of unmapped code, and a library may be mapped there now. A mapped file that is not a
 * library belongs to the JIT compiler.
 */
static void test_jit_in_files(void **state)
{
	static struct truth truth[MAX_TRUTH];
	const uint64_t start = 0x7f0000000000;
	struct fixture *fixture = *state;
	char path[64], expected[64];
	void *directory = NULL;
	uint64_t offset;

	assert_int_equal(enter_directory(&directory), 0);
	build_library("a.so", "-Wl,--build-id=none");
	offset = find_truth(truth, read_truth("a.so", truth), "hidden")->offset;
	shell("strip a.so && head -c 65536 /dev/zero >code");
	write_perfmap(start, 0x30000);
	tell_file(fixture, getpid(), start, 0x10000, absolute("a.so"), UINT64_MAX - 2);
	tell_file(fixture, getpid(), start + 0x10000, 0x10000, absolute("code"), UINT64_MAX - 1);
	/* The file is unknown. */
	tell_file(fixture, getpid(), start + 0x20000, 0x10000, "/no/such/file", UINT64_MAX);
	snprintf(expected, sizeof(expected), "[a.so+%#lx]", (long)offset);
	assert_string_equal(resolve(fixture, getpid(), start + offset).name, expected);
	assert_string_equal(resolve(fixture, getpid(), start + 0x10010).name, "compiled");
	assert_string_equal(resolve(fixture, getpid(), start + 0x20010).name, "[file+0x10]");
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	unlink(path);
	leave_directory(&directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_fixture(test_moved),
		with_fixture(test_jit),
		with_fixture(test_jit_in_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
