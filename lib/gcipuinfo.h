/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a health check of IPUs prints, with Graphcore's library gcipuinfo (checkHealthOfDevices): {} if all is well, or
 *
 *   {"hosts": {"10.1.5.10": [{"error": "device", "id": "2", "partition": "p1", "board ipu index": "1"}]}}
 *
 * Or what gc-monitor --json prints (gcmonitor.h): that it lists IPUs is proof that they answer. Not installed: for the
 * tessera command.
 */
#ifndef TESSERA_GCIPUINFO_H
#define TESSERA_GCIPUINFO_H

#include "error.h"
#include "health.h"

/*
 * Read TEXT into the numbers and the text of IPUS; its name and time stay. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT)
 * and zeros: no JSON, neither of the above, a list of cards without an IPU.
 */
int gcipuinfo_read(const char *text, struct tessera_health_ipus *ipus, struct tessera_error *err);

#endif /* TESSERA_GCIPUINFO_H */
