/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The licences that count IPUs and pools: as slurm.conf has them, or the database (sacctmgr add resource).
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "gres/doctor.h"
#include "lib/gres.h"
#include "lib/hostlist.h"

/* The IPUs that there are: each controller has a pool of its own. */
static unsigned count_ipus(const struct doctor *d)
{
	const struct tessera_vipu_site *site;
	const struct tessera_platform *p;
	unsigned sum = 0, most = 0;
	const char *title;
	char host[256];

	for (size_t i = 0; (site = tessera_conf_vipu_at(d->conf, i)) != NULL; i++) {
		p = tessera_hostlist_common(site->nodes, site->nodes, host, sizeof(host))
			    ? tessera_conf_node_platform(d->conf, host)
			    : NULL;
		sum += p != NULL && p->kind == TESSERA_KIND_IPU ? p->ipus : 0;
	}
	for (size_t i = 0; (p = tessera_conf_node_at(d->conf, i, &title)) != NULL; i++)
		most = p->kind == TESSERA_KIND_IPU && p->ipus > most ? p->ipus : most;
	return sum > 0 ? sum : most;
}

/* How many slurmctld has, from wherever; 0 if it has none, or does not say. */
static unsigned count_running(const struct doctor *d, const char *name)
{
	for (uint32_t i = 0; d->licenses != NULL && i < d->licenses->num_lic; i++) {
		const slurm_license_info_t *license = &d->licenses->lic_array[i];

		/* name@server is the database's. */
		if (license->name != NULL && strncmp(license->name, name, strlen(name)) == 0 &&
		    (license->name[strlen(name)] == '\0' || license->name[strlen(name)] == '@'))
			return license->total;
	}
	return 0;
}

/* WANTED of licence NAME, because of WHAT. */
static void check_one(struct doctor *d, const char *name, unsigned wanted, const char *what)
{
	const char *list = d->file.licenses;
	struct tessera_error err = {0};
	struct gres_sum sum = {0};
	struct finding *f;

	if (gres_total(list, GRES_LIST_LICENSES, name, "Licenses", &sum, &err) < 0) {
		doctor_find(d, DOCTOR_ERROR, "licenses", d->slurm_path, "%s", err.text);
		return;
	}
	if (!sum.given && count_running(d, name) == 0) {
		f = doctor_find(d, DOCTOR_ERROR, "licenses", d->slurm_path,
				"Licenses lacks %s: without it no job can ask for %s", name, what);
		doctor_write(f, "Licenses=%s%s%s:%u", list != NULL ? list : "", list != NULL ? "," : "", name,
			     wanted);
	} else if (sum.given && sum.count != wanted) {
		f = doctor_find(d, DOCTOR_WARNING, "licenses", d->slurm_path,
				"Licenses has %s:%u, but there are %u of %s", name, sum.count, wanted, what);
		doctor_write(f, "%s:%u in Licenses=", name, wanted);
	} else if (sum.given && d->licenses != NULL && count_running(d, name) != sum.count) {
		f = doctor_find(d, DOCTOR_ERROR, "licenses", "slurmctld",
				"slurmctld counts %u of licence %s, though slurm.conf has %u now",
				count_running(d, name), name, sum.count);
		doctor_run(f, "scontrol reconfigure");
	}
}

/*
 * Slurm then counts the licenses of jobs that it may preempt as free. One that it requeues or cancels gives back its
 * partition in its epilog, but one that it suspends has no epilog.
 */
static void check_reclaim(struct doctor *d)
{
	static const char word[] = "reclaim_licenses";
	bool counted = tessera_conf_pool_at(d->conf, 0) != NULL ||
		       (d->ipus && tessera_conf_ipu_model(d->conf) == TESSERA_IPU_LICENSE);
	char others[DOCTOR_TEXT_MAX];
	struct finding *f;

	if (!counted || !slurm_list_has(d->file.preempt_parameters, word))
		return;
	f = doctor_find(d, DOCTOR_WARNING, word, d->slurm_path,
			"PreemptParameters has reclaim_licenses: Slurm counts the licenses of jobs that it can "
			"preempt as free, but a suspended job keeps its V-IPU partition and its units of pools; "
			"with PreemptMode=REQUEUE or CANCEL for all such jobs this is harmless");
	if (doctor_without(d->file.preempt_parameters, word, others, sizeof(others))[0] != '\0')
		doctor_write(f, "PreemptParameters=%s", others);
	else
		doctor_write(f, "slurm.conf without PreemptParameters=reclaim_licenses");
}

void doctor_check_licenses(struct doctor *d)
{
	const struct tessera_pool *pool;

	if (d->ipus && tessera_conf_ipu_model(d->conf) == TESSERA_IPU_LICENSE)
		check_one(d, tessera_conf_ipu_name(d->conf), count_ipus(d), "IPUs");
	for (size_t i = 0; (pool = tessera_conf_pool_at(d->conf, i)) != NULL; i++)
		check_one(d, pool->license, pool->max, pool->name);
	check_reclaim(d);
}
