/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packing and unpacking restores a configuration, and rejects damaged bytes. */
#include "config.h"

#include "lib/conf/conf.h"
#include "lib/conf/conf_pack.h"
#include "test/unit/unit.h"

static const char everything[] = "StateDir = /var/spool/tessera/%n\n"
				 "PlaceWait = 17\n"
				 "IpuModel = gres\n"
				 "DeviceFiles = \"/dev/some*\"\n"
				 "platform mine { Like = sn30-8 Title = \"Ours\" }\n"
				 "partition a { Platform = mine }\n"
				 "partition b { Platform = sn10-8 }\n"
				 "node \"a[1-8]\" { Platform = mine }\n"
				 "node \"p[1-2]\" { Platform = pod64 }\n"
				 "vipu p1 { Host = one }\n"
				 "vipu p2 { Host = two Port = 99 }\n"
				 "pool csx { Max = 2 Variables = \"A=%c\" }\n"
				 "pool lic { Max = 9 Option = licenced }\n";

static char *pack_text(const char *text, size_t *len)
{
	struct tessera_error err = {0};
	struct tessera_conf *conf = tessera_conf_parse("t.conf", text, &err);
	char *bytes;

	ck_assert_msg(conf != NULL, "%s", err.text);
	bytes = conf_pack(conf, len);
	ck_assert_ptr_nonnull(bytes);
	tessera_conf_free(conf);
	return bytes;
}

START_TEST(restores_every_setting)
{
	const struct tessera_platform *p;
	struct tessera_conf *conf;
	size_t len = 0;
	char *bytes = pack_text(everything, &len);
	char dir[64];

	conf = conf_unpack(bytes, len);
	ck_assert_ptr_nonnull(conf);
	/* The configuration must not refer to the bytes. */
	memset(bytes, 0xff, len);
	free(bytes);
	ck_assert_int_eq(tessera_conf_state_dir(conf, "a1", dir, sizeof(dir), NULL), 0);
	ck_assert_str_eq(dir, "/var/spool/tessera/a1");
	ck_assert_uint_eq(tessera_conf_place_wait(conf), 17);
	ck_assert_int_eq(tessera_conf_ipu_model(conf), TESSERA_IPU_GRES);
	ck_assert_str_eq(tessera_conf_leftover(conf)->devices, "/dev/some*");
	ck_assert_int_eq(tessera_conf_partition_platform(conf, "a", &p, NULL), 0);
	ck_assert_str_eq(p->title, "Ours");
	ck_assert_ptr_eq(p, tessera_conf_platform(conf, "mine", NULL));
	ck_assert_ptr_eq(p, tessera_conf_node_platform(conf, "a8"));
	ck_assert_str_eq(tessera_conf_node_platform(conf, "p2")->name, "pod64");
	ck_assert_ptr_null(tessera_conf_node_platform(conf, "a9"));
	ck_assert_str_eq(tessera_conf_vipu(conf, "p2")->host, "two");
	ck_assert_uint_eq(tessera_conf_vipu(conf, "p2")->port, 99);
	ck_assert_ptr_null(tessera_conf_vipu(conf, "p3"));
	ck_assert_str_eq(tessera_conf_pool_at(conf, 1)->option, "licenced");
	ck_assert_ptr_null(tessera_conf_pool_at(conf, 2));
	tessera_conf_free(conf);
}
END_TEST

START_TEST(restores_defaults)
{
	size_t len = 0, again = 0;
	char *bytes = pack_text("", &len), *second;
	struct tessera_conf *conf = conf_unpack(bytes, len);

	ck_assert_ptr_nonnull(conf);
	second = conf_pack(conf, &again);
	ck_assert_uint_eq(again, len);
	ck_assert_int_eq(memcmp(bytes, second, len), 0);
	tessera_conf_free(conf);
	free(second);
	free(bytes);
}
END_TEST

/* Each copy has its exact size, so that valgrind and ASan detect reads beyond it. */
START_TEST(rejects_truncated_bytes)
{
	size_t len = 0;
	char *bytes = pack_text(everything, &len);

	for (size_t cut = 0; cut < len; cut += cut + 64 < len ? 61 : 1) {
		char *part = malloc(cut > 0 ? cut : 1);

		ck_assert_ptr_nonnull(part);
		memcpy(part, bytes, cut);
		ck_assert_ptr_null(conf_unpack(part, cut));
		free(part);
	}
	free(bytes);
}
END_TEST

START_TEST(rejects_extra_bytes)
{
	size_t len = 0;
	char *bytes = pack_text(everything, &len), *more = malloc(len + 1);

	ck_assert_ptr_nonnull(more);
	memcpy(more, bytes, len);
	more[len] = '\0';
	ck_assert_ptr_null(conf_unpack(more, len + 1));
	free(more);
	free(bytes);
}
END_TEST

/* The bytes start with the version. */
START_TEST(rejects_other_version)
{
	size_t len = 0;
	char *bytes = pack_text(everything, &len);

	ck_assert_str_eq(bytes, PACKAGE_VERSION);
	bytes[0]++;
	ck_assert_ptr_null(conf_unpack(bytes, len));
	free(bytes);
}
END_TEST

/* No wrong byte causes an invalid memory access; run with sanitizers. */
START_TEST(survives_damaged_bytes)
{
	const struct tessera_platform *p;
	struct tessera_conf *conf;
	size_t len = 0;
	char *bytes = pack_text(everything, &len);

	for (size_t i = 0; i < len; i++) {
		char was = bytes[i];

		bytes[i] = (char)(was ^ 0x81);
		conf = conf_unpack(bytes, len);
		p = conf != NULL ? tessera_conf_node_platform(conf, "a1") : NULL;
		if (p != NULL)
			ck_assert_uint_le(strnlen(p->name, sizeof(p->name)), sizeof(p->name));
		tessera_conf_free(conf);
		bytes[i] = was;
	}
	free(bytes);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, restores_every_setting);
	tcase_add_test(tcase, restores_defaults);
	tcase_add_test(tcase, rejects_truncated_bytes);
	tcase_add_test(tcase, rejects_extra_bytes);
	tcase_add_test(tcase, rejects_other_version);
	tcase_add_test(tcase, survives_damaged_bytes);
}

UNIT_MAIN("conf_pack", add_tests)
