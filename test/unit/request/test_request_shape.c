/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "test/unit/request/request_unit.h"

/*
 * Every count of every platform: accepted exactly when it is whole RDUs and at most one part that
 * divides one.
 */
START_TEST(shape_of_every_count)
{
	static const char *const names[] = {"sn10-8", "sn30-8"};
	struct tessera_conf *conf = read_conf(NULL);

	for (size_t n = 0; n < 2; n++) {
		const struct tessera_platform *p = tessera_conf_platform(conf, names[n], NULL);
		unsigned all = p->xrdus * p->rdus_per_xrdu * p->tiles_per_rdu;

		for (unsigned tiles = 0; tiles <= all + 1; tiles++) {
			unsigned left = tiles % p->tiles_per_rdu;
			bool ok = tiles > 0 && tiles <= all &&
				  (left == 0 || p->tiles_per_rdu % left == 0);
			struct tessera_error err = {0};
			struct tessera_shape s;

			ck_assert_msg((tessera_request_shape(p, tiles, 0, &s, &err) == 0) == ok,
				      "%s %u: %s", names[n], tiles, err.text);
			ck_assert_msg(!ok || s.whole * p->tiles_per_rdu + s.blocks * s.block ==
						      tiles,
				      "%s %u", names[n], tiles);
			ck_assert_msg(!ok || (s.blocks <= 1 && (s.blocks == 0) == (s.block == 0)),
				      "%s %u", names[n], tiles);
		}
	}
	tessera_conf_free(conf);
}
END_TEST

START_TEST(shape_for_tasks)
{
	struct tessera_conf *conf = read_conf(NULL);
	const struct tessera_platform *p = tessera_conf_platform(conf, "sn30-8", NULL);
	struct tessera_shape s;

	ck_assert_int_eq(tessera_request_shape(p, 12, 4, &s, NULL), 0);
	ck_assert(s.whole == 0 && s.blocks == 3 && s.block == 4);
	ck_assert_int_eq(tessera_request_shape(p, 9, 2, &s, NULL), 0);
	ck_assert(s.whole == 1 && s.blocks == 1 && s.block == 1);
	ck_assert_int_eq(tessera_request_shape(p, 16, 8, &s, NULL), 0);
	ck_assert(s.whole == 2 && s.blocks == 0 && s.block == 0);
	ck_assert_int_eq(tessera_request_shape(p, 6, 3, &s, NULL), -1);
	tessera_conf_free(conf);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, shape_of_every_count);
	tcase_add_test(tcase, shape_for_tasks);
}

UNIT_MAIN("request_shape", add_tests)
