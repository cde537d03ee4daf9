/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * To be preloaded: where libcurl lets OpenSSL load CAs from libcurl's default file or directory,
 * they come from MACHINE_CERTS instead. A program that names another place gets that place, and one
 * that returns to the default, on purpose or not, gets MACHINE_CERTS. Built by vipu_secrets.sh.
 */
#define _GNU_SOURCE
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int X509_STORE_load_file(void *store, const char *file);
int X509_STORE_load_path(void *store, const char *dir);

/* Call OpenSSL's function NAME with WANTED, or with INSTEAD if WANTED is libcurl's DEFAULT_PATH. */
static int load_from(const char *name, void *store, const char *wanted, const char *default_path,
		     const char *instead)
{
	int (*load)(void *, const char *) = (int (*)(void *, const char *))dlsym(RTLD_NEXT, name);

	if (load == NULL)
		abort();
	if (default_path != NULL && strcmp(wanted, default_path) == 0)
		wanted = instead;
	return load(store, wanted);
}

static const char *machine_certs(void)
{
	const char *dir = getenv("MACHINE_CERTS");

	if (dir == NULL)
		abort();
	return dir;
}

int X509_STORE_load_file(void *store, const char *file)
{
	char instead[4096];

	snprintf(instead, sizeof(instead), "%s/ca-certificates.crt", machine_certs());
	return load_from("X509_STORE_load_file", store, file,
			 curl_version_info(CURLVERSION_NOW)->cainfo, instead);
}

int X509_STORE_load_path(void *store, const char *dir)
{
	return load_from("X509_STORE_load_path", store, dir,
			 curl_version_info(CURLVERSION_NOW)->capath, machine_certs());
}
