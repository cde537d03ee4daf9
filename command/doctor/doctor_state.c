/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks of the nodes of this machine: the ledger, without which no job gets tiles, the locality
 * table, and the devices that show which processes use a tile.
 */
#include "config.h"

#include "command/doctor/doctor.h"
#include "command/observe/devices.h"
#include "lib/state/ledger.h"
#include "lib/state/locality.h"

static void check_ledger(struct doctor *d, const char *node, const struct tessera_platform *p,
			 const char *dir)
{
	struct tessera_ledger *ledger = NULL;
	struct tessera_error err = {0};
	struct finding *f;

	if (tessera_ledger_read(dir, p, &ledger, &err) == 0) {
		tessera_ledger_close(ledger);
		return;
	}
	f = doctor_find(d, DOCTOR_ERROR, "ledger", node, "no job gets tiles here: %s", err.text);
	if (err.code == TESSERA_ERR_INPUT)
		doctor_run(f,
			   "scancel --nodelist=%s, then rm %s/ledger && systemctl restart slurmd",
			   node, dir);
}

static void check_locality(struct doctor *d, const char *node, const struct tessera_platform *p,
			   const char *dir)
{
	struct tessera_locality *table = NULL;
	struct tessera_error err = {0};
	char boot[TESSERA_BOOT_MAX];

	if (tessera_locality_boot(boot, &err) == 0 &&
	    tessera_locality_read(dir, p, boot, &table, &err) == 0) {
		tessera_locality_free(table);
		return;
	}
	doctor_run(doctor_find(d, DOCTOR_WARNING, "locality", node,
			       "cannot read the RDU locality table, NUMA placement is ignored: %s",
			       err.text),
		   "tessera topology --write --node=%s", node);
}

static void check_devices(struct doctor *d, const char *node)
{
	struct tessera_error err = {0};

	if (!devices_exist(d->conf, node, &err))
		doctor_write(doctor_find(d, DOCTOR_WARNING, "device_files", node, "%s", err.text),
			     "DeviceFiles = \"PATTERN\" in tessera.conf; ls -l /proc/PID/fd of a "
			     "process that uses a tile shows the device");
}

static void check_node(struct doctor *d, const char *node, const struct tessera_platform *p)
{
	char dir[512];

	check_devices(d, node);
	if (!doctor_state_dir(d, node, dir, sizeof(dir)))
		return;
	check_ledger(d, node, p, dir);
	check_locality(d, node, p, dir);
}

void doctor_check_state(struct doctor *d)
{
	const struct tessera_platform *p;
	const char *name;

	for (uint32_t i = 0; d->nodes != NULL && i < d->nodes->record_count; i++)
		if ((name = doctor_local_node(d, i, &p)) != NULL && p->kind == TESSERA_KIND_RDU)
			check_node(d, name, p);
}
