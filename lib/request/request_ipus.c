/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "lib/request/request_internal.h"

/* How many IPUs one option requests for the job. */
struct ipu_count {
	bool given;
	unsigned ipus;
	char text[2 * TESSERA_NAME_MAX]; /* the option, for messages */
};

static int check_same(const struct ipu_count *a, const struct ipu_count *b,
		      struct tessera_error *err)
{
	if (!a->given || !b->given || a->ipus == b->ipus)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "%s asks for %u IPUs, %s for %u; ask for them once, with --ipus=N",
				 a->text, a->ipus, b->text, b->ipus);
}

static void set_count(struct ipu_count *count, const char *option, const char *name,
		      const struct gres_sum *sum)
{
	count->given = sum->given;
	count->ipus = sum->count;
	snprintf(count->text, sizeof(count->text), "%s=%s:%u", option, name, sum->count);
}

/* The job's IPUs: --ipus, --gres or --licenses, which must agree. */
static int read_count(const struct tessera_conf *conf, const struct tessera_options *opt,
		      const struct request_asked *asked, unsigned *ipus, struct tessera_error *err)
{
	const char *name = tessera_conf_ipu_name(conf);
	unsigned nodes = request_nodes(opt);
	struct ipu_count option = {.given = opt->ipus != NULL};
	struct ipu_count gres, license;

	if (option.given && gres_option_count("--ipus", opt->ipus, &option.ipus, err) < 0)
		return -1;
	snprintf(option.text, sizeof(option.text), "--ipus=%u", option.ipus);
	set_count(&gres, "--gres", name, &asked->ipu);
	set_count(&license, "--licenses", name, &asked->license);
	/*
	 * If IPUs are GRES, the count is for each node, as tessera_request_scheduler() writes it:
	 * reading its result again gives the same request.
	 */
	if (tessera_conf_ipu_model(conf) == TESSERA_IPU_GRES) {
		if (gres.ipus > UINT_MAX / nodes)
			return tessera_error_set(err, TESSERA_ERR_INPUT,
						 "%s on %u nodes is more than any pool has",
						 gres.text, nodes);
		gres.ipus *= nodes;
	}
	if (check_same(&option, &gres, err) < 0 || check_same(&option, &license, err) < 0 ||
	    check_same(&gres, &license, err) < 0)
		return -1;
	*ipus = option.given ? option.ipus : gres.given ? gres.ipus : license.ipus;
	return 0;
}

/* Can the pool make a partition of this size? */
static int check_size(const struct tessera_platform *p, unsigned ipus, struct tessera_error *err)
{
	unsigned next = 1;

	if (ipus > p->ipus)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"%u IPUs requested, but the pool of %s has %u; ask for %u or fewer", ipus,
			p->name, p->ipus, p->ipus);
	if ((ipus & (ipus - 1)) == 0)
		return 0;
	while (next < ipus)
		next *= 2;
	if (next > p->ipus)
		next /= 2;
	return tessera_error_set(
		err, TESSERA_ERR_INPUT,
		"%u IPUs requested, but a partition has a power of two of them; ask for --ipus=%u",
		ipus, next);
}

static unsigned count_domains(const struct tessera_platform *p, unsigned ipus)
{
	if (p->ipus_per_domain == 0)
		return 1;
	return ipus / p->ipus_per_domain + (ipus % p->ipus_per_domain != 0);
}

/* A partition over several IPU-Link domains has a GCD in each, and each GCD needs a task. */
static int check_domains(const struct tessera_request *req, unsigned ipus, unsigned domains,
			 struct tessera_error *err)
{
	unsigned tasks = req->job_tasks > 0 ? req->job_tasks : 1;
	unsigned each = req->platform->ipus_per_domain;

	if (domains <= 1 || tasks >= domains)
		return 0;
	return tessera_error_set(
		err, TESSERA_ERR_INPUT,
		"%u IPUs span %u IPU-Link domains of %u, and each needs a task of its own; "
		"--ntasks=%u is too few: use --ntasks=%u, or ask for %u IPUs or fewer",
		ipus, domains, each, tasks, domains, each);
}

/* Set req->gcds. IPUS is 0 for a step that inherits its job's IPUs. */
static int read_gcds(const struct tessera_options *opt, unsigned ipus, unsigned domains,
		     struct tessera_request *req, struct tessera_error *err)
{
	unsigned gcds = domains;

	if (opt->ipu_gcds != NULL && gres_option_count("--ipu-gcds", opt->ipu_gcds, &gcds, err) < 0)
		return -1;
	if ((gcds & (gcds - 1)) != 0)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"--ipu-gcds=%u cannot divide a partition evenly; ask for a power of two",
			gcds);
	if (ipus > 0 && (gcds < domains || gcds > ipus))
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"--ipu-gcds=%u is not possible for %u IPUs: there is at least one GCD for "
			"each of their %u IPU-Link domains, and at most one for each IPU; ask for "
			"a power of two from %u to %u",
			gcds, ipus, domains, domains, ipus);
	if (opt->ipu_gcds != NULL && !opt->step && req->job_tasks > 0 && gcds > req->job_tasks)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "--ipu-gcds=%u needs at least one task for each GCD, but "
					 "--ntasks=%u is fewer: use --ntasks=%u, or fewer GCDs",
					 gcds, req->job_tasks, gcds);
	req->gcds = gcds;
	return 0;
}

unsigned tessera_request_gcd(unsigned gcds, unsigned tasks, unsigned task)
{
	if (gcds <= 1 || tasks < gcds || task >= tasks)
		return 0;
	return (unsigned)(1ULL * task * gcds / tasks);
}

int request_read_ipus(const struct tessera_conf *conf, const struct tessera_options *opt,
		      const struct request_asked *asked, struct tessera_request *req,
		      struct tessera_error *err)
{
	unsigned nodes = request_nodes(opt);
	unsigned ipus, domains;

	if (read_count(conf, opt, asked, &ipus, err) < 0)
		return -1;
	if (ipus == 0 && !opt->step)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "--ipu-gcds=" SHOWN " needs IPUs to divide: add --ipus=N",
					 opt->ipu_gcds);
	domains = count_domains(req->platform, ipus);
	/* A step runs in the job's existing partition. */
	if (check_size(req->platform, ipus, err) < 0 ||
	    (!opt->step && check_domains(req, ipus, domains, err) < 0) ||
	    read_gcds(opt, ipus, domains, req, err) < 0)
		return -1;
	if (tessera_conf_ipu_model(conf) == TESSERA_IPU_GRES) {
		if (ipus % nodes != 0 && !opt->step)
			return tessera_error_set(
				err, TESSERA_ERR_INPUT,
				"%u IPUs cannot be divided evenly among %u nodes, each of which "
				"has its own part of the pool; ask for a number of nodes that is a "
				"power of two up to %u",
				ipus, nodes, ipus);
	} else if (request_check_licenses(opt, ipus, "IPUs", err) < 0) {
		return -1;
	}
	req->ipus = ipus;
	req->domains = domains;
	return 0;
}
