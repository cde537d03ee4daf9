/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <string.h>

#include "lib/platform_parts.h"
#include "lib/reader.h"

#define NUMBER_MAX 65535 /* far above any NUMA node's number */

/* How many numbers Numa has, 0 if it is no list of numbers. *VALUE is set to the one at INDEX. */
static unsigned read_numa(const char *text, unsigned index, unsigned *value)
{
	struct reader r = {.at = text};
	unsigned count = 0;

	do {
		unsigned number = (unsigned)reader_number(&r, count > 0 ? "," : "", NUMBER_MAX);

		if (count++ == index)
			*value = number;
	} while (reader_follows(&r, ","));
	return r.failed || *r.at != '\0' ? 0 : count;
}

int tessera_platform_numa(const struct tessera_platform *p, unsigned rdu)
{
	unsigned rdus = tessera_platform_rdus(p), count, value = 0;

	if (p->numa[0] == '\0' || rdu >= rdus)
		return -1;
	count = read_numa(p->numa, 0, &value);
	if (count == 0 || rdus % count != 0)
		return -1;
	read_numa(p->numa, rdu / (rdus / count), &value);
	return (int)value;
}

/* Four hexadecimal digits, or -1. */
static int read_hex(const char *text)
{
	int value = 0;

	for (int i = 0; i < 4; i++) {
		static const char digits[] = "0123456789abcdefABCDEF";
		const char *at = text[i] != '\0' ? strchr(digits, text[i]) : NULL;

		if (at == NULL)
			return -1;
		value = value * 16 + (int)(at - digits) - (at - digits > 15 ? 6 : 0);
	}
	return value;
}

static bool read_pci(const char *text, int *vendor, int *device)
{
	size_t len = strlen(text);

	*vendor = read_hex(text);
	*device = -1;
	if (*vendor < 0 || len == 4)
		return *vendor >= 0;
	if (len != 9 || text[4] != ':')
		return false;
	*device = read_hex(text + 5);
	return *device >= 0;
}

bool tessera_platform_pci(const struct tessera_platform *p, unsigned *vendor, int *device)
{
	int number;

	if (!read_pci(p->pci_id, &number, device))
		return false;
	*vendor = (unsigned)number;
	return true;
}

int platform_check_place(const struct tessera_platform *p, struct tessera_error *err)
{
	unsigned rdus = tessera_platform_rdus(p), count, value;
	int vendor, device;

	if (p->numa[0] != '\0') {
		count = read_numa(p->numa, 0, &value);
		if (count == 0)
			return tessera_error_set(
				err, TESSERA_ERR_INPUT,
				"platform %s has Numa = \"%.80s\", which is no list of NUMA nodes: "
				"write their numbers with commas between, such as \"0,1\"",
				p->name, p->numa);
		if (rdus % count != 0)
			return tessera_error_set(
				err, TESSERA_ERR_INPUT,
				"platform %s has %u numbers in Numa, which do not divide its %u "
				"RDUs evenly: write one for each RDU, or for each group of as many",
				p->name, count, rdus);
	}
	if (p->pci_id[0] != '\0' && !read_pci(p->pci_id, &vendor, &device))
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"platform %s has PciId = \"%s\", which names no PCI device: write vendor or "
			"vendor:device with four hexadecimal digits each, as lspci -n prints them",
			p->name, p->pci_id);
	return 0;
}
