// SPDX-License-Identifier: GPL-2.0-only
/* Files that get their name when they are complete; paths that are no files; and paths that are refused in advance. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../../cli/base/cell.c"
#include "../../../cli/base/out.c"
#include "../../../cli/base/progress.c"
#include "../../../cli/file/caller.c"

/* In place of the functions of the library: the broker process has exited. */
static int publish_fails(struct tprof_session *session);
static const char *error_of(const struct tprof_session *session);
#define tprof_session__publish publish_fails
#define tprof_session__error error_of
#include "../../../cli/file/output.c"
#undef tprof_session__publish
#undef tprof_session__error

#define PUBLISH_ERROR "the temporary file cannot be renamed: the broker process has exited"

#define BINARY "pprof"

static int setup(void **state)
{
	char directory[] = "/tmp/tprof-output.XXXXXX";

	*state = strdup(mkdtemp(directory) ? directory : "");
	return chdir(*state);
}

static int teardown(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf '%s'", (char *)*state);
	free(*state);
	return chdir("/") || system(command);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void assert_text(const char *path, const char *wanted)
{
	char got[256] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	if (!fgets(got, sizeof(got), file))
		got[0] = '\0';
	fclose(file);
	assert_string_equal(got, wanted);
}

/* Returns the number of names in the directory. */
static int count_names(void)
{
	FILE *list = popen("ls -A | wc -l", "r");
	int nr = -1;

	assert_int_equal(fscanf(list, "%d", &nr), 1);
	pclose(list);
	return nr;
}

/* Writes the text to the path; returns the exit code. */
static int put(const char *path, const char *text)
{
	struct output output = OUTPUT_NONE;
	int code = output_check(&output, path, BINARY);

	if (!code)
		code = output_begin(&output);
	if (!code)
		code = output_end(&output, write(output.fd, text, strlen(text)) < 0 ? -errno : 0);
	output_fini(&output);
	return code;
}

static void test_file(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(put("a", "first"), EXIT_OK);
	assert_text("a", "first");
	assert_int_equal(put("./a", "second"), EXIT_OK);
	assert_text("a", "second");
	assert_int_equal(stat("a", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(count_names(), 1);
}

/* Returns the owner of a file in the directory "d" of a user, with these IDs from sudo. */
static uid_t owner_of(const char *uid, const char *gid, uid_t directory)
{
	struct stat st;

	assert_int_equal(chown("d", directory, directory), 0);
	setenv("SUDO_UID", uid, 1);
	setenv("SUDO_GID", gid, 1);
	assert_int_equal(put("d/a", "text"), EXIT_OK);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	assert_int_equal(stat("d/a", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_gid, st.st_uid);
	assert_int_equal(unlink("d/a"), 0);
	return st.st_uid;
}

static void test_sudo(void **state)
{
	static const char *const no_ids[] = {
		"", "-1", "+1000", " 1000", "1000 ", "0x3e8", "4294967295", "4294968296",
	};

	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(owner_of("1000", "1000", 1000), 1000);
	/* A directory of another user */
	assert_int_equal(owner_of("1000", "1000", 1001), 0);
	assert_int_equal(owner_of("1000", "1000", 0), 0);
	for (size_t i = 0; i < sizeof(no_ids) / sizeof(no_ids[0]); i++) {
		assert_int_equal(owner_of(no_ids[i], "1000", 1000), 0);
		assert_int_equal(owner_of("1000", no_ids[i], 1000), 0);
	}
}

static void test_until_it_is_whole(void **state)
{
	struct output output = OUTPUT_NONE;

	(void)state;
	write_file("a", "old");
	assert_int_equal(output_check(&output, "a", NULL), EXIT_OK);
	assert_int_equal(output_begin(&output), EXIT_OK);
	assert_true(write(output.fd, "new", 3) == 3);
	assert_text("a", "old");
	/* The writer gives up. */
	output_fini(&output);
	assert_text("a", "old");
	assert_int_equal(count_names(), 1);
	/* output_check() has created nothing. */
	assert_int_equal(output_check(&output, "b", NULL), EXIT_OK);
	output_fini(&output);
	output_fini(&output);
	assert_int_equal(count_names(), 1);
}

static void test_write_fails(void **state)
{
	struct output output = OUTPUT_NONE;

	(void)state;
	write_file("a", "old");
	assert_int_equal(output_check(&output, "a", NULL), EXIT_OK);
	assert_int_equal(output_begin(&output), EXIT_OK);
	assert_int_equal(output_end(&output, -ENOSPC), EXIT_FAIL);
	output_fini(&output);
	assert_text("a", "old");
	assert_int_equal(count_names(), 1);
}

static int publish_fails(struct tprof_session *session)
{
	(void)session;
	return -ECHILD;
}

static const char *error_of(const struct tprof_session *session)
{
	(void)session;
	return PUBLISH_ERROR;
}

/* The message is the sentence of the library, not that of the errno, "No child processes". */
static void test_sandbox_cannot_rename(void **state)
{
	struct output output = OUTPUT_NONE;
	int messages, saved = dup(STDERR_FILENO);
	char session;

	(void)state;
	assert_int_equal(output_check(&output, "a", NULL), EXIT_OK);
	assert_int_equal(output_begin(&output), EXIT_OK);
	output.session = (struct tprof_session *)&session;	/* publish_fails() does not use it */
	messages = open("messages", O_WRONLY | O_CREAT, 0600);
	dup2(messages, STDERR_FILENO);
	assert_int_equal(output_end(&output, 0), EXIT_FAIL);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(messages);
	assert_text("messages", "tprof: a: " PUBLISH_ERROR "\n");
	/* The complete file is still there, under its temporary name. */
	output_fini(&output);
	assert_int_equal(count_names(), 2);
}

static void test_link(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(mkdir("d", 0700), 0);
	write_file("d/a", "old");
	assert_int_equal(symlink("d/a", "link"), 0);
	assert_int_equal(put("link", "new"), EXIT_OK);
	assert_text("d/a", "new");
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
}

/* A device is not replaced by a file. */
static void test_device(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(put("/dev/null", "text"), EXIT_OK);
	assert_int_equal(put("/dev/full", "text"), EXIT_FAIL);
	assert_int_equal(stat("/dev/full", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
}

static void test_pipe(void **state)
{
	char got[8] = "";
	int reader;

	(void)state;
	assert_int_equal(mkfifo("pipe", 0600), 0);
	reader = open("pipe", O_RDONLY | O_NONBLOCK);
	assert_true(reader >= 0);
	assert_int_equal(put("pipe", "text"), EXIT_OK);
	assert_int_equal(read(reader, got, sizeof(got)), 4);
	assert_string_equal(got, "text");
	close(reader);
}

static void test_terminal(void **state)
{
	struct output output = OUTPUT_NONE;
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), out = dup(STDOUT_FILENO), user;

	(void)state;
	assert_true(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal));
	assert_int_equal(output_check(&output, ptsname(terminal), BINARY), EXIT_USAGE);
	output_fini(&output);
	assert_int_equal(output_check(&output, ptsname(terminal), NULL), EXIT_OK);
	output_fini(&output);

	user = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	fflush(stdout);
	dup2(user, STDOUT_FILENO);
	assert_int_equal(output_check(&output, "-", BINARY), EXIT_USAGE);
	output_fini(&output);
	assert_int_equal(output_check(&output, "-", NULL), EXIT_OK);
	assert_int_equal(output_begin(&output), EXIT_OK);
	assert_int_equal(output.fd, STDOUT_FILENO);
	output_fini(&output);
	/* Standard output belongs to the caller, and stays open. */
	assert_true(fcntl(STDOUT_FILENO, F_GETFD) >= 0);
	dup2(out, STDOUT_FILENO);
	close(out);
	close(user);
	close(terminal);
}

static void test_refused(void **state)
{
	char name[300] = "";

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	assert_int_equal(mkdir("d", 0700), 0);
	write_file("file", "");
	assert_int_equal(put("d", ""), EXIT_USAGE);
	assert_int_equal(put("no/such", ""), EXIT_USAGE);
	assert_int_equal(put("file/a", ""), EXIT_USAGE);
	assert_int_equal(put("new/", ""), EXIT_USAGE);
	assert_int_equal(put(name, ""), EXIT_FAIL);
	/* The maximum length of a file name. */
	name[255] = '\0';
	assert_int_equal(put(name, "x"), EXIT_OK);
	assert_int_equal(count_names(), 3);
}

#define in_a_directory(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_a_directory(test_file),
		in_a_directory(test_sudo),
		in_a_directory(test_until_it_is_whole),
		in_a_directory(test_write_fails),
		in_a_directory(test_sandbox_cannot_rename),
		in_a_directory(test_link),
		in_a_directory(test_device),
		in_a_directory(test_pipe),
		in_a_directory(test_terminal),
		in_a_directory(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
