/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks of the licenses that count IPUs and pools. They are in slurm.conf, or in the database
 * (sacctmgr add resource).
 */
#include "config.h"

#include <stdio.h>

#include "command/doctor/doctor.h"
#include "lib/conf/gres_list.h"
#include "lib/slurm/license_sum.h"
#include "lib/tile/hostlist.h"

/* Count the IPUs of all pools. Each controller has a pool of its own. */
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

/* Licenses called NAME in slurmctld, whatever their source; 0 if none, or if unknown. */
static unsigned count_running(const struct doctor *d, const char *name)
{
	return license_sum(d->licenses, name, true).total;
}

/* Jobs have their IPUs and units of pools once, on however many nodes they run. */
static void check_mode(struct doctor *d, const char *name, const char *what)
{
	if (license_is_per_node(d->licenses, name))
		doctor_write(
			doctor_find(d, DOCTOR_WARNING, "licenses", "slurmctld",
				    "resources.yaml has MODE_3 for %s: Slurm counts the %s of a "
				    "job once for each of its nodes, but the job has them once",
				    name, what),
			"mode: MODE_1 or MODE_2 for %s in resources.yaml", name);
}

/* Check that there are WANTED licenses NAME, which count WHAT. */
static void check_license(struct doctor *d, const char *name, unsigned wanted, const char *what)
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
				"Licenses lacks %s: jobs cannot request %s", name, what);
		doctor_write(f, "Licenses=%s%s%s:%u", list != NULL ? list : "",
			     list != NULL ? "," : "", name, wanted);
	} else if (!sum.given && count_running(d, name) != wanted) {
		/* In the database, or in resources.yaml. */
		doctor_find(d, DOCTOR_WARNING, "licenses", "slurmctld",
			    "slurmctld has %u licenses %s, but tessera.conf has %u %s",
			    count_running(d, name), name, wanted, what);
	} else if (sum.given && sum.count != wanted) {
		f = doctor_find(d, DOCTOR_WARNING, "licenses", d->slurm_path,
				"Licenses has %s:%u, but tessera.conf has %u %s", name, sum.count,
				wanted, what);
		doctor_write(f, "%s:%u in Licenses=", name, wanted);
	} else if (sum.given && d->licenses != NULL && count_running(d, name) != sum.count) {
		f = doctor_find(d, DOCTOR_ERROR, "licenses", "slurmctld",
				"slurmctld has %u licenses %s, but slurm.conf now has %u",
				count_running(d, name), name, sum.count);
		doctor_run(f, "scontrol reconfigure");
	}
	check_mode(d, name, what);
}

/* Do licenses count anything of tessera.conf? */
static bool uses_licenses(const struct doctor *d)
{
	return tessera_conf_pool_at(d->conf, 0) != NULL ||
	       (d->ipus && tessera_conf_ipu_model(d->conf) == TESSERA_IPU_LICENSE);
}

/*
 * In these releases slurmctld forgets the licenses of a batch job that it requeues, and the next
 * run of the job gets none.
 */
static bool loses_licenses(uint32_t version)
{
	return (version >= SLURM_VERSION_NUM(25, 5, 0) && version <= SLURM_VERSION_NUM(25, 5, 8)) ||
	       (version >= SLURM_VERSION_NUM(25, 11, 0) && version <= SLURM_VERSION_NUM(25, 11, 6));
}

static void check_requeue(struct doctor *d)
{
	bool pools = tessera_conf_pool_at(d->conf, 0) != NULL;

	if (!uses_licenses(d) || !loses_licenses(doctor_slurmctld_version(d)))
		return;
	doctor_run(doctor_find(d, DOCTOR_ERROR, "requeue_licenses", "slurmctld",
			       "Slurm %s is running, in which a requeued batch job loses its "
			       "licenses: it runs without its IPUs and units of pools, and Slurm "
			       "allocates them to other jobs",
			       d->ctl->version),
		   "upgrade Slurm to 25.11.7, 26.05.0 or newer; until then submit with "
		   "--no-requeue%s",
		   pools ? "" : ", or set IpuModel = gres in tessera.conf");
}

/*
 * With reclaim_licenses Slurm counts the licenses of preemptable jobs as free. A job that is
 * requeued or cancelled releases its partition in its epilog, but a suspended job has no epilog.
 */
static void check_reclaim(struct doctor *d)
{
	static const char word[] = "reclaim_licenses";
	bool counted = uses_licenses(d);
	char others[DOCTOR_TEXT_MAX];
	struct finding *f;

	if (!counted || !slurm_list_has(d->file.preempt_parameters, word))
		return;
	f = doctor_find(d, DOCTOR_WARNING, word, d->slurm_path,
			"PreemptParameters has reclaim_licenses: Slurm counts the licenses of "
			"preemptable jobs as free, but a suspended job keeps its V-IPU partition "
			"and its units of pools; harmless if PreemptMode is REQUEUE or CANCEL for "
			"all such jobs");
	if (doctor_without(d->file.preempt_parameters, word, others, sizeof(others))[0] != '\0')
		doctor_write(f, "PreemptParameters=%s", others);
	else
		doctor_write(f, "remove PreemptParameters=reclaim_licenses from slurm.conf");
}

void doctor_check_licenses(struct doctor *d)
{
	const struct tessera_pool *pool;

	if (d->ipus && tessera_conf_ipu_model(d->conf) == TESSERA_IPU_LICENSE)
		check_license(d, tessera_conf_ipu_name(d->conf), count_ipus(d), "IPUs");
	for (size_t i = 0; (pool = tessera_conf_pool_at(d->conf, i)) != NULL; i++)
		check_license(d, pool->license, pool->max, pool->name);
	check_reclaim(d);
	check_requeue(d);
}
