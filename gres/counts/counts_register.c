/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gres/counts/counts_internal.h"
#include "lib/slurm/compat.h"
#include "lib/util/deadline.h"
#include "lib/util/file.h"
#include "lib/util/strbuf.h"

#define REGISTER_S 10

/* SlurmdPidFile, with the node's name for %n and the host's for %h. Returns 0, or -1 with ERR. */
static int find_pid_file(const char *node, char *buf, size_t len, struct tessera_error *err)
{
	slurm_conf_t *conf = NULL;
	char host[256] = "";
	struct strbuf path = strbuf_start(buf, len);

	if (slurm_load_ctl_conf((time_t)0, &conf) != SLURM_SUCCESS)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "cannot query slurmctld's configuration: %s",
					 slurm_strerror(errno));
	gethostname(host, sizeof(host) - 1);
	host[strcspn(host, ".")] = '\0';
	for (const char *c = conf->slurmd_pidfile; c != NULL && *c != '\0'; c++) {
		if (c[0] == '%' && (c[1] == 'n' || c[1] == 'h'))
			strbuf_put(&path, "%s", *++c == 'n' ? node : host);
		else
			strbuf_put(&path, "%c", *c);
	}
	slurm_free_ctl_conf(conf);
	if (path.used == 0 || strbuf_is_cut(&path))
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "SlurmdPidFile in slurm.conf is empty or too long");
	return 0;
}

/* Read the first line of a file that only root can write. Returns 0, or -1 with ERR. */
static int read_line(const char *path, char *line, size_t len, struct tessera_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = -1;
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return tessera_error_set(err, TESSERA_ERR_IO, "%s: %s", path, strerror(errno));
	if (fstat(fd, &st) == 0 && file_check_trust(path, &st, err) == 0) {
		n = read(fd, line, len - 1);
		line[n > 0 ? n : 0] = '\0';
		line[strcspn(line, "\n")] = '\0';
		rc = 0;
	}
	close(fd);
	return rc;
}

/* The pid of the node's slurmd, or -1 with ERR. A pid that another program has is refused. */
static pid_t find_slurmd(const char *node, struct tessera_error *err)
{
	char path[512], line[64], *end;
	long pid;

	if (find_pid_file(node, path, sizeof(path), err) < 0 ||
	    read_line(path, line, sizeof(line), err) < 0)
		return -1;
	pid = strtol(line, &end, 10);
	if (pid > 1 && *end == '\0') {
		snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
		if (read_line(path, line, sizeof(line), err) == 0 &&
		    strncmp(line, "slurmd", 6) == 0)
			return (pid_t)pid;
	}
	return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
				 "slurmd of node %s is not running on this machine", node);
}

static bool is_invalid(const struct counts_node *n)
{
	return n->state == TESSERA_GRES_COUNTS_INVALID;
}

static bool is_awaited(const struct counts_node *n)
{
	return n->awaited;
}

static bool is_registering(const struct counts_node *n)
{
	return n->state == TESSERA_GRES_COUNTS_REGISTERING || n->silent;
}

/*
 * Query slurmctld until NODE no longer is IN_STATE, for SECONDS at most. Returns 0 in both cases,
 * or -1 with ERR.
 */
static int wait_while(bool (*in_state)(const struct counts_node *n), const char *node,
		      unsigned seconds, struct tessera_error *err)
{
	int64_t deadline = deadline_after(seconds);
	struct counts_node n;
	unsigned pause = 50;
	int rc;

	do {
		deadline_pause(deadline, &pause, 500);
		rc = counts_node_load(node, &n, err);
		counts_node_free(&n);
	} while (rc == 0 && in_state(&n) && deadline_left(deadline) > 0);
	return rc;
}

int counts_node_register(const char *node, struct tessera_error *err)
{
	pid_t slurmd = find_slurmd(node, err);

	if (slurmd < 0)
		return -1;
	if (kill(slurmd, SIGHUP) != 0)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "cannot send SIGHUP to slurmd of node %s: %s", node,
					 strerror(errno));
	return wait_while(is_invalid, node, REGISTER_S, err);
}

int counts_node_await(const char *node, unsigned seconds, struct tessera_error *err)
{
	return wait_while(is_registering, node, seconds, err);
}

int counts_node_settle(const char *node, const char *reason, struct tessera_error *err)
{
	if (counts_node_resume(node, err) < 0 || counts_node_drain(node, reason, err) < 0)
		return -1;
	return wait_while(is_awaited, node, REGISTER_S, err);
}
