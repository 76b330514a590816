// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Extracts from the verifier's log what the author of a filter can use.
 *
 * A log is the program as the verifier walked it: source lines (";"), instructions ("12: (85) call ..."), register
 * states, and a message at the end. Lines are recognized by their form alone, which holds for every kernel since 6.1.
 */
#include "verifier.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define MAX_SOURCES 3
#define MAX_SENTENCES 4

struct line {
	const char *text;
	size_t len;
};

/* The useful lines of what was read so far. */
struct excerpt {
	struct line sources[MAX_SOURCES];
	unsigned int nr_sources;
	struct line instruction;
	struct line sentences[MAX_SENTENCES];
	unsigned int nr_sentences;
};

/* Prefixes of statistics, register states, and lines of libbpf. */
static const char *const noise[] = {
	"processed ", "verification time", "stack depth", "max_states", "mark_precise", "func#", "from ",
	"cur state:", "old state:", "last_idx", "first_idx", "regs=", "parent ", "-- ", "Validating ", "prog '",
	"failed to load", "live regs", "caller:", "callee:", "returning from callee", "to caller at",
	"propagating", "frame", "safe", "Live regs",
};

static bool starts_with(struct line line, const char *word)
{
	size_t len = strlen(word);

	return line.len >= len && !memcmp(line.text, word, len);
}

static bool is_noise(struct line line)
{
	size_t i;

	for (i = 0; i < sizeof(noise) / sizeof(noise[0]); i++)
		if (starts_with(line, noise[i]))
			return true;
	return false;
}

/* "12: (85) call ..." */
static bool is_instruction(struct line line)
{
	size_t digits = 0;

	while (digits < line.len && isdigit((unsigned char)line.text[digits]))
		digits++;
	return digits && line.len > digits + 2 && !memcmp(line.text + digits, ": (", 3);
}

/* "R1=ctx() R10=fp0" or "R1_w=...", alone or after "12:". Messages about registers have a blank after the register. */
static bool is_state(struct line line)
{
	size_t i = 0;

	while (i < line.len && (isdigit((unsigned char)line.text[i]) || line.text[i] == ':' || line.text[i] == ' '))
		i++;
	if (i + 1 >= line.len || line.text[i] != 'R' || !isdigit((unsigned char)line.text[i + 1]))
		return false;
	for (i++; i < line.len && isdigit((unsigned char)line.text[i]); i++)
		;
	return i < line.len && (line.text[i] == '=' || line.text[i] == '_');
}

/* Source lines without text belong to code that the compiler generated. */
static bool is_empty_source(struct line line)
{
	size_t i = 1;

	while (i < line.len && line.text[i] == ' ')
		i++;
	return i == line.len || line.text[i] == '@';
}

static struct line trimmed(struct line line)
{
	while (line.len && isspace((unsigned char)line.text[line.len - 1]))
		line.len--;
	return line;
}

/* Appends a line; drops the oldest one if the array is full. */
static void push(struct line *lines, unsigned int *nr, unsigned int max, struct line line)
{
	if (*nr && lines[*nr - 1].len == line.len && !memcmp(lines[*nr - 1].text, line.text, line.len))
		return;
	if (*nr == max)
		memmove(lines, lines + 1, --*nr * sizeof(*lines));
	lines[(*nr)++] = line;
}

/* The message about the last instruction that may be verified can stand in its line. */
static const char too_large[] = "BPF program is too large";

static void take_instruction(struct excerpt *excerpt, struct line line)
{
	const char *message = memmem(line.text, line.len, too_large, strlen(too_large));
	const char *state = memchr(line.text, ';', line.len), *end = line.text + line.len;

	if (message)
		line.len = message - line.text;
	else if (state)
		line.len = state - line.text;
	excerpt->instruction = trimmed(line);
	excerpt->nr_sentences = 0;
	if (message)
		push(excerpt->sentences, &excerpt->nr_sentences, MAX_SENTENCES,
		     (struct line){ message, (size_t)(end - message) });
}

static void take(struct excerpt *excerpt, struct line line)
{
	line = trimmed(line);
	if (starts_with(line, "libbpf: ")) {
		line.text += strlen("libbpf: ");
		line.len -= strlen("libbpf: ");
	}
	if (!line.len)
		return;
	if (line.text[0] == ';') {
		if (!is_empty_source(line))
			push(excerpt->sources, &excerpt->nr_sources, MAX_SOURCES, line);
	} else if (is_instruction(line)) {
		take_instruction(excerpt, line);
	} else if (!is_noise(line) && !is_state(line)) {
		push(excerpt->sentences, &excerpt->nr_sentences, MAX_SENTENCES, line);
	}
}

static void read_log(struct excerpt *excerpt, const char *log)
{
	const char *end;

	memset(excerpt, 0, sizeof(*excerpt));
	for (; *log; log = *end ? end + 1 : end) {
		end = log + strcspn(log, "\n");
		take(excerpt, (struct line){ log, end - log });
	}
}

/* Appends the line and a newline if both fit. Returns the bytes left. */
static size_t write_line(char **out, size_t left, struct line line)
{
	if (!line.len || line.len + 2 > left)
		return left;
	memcpy(*out, line.text, line.len);
	(*out)[line.len] = '\n';
	(*out)[line.len + 1] = '\0';
	*out += line.len + 1;
	return left - line.len - 1;
}

void verifier_trim(const char *log, char *out, size_t size)
{
	struct excerpt excerpt;
	unsigned int i;

	read_log(&excerpt, log);
	out[0] = '\0';
	for (i = 0; i < excerpt.nr_sources; i++)
		size = write_line(&out, size, excerpt.sources[i]);
	size = write_line(&out, size, excerpt.instruction);
	for (i = 0; i < excerpt.nr_sentences; i++)
		size = write_line(&out, size, excerpt.sentences[i]);
}

/* Messages of the verifier and their meaning. The first match is used. */
static const struct {
	const char *said;
	const char *means;
} causes[] = {
	{ "infinite loop detected",
	  "a loop may be infinite: give it a bound that the verifier can see" },
	{ "back-edge",
	  "a loop may be infinite: give it a bound that the verifier can see" },
	{ too_large,
	  "the filter executes too many instructions: lower the bounds of its loops, or split it" },
	{ "is too complex",
	  "the filter executes too many instructions: lower the bounds of its loops, or split it" },
	{ "sleep",
	  "the filter calls a helper that may sleep; filters run in interrupt context and cannot" },
	{ "GPL-restricted",
	  "the filter calls helpers for GPL programs only: add TPROF_LICENSE(\"GPL\")" },
	{ "GPL compatible",
	  "the filter calls helpers for GPL programs only: add TPROF_LICENSE(\"GPL\")" },
	{ "cannot use helper bpf_loop",
	  "with the module, filters may not call bpf_loop(): use a loop with a bound that the verifier can see" },
	{ "cannot use helper",
	  "the filter calls a helper that this engine's programs may not call; docs/filters.md lists those they may" },
	{ "unknown func bpf_",
	  "the filter calls a helper that this engine's programs may not call; docs/filters.md lists those they may" },
	{ "attach to unsupported member",
	  "the filter may sleep, calls a kernel function that filters may not call, loops with may_goto, or has a "
	  "function that is not static; docs/filters.md has the rules" },
	{ "not allowed in probe",
	  "the filter calls helpers too often: lower the bounds of its loops, or split it" },
	{ "invalid func",
	  "the filter calls a helper that this kernel does not have" },
	{ "unknown func",
	  "the filter calls a helper that this kernel does not have" },
	{ "calling kernel function",
	  "the filter calls a kernel function that this engine's programs may not call" },
	{ "_or_null'",
	  "a pointer that may be NULL is used without a check" },
	{ "invalid mem access",
	  "a value that is not a valid pointer is dereferenced: use bpf_probe_read_kernel() or bpf_probe_read_user()" },
	{ "variable-offset",
	  "an index into an array on the stack is not bounded: check or mask it first" },
	{ "unbounded memory access",
	  "an index or a length is not bounded: check or mask it first" },
	{ "min value is negative",
	  "an index or a length may be negative: check or mask it first" },
	{ "outside of the allowed memory range",
	  "an index or a length may be too large: check or mask it first" },
	{ "invalid access to map value",
	  "an index or a length may be too large: check or mask it first" },
	{ "invalid bpf_context access",
	  "the filter reads its context at an invalid offset: use the fields of struct tprof_sample" },
	{ "combined stack size",
	  "the filter needs more than 512 bytes of stack: put large variables into a per-CPU array" },
	{ "invalid indirect read from stack",
	  "a variable is read before all of it is initialized: initialize it with = {}" },
	{ "!read_ok",
	  "a variable is read before it is initialized" },
	{ "nreleased reference",
	  "a reference that the filter acquired is not released on every path" },
	{ "missing btf func_info",
	  "libbpf loaded it without the BTF of its functions: the kernel does not support that, or there was not "
	  "enough memory to test it" },
	{ "unknown opcode",
	  "the object uses instructions that this kernel does not support: compile it with -mcpu=v3 or lower" },
};

/* Lines are not NUL-terminated, so strstr() cannot be used. */
static bool line_says(struct line line, const char *words)
{
	return memmem(line.text, line.len, words, strlen(words)) != NULL;
}

const char *verifier_explain(const char *log)
{
	struct excerpt excerpt;
	unsigned int i;
	size_t cause;

	read_log(&excerpt, log);
	for (cause = 0; cause < sizeof(causes) / sizeof(causes[0]); cause++)
		for (i = 0; i < excerpt.nr_sentences; i++)
			if (line_says(excerpt.sentences[i], causes[cause].said))
				return causes[cause].means;
	return NULL;
}
