/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several processes reserve and release at once, and keep a book in shared memory: a tile never has
 * two owners, and a reader never sees half a ledger.
 */
#include "config.h"

#include <stdatomic.h>
#include <sys/mman.h>

#include "test/unit/state/ledger_unit.h"

#define WRITERS 4
#define ROUNDS  250
#define KEPT    6 /* jobs that a writer has at the same time, at most */
#define TILES   64

struct book {
	_Atomic uint32_t owner[TILES];
	_Atomic unsigned clashes;
	_Atomic unsigned reserved, short_of;
	_Atomic unsigned writing; /* writers that are not done */
	_Atomic unsigned reads;
};

static unsigned draw(uint64_t *state, unsigned below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)((*state >> 33) % below);
}

/* Replace OLD by NEW as the owner of TILES. */
static void mark(struct book *book, const struct tessera_tileset *tiles, uint32_t old, uint32_t new)
{
	for (unsigned t = tessera_tileset_next(tiles, 0); t < TILES;
	     t = tessera_tileset_next(tiles, t + 1))
		if (atomic_exchange(&book->owner[t], new) != old)
			atomic_fetch_add(&book->clashes, 1);
}

static void reserve(struct book *book, uint32_t job, uint64_t *rng)
{
	struct tessera_ledger *ledger = open_ledger();
	struct tessera_row row = {.job = job, .state = TESSERA_ROW_HELD};
	struct tessera_tileset left;
	struct tessera_place in = {.platform = sn30,
				   .free = &left,
				   .owner = tessera_ledger_owner,
				   .owner_arg = ledger,
				   .shape = {.whole = draw(rng, 3)}};

	in.shape.blocks = in.shape.whole == 0;
	in.shape.block = in.shape.blocks << draw(rng, 3);
	tessera_ledger_free_tiles(ledger, &left);
	if (tessera_place(&in, &row.tiles, NULL) == 0) {
		NEED(tessera_ledger_put(ledger, &row, NULL) == 0);
		commit(ledger);
		mark(book, &row.tiles, 0, job);
		atomic_fetch_add(&book->reserved, 1);
	} else {
		atomic_fetch_add(&book->short_of, 1);
	}
	tessera_ledger_close(ledger);
}

/* Every third job is withheld first, so that other processes may come between. */
static void release(struct book *book, uint32_t job)
{
	struct tessera_ledger *ledger = open_ledger();
	const struct tessera_row *row = tessera_ledger_job(ledger, job);
	struct tessera_tileset tiles;

	if (row != NULL && job % 3 == 0) {
		tiles = row->tiles;
		NEED(tessera_ledger_withhold(ledger, job, "a process is left", NULL) == 0);
		commit(ledger);
		tessera_ledger_close(ledger);
		ledger = open_ledger();
		NEED(tessera_ledger_job(ledger, job) == NULL);
		mark(book, &tiles, job, 0);
		NEED(tessera_ledger_release(ledger, job, &tiles));
	} else {
		if (row != NULL)
			mark(book, &row->tiles, job, 0);
		NEED(tessera_ledger_drop(ledger, job) == (row != NULL));
	}
	commit(ledger);
	tessera_ledger_close(ledger);
}

static void write_much(struct book *book, uint32_t writer)
{
	uint64_t rng = writer;

	for (uint32_t round = 0; round < ROUNDS; round++) {
		uint32_t job = 1 + writer * 10000 + round;

		reserve(book, job, &rng);
		if (round >= KEPT)
			release(book, job - KEPT);
	}
	for (uint32_t round = ROUNDS - KEPT; round < ROUNDS; round++)
		release(book, 1 + writer * 10000 + round);
}

/* Parsing refuses a truncated ledger, and tiles with two owners. */
static void read_much(struct book *book)
{
	while (atomic_load(&book->writing) > 0) {
		tessera_ledger_close(read_ledger());
		atomic_fetch_add(&book->reads, 1);
	}
}

START_TEST(no_tile_has_two_owners)
{
	struct book *book = mmap(NULL, sizeof(*book), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct tessera_ledger *ledger;
	pid_t writers[WRITERS], reader;

	ck_assert(book != MAP_FAILED);
	atomic_store(&book->writing, WRITERS);
	for (uint32_t i = 0; i < WRITERS; i++) {
		writers[i] = fork();
		if (writers[i] == 0) {
			write_much(book, i);
			_exit(0);
		}
		ck_assert_int_gt(writers[i], 0);
	}
	reader = fork();
	if (reader == 0) {
		read_much(book);
		_exit(0);
	}
	for (uint32_t i = 0; i < WRITERS; i++) {
		expect_good_end(writers[i]);
		atomic_fetch_sub(&book->writing, 1);
	}
	expect_good_end(reader);
	ck_assert_uint_eq(atomic_load(&book->clashes), 0);
	ledger = read_ledger();
	ck_assert_ptr_null(tessera_ledger_row(ledger, 0));
	tessera_ledger_close(ledger);
	for (unsigned t = 0; t < TILES; t++)
		ck_assert_uint_eq(atomic_load(&book->owner[t]), 0);

	/* Reservations did conflict, and readers did run. */
	ck_assert_uint_eq(atomic_load(&book->reserved) + atomic_load(&book->short_of),
			  WRITERS * ROUNDS);
	ck_assert_uint_gt(atomic_load(&book->reserved), WRITERS * ROUNDS / 10);
	ck_assert_uint_gt(atomic_load(&book->short_of), 0);
	ck_assert_uint_gt(atomic_load(&book->reads), 0);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, no_tile_has_two_owners);
}

UNIT_MAIN("ledger_race", add_tests)
