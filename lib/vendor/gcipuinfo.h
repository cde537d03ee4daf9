/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the output of an IPU health check that uses Graphcore's library gcipuinfo
 * (checkHealthOfDevices): {} if all IPUs are healthy, or
 *
 *   {"hosts": {"10.1.5.10": [{"error": "device", "id": "2", "partition": "p1"}]}}
 *
 * It also parses the output of gc-monitor --json (gcmonitor.h), in which every listed IPU responds.
 * Not installed: for the tessera command.
 */
#ifndef TESSERA_GCIPUINFO_H
#define TESSERA_GCIPUINFO_H

#include "lib/state/health.h"
#include "lib/util/error.h"

/*
 * Parse TEXT into the counts and the text of IPUS; its name and time are left as they are. Returns
 * 0, or -1 with ERR (TESSERA_ERR_INPUT) and zero counts: not JSON, neither of the formats above, or
 * a list of cards without an IPU.
 */
int gcipuinfo_read(const char *text, struct tessera_health_ipus *ipus, struct tessera_error *err);

#endif /* TESSERA_GCIPUINFO_H */
