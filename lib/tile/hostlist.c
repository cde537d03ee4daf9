/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/tile/hostlist.h"

#define DIGITS      "0123456789"
#define NAME_CHARS  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS "-_."
#define DIGITS_MAX  9     /* of a number in brackets, so that it fits an unsigned */
#define HOST_LEN    255   /* longest host name */
#define HOSTS_MAX   65536 /* in one list: bounds the time of a lookup */
#define SHOWN_CHARS 100   /* of a list, in a message */

/* One item in brackets: 02-04, or 7, which is the same as 7-7. */
struct range {
	unsigned first;
	unsigned last;
	unsigned width; /* number of digits of first; shorter numbers are zero-padded to it */
};

static unsigned digits_value(const char *text, size_t len)
{
	unsigned n = 0;

	for (size_t i = 0; i < len; i++)
		n = n * 10 + (unsigned)(text[i] - '0');
	return n;
}

/* Read a number at *AT and advance. False if there is none, or it has too many digits. */
static bool read_number(const char **at, unsigned *n, unsigned *width)
{
	size_t len = strspn(*at, DIGITS);

	if (len == 0 || len > DIGITS_MAX)
		return false;
	*n = digits_value(*at, len);
	*width = (unsigned)len;
	*at += len;
	return true;
}

/* Read a range at *AT and advance past it and a following comma. False if it is not a range. */
static bool read_range(const char **at, struct range *r)
{
	unsigned ignored;

	if (!read_number(at, &r->first, &r->width))
		return false;
	r->last = r->first;
	if (**at == '-') {
		(*at)++;
		if (!read_number(at, &r->last, &ignored))
			return false;
	}
	if (**at == ']')
		return true;
	if (**at != ',')
		return false;
	(*at)++;
	/* Another range must follow the comma. */
	return **at != ']';
}

/* Checking */

struct checker {
	const char *list;
	const char *at;
	struct tessera_error *err;
	unsigned long long hosts;      /* in the names checked so far */
	unsigned long long name_hosts; /* in the current name so far */
	size_t name_len;               /* of the longest host in the current name so far */
};

static int reject_list(const struct checker *c, const char *what)
{
	return tessera_error_set(c->err, TESSERA_ERR_INPUT,
				 "the host list \"%.*s\" %s: write it as Slurm does, for example "
				 "sn30-r1-h[1-8],sm-01",
				 SHOWN_CHARS, c->list, what);
}

static int check_bracket(struct checker *c)
{
	unsigned long long hosts = 0;
	unsigned longest = 0;

	c->at++;
	do {
		struct range r;
		int digits;

		if (!read_range(&c->at, &r))
			return reject_list(
				c, "has brackets that do not contain numbers and ranges, or "
				   "are not closed");
		if (r.last < r.first)
			return reject_list(c, "has a range that runs backwards");
		digits = snprintf(NULL, 0, "%0*u", (int)r.width, r.last);
		if ((unsigned)digits > longest)
			longest = (unsigned)digits;
		hosts += r.last - r.first + 1;
		if (hosts > HOSTS_MAX)
			return reject_list(c, "names more than 65536 hosts");
	} while (*c->at != ']');
	c->at++;
	c->name_len += longest;
	c->name_hosts *= hosts;
	return 0;
}

static int check_name(struct checker *c)
{
	c->name_hosts = 1;
	c->name_len = 0;
	while (*c->at != '\0' && *c->at != ',') {
		size_t len = strspn(c->at, NAME_CHARS);

		c->at += len;
		c->name_len += len;
		if (*c->at == '[' && check_bracket(c) < 0)
			return -1;
		if (*c->at != '\0' && *c->at != ',' && *c->at != '[' &&
		    strchr(NAME_CHARS, *c->at) == NULL)
			return reject_list(c, "has a character that is not allowed in host names");
		if (c->name_hosts > HOSTS_MAX)
			return reject_list(c, "names more than 65536 hosts");
		if (c->name_len > HOST_LEN)
			return reject_list(c, "has a name of more than 255 characters");
	}
	if (c->name_len == 0)
		return reject_list(c, c->list[0] == '\0' ? "is empty" : "has an empty name in it");
	c->hosts += c->name_hosts;
	return c->hosts > HOSTS_MAX ? reject_list(c, "names more than 65536 hosts") : 0;
}

int tessera_hostlist_check(const char *list, struct tessera_error *err)
{
	struct checker c = {.list = list, .at = list, .err = err};

	for (;;) {
		if (check_name(&c) < 0)
			return -1;
		if (*c.at == '\0')
			return 0;
		c.at++;
	}
}

/* Lookup: from here on, the syntax of lists has been checked. */

static bool name_ends(const char *at)
{
	return *at == '\0' || *at == ',';
}

static bool name_matches(const char *name, const char *host);

/* Does HOST start with a number in R, and match REST, the name after the bracket, behind it? */
static bool range_matches(const struct range *r, const char *rest, const char *host)
{
	size_t digits = strspn(host, DIGITS);

	for (size_t len = r->width; len <= digits && len <= DIGITS_MAX; len++) {
		unsigned n = digits_value(host, len);

		/* Numbers longer than the padded width do not start with a zero. */
		if (len > r->width && host[0] == '0')
			return false;
		if (n >= r->first && n <= r->last && name_matches(rest, host + len))
			return true;
	}
	return false;
}

static bool name_matches(const char *name, const char *host)
{
	const char *rest;

	while (*name != '[') {
		if (name_ends(name))
			return *host == '\0';
		if (*name++ != *host++)
			return false;
	}
	rest = strchr(name++, ']');
	if (rest == NULL)
		return false;
	while (name < rest) {
		struct range r;

		if (read_range(&name, &r) && range_matches(&r, rest + 1, host))
			return true;
	}
	return false;
}

/* The name after NAME in its list, or NULL. */
static const char *next_name(const char *name)
{
	while (!name_ends(name)) {
		if (*name == '[')
			name += strcspn(name, "]");
		name++;
	}
	return *name == ',' ? name + 1 : NULL;
}

static bool list_has(const char *list, const char *host)
{
	for (const char *name = list; name != NULL; name = next_name(name))
		if (name_matches(name, host))
			return true;
	return false;
}

bool tessera_hostlist_has(const char *list, const char *host)
{
	if (list == NULL || host == NULL || tessera_hostlist_check(list, NULL) < 0)
		return false;
	return list_has(list, host);
}

/*
 * Append each expansion of NAME to the first USED characters of HOST, until LIST contains the
 * result. Recurses once for each bracket.
 */
static bool find_common(const char *name, const char *list, char host[HOST_LEN + 1], size_t used)
{
	const char *rest;

	while (*name != '[') {
		if (name_ends(name)) {
			host[used] = '\0';
			return list_has(list, host);
		}
		host[used++] = *name++;
	}
	rest = strchr(name++, ']');
	if (rest == NULL)
		return false;
	while (name < rest) {
		struct range r;

		if (!read_range(&name, &r))
			return false;
		for (unsigned n = r.first; n <= r.last; n++) {
			int len =
				snprintf(host + used, HOST_LEN + 1 - used, "%0*u", (int)r.width, n);

			if (find_common(rest + 1, list, host, used + (size_t)len))
				return true;
		}
	}
	return false;
}

bool tessera_hostlist_common(const char *a, const char *b, char *host, size_t len)
{
	char found[HOST_LEN + 1] = "";

	if (tessera_hostlist_check(a, NULL) < 0 || tessera_hostlist_check(b, NULL) < 0)
		return false;
	for (const char *name = a; name != NULL; name = next_name(name)) {
		if (find_common(name, b, found, 0)) {
			snprintf(host, len, "%s", found);
			return true;
		}
	}
	return false;
}
