// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks user call stacks by frame pointers. A frame record is the caller's frame pointer and the return address on all
 * supported architectures. NMI-safe but for tprof_unwind_user_of(): no locks, no allocation, no printk().
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "frames.h"
#include "unwind.h"

struct record {
	unsigned long fp;
	unsigned long lr;
};

#if defined(CONFIG_X86_64)
#define has_user_records(regs)		user_64bit_mode(regs)
#define user_frame_pointer(regs)	((regs)->bp)
#define strip_user(ip)			(ip)
#elif defined(CONFIG_ARM64)
#include <asm/pointer_auth.h>

#define has_user_records(regs)		(!compat_user_mode(regs))
#define user_frame_pointer(regs)	((regs)->regs[29])
#define strip_user(ip)			ptrauth_strip_user_insn_pac(ip)
#endif

/*
 * Reads a frame record from user memory, with page faults disabled. The first read of a walk uses
 * copy_from_user_nofault(), which checks that the loaded mm is that of the task; it is not during a context switch. The
 * mm cannot change during the walk, so later reads skip this check.
 */
static bool read_user_record(struct record *record, unsigned long fp, bool first)
{
	const struct record __user *from = (const void __user *)fp;

	if (first)
		return !copy_from_user_nofault(record, from, sizeof(*record));
	if (!user_read_access_begin(from, sizeof(*from)))
		return false;
	unsafe_get_user(record->fp, &from->fp, fault);
	unsafe_get_user(record->lr, &from->lr, fault);
	user_read_access_end();
	return true;
fault:
	user_read_access_end();
	return false;
}

/*
 * A frame record is at most that far above the one before it, or above the stack pointer: where it cannot be read, its
 * page is not present. Farther away, the frame pointer is taken for another value, in code without frame pointers.
 */
#define MAX_FRAME	SZ_1M

/* Another process, in its memory. */
struct other {
	struct mm_struct *mm;			/* NULL: the current task */
	struct page *page;			/* the last one that was read, with a reference; NULL: none */
	unsigned long number;			/* its address / PAGE_SIZE */
};

static bool read_other(struct other *other, void *to, unsigned long from, size_t bytes)
{
	unsigned long number = from / PAGE_SIZE;
	void *mapped;

	if (!other->page || other->number != number) {
		if (other->page)
			put_page(other->page);
		other->page = NULL;
		/* Not what would have to be read from a file: the process could make that last for ever. */
		if (get_user_pages_remote(other->mm, from & PAGE_MASK, 1, FOLL_NOFAULT, &other->page, NULL) != 1) {
			other->page = NULL;
			return false;
		}
		other->number = number;
	}
	mapped = kmap_local_page(other->page);
	memcpy(to, mapped + offset_in_page(from), bytes);
	kunmap_local(mapped);
	return true;
}

/* A record of two words, which may be on two pages. */
static bool read_other_record(struct other *other, struct record *record, unsigned long fp)
{
	return read_other(other, &record->fp, fp, sizeof(record->fp)) &&
	       read_other(other, &record->lr, fp + sizeof(record->fp), sizeof(record->lr));
}

static __always_inline void walk_user(struct tprof_frames *walk, struct pt_regs *regs, struct other *other)
{
	unsigned long fp = user_frame_pointer(regs), before = user_stack_pointer(regs);
	struct record record;
	bool first = true;

	/* 32-bit programs have another frame record layout. */
	if (!frames_add(walk, instruction_pointer(regs), 0) || !has_user_records(regs))
		return;
	/* Stacks grow down: the frame pointer must increase, so the loop terminates. */
	while (fp && IS_ALIGNED(fp, sizeof(long))) {
		if (!(other ? read_other_record(other, &record, fp) : read_user_record(&record, fp, first))) {
			walk->cut = fp - before < MAX_FRAME;
			break;
		}
		first = false;
		before = fp;
		record.lr = strip_user(record.lr);
		if (!record.lr || !frames_add(walk, record.lr, fp) || record.fp <= fp)
			break;
		fp = record.fp;
	}
}

unsigned int tprof_unwind_user(struct pt_regs *regs, u64 leaf, u64 *frames, unsigned int max)
{
	struct tprof_frames walk = { .ip = frames, .capacity = max };

	do {
		if (!frames_add_leaf(&walk, instruction_pointer(regs), leaf))
			continue;
		pagefault_disable();
		walk_user(&walk, regs, NULL);
		pagefault_enable();
	} while (frames_again(&walk));
	return frames_end(&walk);
}

unsigned int tprof_unwind_user_of(struct mm_struct *mm, struct pt_regs *regs, u64 *frames, unsigned int max)
{
	struct tprof_frames walk = { .ip = frames, .capacity = max };
	struct other other = { .mm = mm };

	/* The process may hold the lock for any time. */
	if (!mmap_read_trylock(mm))
		return 0;
	do {
		walk_user(&walk, regs, &other);
	} while (frames_again(&walk));
	if (other.page)
		put_page(other.page);
	mmap_read_unlock(mm);
	return frames_end(&walk);
}
