/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/deadline.h"
#include "lib/text.h"
#include "lib/vipu_metadata.h"
#include "lib/vipu_reply.h"
#include "lib/vipu_rpc.h"

struct vipu_rpc {
	const struct tessera_vipu_site *site;
	CURL *curl;
	struct curl_slist *headers; /* of each call; the metadata file's are among them */
	char base[TESSERA_HOST_MAX + 32];
	struct vipu_reply reply;
	CURLcode result;
	char words[CURL_ERROR_SIZE]; /* libcurl's own */
};

/* An IPv6 address stands in brackets. */
static void site_url(const struct tessera_vipu_site *site, char *buf, size_t len)
{
	bool v6 = strchr(site->host, ':') != NULL;

	snprintf(buf, len, "%s://%s%s%s:%u", site->tls ? "https" : "http", v6 ? "[" : "", site->host, v6 ? "]" : "",
		 site->port);
}

static size_t take_header(char *line, size_t one, size_t len, void *arg)
{
	vipu_reply_header(arg, line, len);
	return one * len;
}

static size_t take_body(char *data, size_t one, size_t len, void *arg)
{
	return vipu_reply_body(arg, data, len) < 0 ? CURL_WRITEFUNC_ERROR : one * len;
}

/* What holds for every connection: no proxies, no other protocols, no signals, and nothing that outlives a call. */
static void set_transport(CURL *curl, const struct tessera_vipu_site *site)
{
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L); /* a resolver that hangs is not waited for */
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, site->tls ? "https" : "http");
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(curl, CURLOPT_TCP_NODELAY, 1L);
	curl_easy_setopt(curl, CURLOPT_HTTP_VERSION,
			 site->tls ? (long)CURL_HTTP_VERSION_2TLS : (long)CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
	/* A second call on a connection without TLS fails in libcurl before 8.0 (its issue 10634). */
	if (!site->tls && curl_version_info(CURLVERSION_NOW)->version_num < 0x080000)
		curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
}

static int add_header(const char *line, void *arg)
{
	struct vipu_rpc *rpc = arg;
	struct curl_slist *longer = curl_slist_append(rpc->headers, line);

	if (longer == NULL)
		return -1;
	rpc->headers = longer;
	return 0;
}

static int set_headers(struct vipu_rpc *rpc, struct tessera_error *err)
{
	const char *path = rpc->site->metadata_file;
	size_t len;
	char *text;
	int rc;

	if (add_header("content-type: application/grpc", rpc) < 0 || add_header("te: trailers", rpc) < 0 ||
	    add_header("user-agent: " PACKAGE_NAME "/" PACKAGE_VERSION, rpc) < 0 || add_header("accept:", rpc) < 0)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
	if (path[0] == '\0')
		return 0;
	text = vipu_secret_read(path, true, &len, err);
	if (text == NULL)
		return -1;
	rc = vipu_metadata_parse(path, text, add_header, rpc, err);
	vipu_secret_free(text, len);
	return rc;
}

/* A file's bytes are given to libcurl, not its name: what was looked at is what is used. */
static int set_blob(struct vipu_rpc *rpc, CURLoption option, const char *path, bool secret,
		    struct tessera_error *err)
{
	struct curl_blob blob = {.flags = CURL_BLOB_COPY};
	CURLcode rc;
	char *text;

	if (path[0] == '\0')
		return 0;
	text = vipu_secret_read(path, secret, &blob.len, err);
	if (text == NULL)
		return -1;
	blob.data = text;
	rc = curl_easy_setopt(rpc->curl, option, &blob);
	vipu_secret_free(text, blob.len);
	return rc == CURLE_OK ? 0
			      : tessera_error_set(err, TESSERA_ERR_MISSING, "%s: %s", path, curl_easy_strerror(rc));
}

static int set_tls(struct vipu_rpc *rpc, struct tessera_error *err)
{
	const struct tessera_vipu_site *site = rpc->site;

	if (!site->tls)
		return 0;
	curl_easy_setopt(rpc->curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	curl_easy_setopt(rpc->curl, CURLOPT_SSL_VERIFYPEER, 1L);
	curl_easy_setopt(rpc->curl, CURLOPT_SSL_VERIFYHOST, 2L);
	/* libcurl would trust the machine's authorities besides. */
	if (site->ca_file[0] != '\0')
		curl_easy_setopt(rpc->curl, CURLOPT_CAPATH, NULL);
	if (set_blob(rpc, CURLOPT_CAINFO_BLOB, site->ca_file, false, err) < 0 ||
	    set_blob(rpc, CURLOPT_SSLCERT_BLOB, site->cert_file, false, err) < 0 ||
	    set_blob(rpc, CURLOPT_SSLKEY_BLOB, site->cert_key, true, err) < 0)
		return -1;
	return 0;
}

struct vipu_rpc *vipu_rpc_open(const struct tessera_vipu_site *site, struct tessera_error *err)
{
	struct vipu_rpc *rpc = calloc(1, sizeof(*rpc));

	if (rpc != NULL)
		rpc->curl = curl_easy_init();
	if (rpc == NULL || rpc->curl == NULL) {
		tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
		free(rpc);
		return NULL;
	}
	rpc->site = site;
	vipu_reply_start(&rpc->reply);
	site_url(site, rpc->base, sizeof(rpc->base));
	set_transport(rpc->curl, site);
	curl_easy_setopt(rpc->curl, CURLOPT_ERRORBUFFER, rpc->words);
	curl_easy_setopt(rpc->curl, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(rpc->curl, CURLOPT_HEADERDATA, &rpc->reply);
	curl_easy_setopt(rpc->curl, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(rpc->curl, CURLOPT_WRITEDATA, &rpc->reply);
	if (set_headers(rpc, err) < 0 || set_tls(rpc, err) < 0) {
		vipu_rpc_close(rpc);
		return NULL;
	}
	return rpc;
}

void vipu_rpc_close(struct vipu_rpc *rpc)
{
	if (rpc == NULL)
		return;
	curl_easy_cleanup(rpc->curl);
	for (struct curl_slist *h = rpc->headers; h != NULL; h = h->next)
		explicit_bzero(h->data, strlen(h->data));
	curl_slist_free_all(rpc->headers);
	vipu_reply_free(&rpc->reply);
	free(rpc);
}

/* What went wrong on the way, in our words where they say more than libcurl's. */
static int explain(struct vipu_rpc *rpc, int64_t allowed, struct tessera_error *err)
{
	const struct vipu_reply *reply = &rpc->reply;
	const uint8_t *msg;
	size_t len;

	text_clean(rpc->words);
	switch (rpc->result) {
	case CURLE_OPERATION_TIMEDOUT:
		return tessera_error_set(err, TESSERA_ERR_MISSING, "no answer within %lld.%lld seconds",
					 (long long)allowed / 1000, (long long)allowed % 1000 / 100);
	case CURLE_COULDNT_CONNECT:
	case CURLE_COULDNT_RESOLVE_HOST:
		return tessera_error_set(err, TESSERA_ERR_MISSING,
					 "it cannot be reached (%s): is it running, and are Host and Port right?",
					 rpc->words);
	case CURLE_PEER_FAILED_VERIFICATION:
		return tessera_error_set(err, TESSERA_ERR_MISSING,
					 "its certificate is not trusted (%s): see CaFile in tessera.conf",
					 rpc->words);
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CACERT_BADFILE:
		return tessera_error_set(err, TESSERA_ERR_MISSING,
					 "a certificate or key cannot be used (%s): see CaFile, CertFile and "
					 "CertKey in tessera.conf",
					 rpc->words);
	case CURLE_SSL_CONNECT_ERROR:
		return tessera_error_set(err, TESSERA_ERR_MISSING,
					 "no TLS connection (%s): does it speak TLS, and does it want CertFile?",
					 rpc->words);
	default:
		/* A refusal, a stranger's answer and one that is too long are known by what came before the end. */
		if (reply->too_large || (reply->http != 0 && (reply->status > GRPC_OK || reply->http != 200)))
			return vipu_reply_finish(reply, &msg, &len, err);
		return tessera_error_set(err, TESSERA_ERR_MISSING,
					 "the connection broke, or it does not speak gRPC (%s)",
					 rpc->words[0] != '\0' ? rpc->words : curl_easy_strerror(rpc->result));
	}
}

/* The headers of this call: those of all, and how long the controller may work at it. */
static int perform(struct vipu_rpc *rpc, const char *method, const uint8_t *frame, size_t len, int64_t allowed)
{
	struct curl_slist first = {.next = rpc->headers};
	char url[sizeof(rpc->base) + 64], timeout[48];

	snprintf(url, sizeof(url), "%s%s", rpc->base, method);
	snprintf(timeout, sizeof(timeout), "grpc-timeout: %lldm", (long long)allowed);
	first.data = timeout;
	rpc->words[0] = '\0';
	if (curl_easy_setopt(rpc->curl, CURLOPT_URL, url) != CURLE_OK)
		return CURLE_OUT_OF_MEMORY;
	curl_easy_setopt(rpc->curl, CURLOPT_HTTPHEADER, &first);
	curl_easy_setopt(rpc->curl, CURLOPT_POSTFIELDS, frame);
	curl_easy_setopt(rpc->curl, CURLOPT_POSTFIELDSIZE, (long)len);
	curl_easy_setopt(rpc->curl, CURLOPT_TIMEOUT_MS, (long)allowed);
	curl_easy_setopt(rpc->curl, CURLOPT_CONNECTTIMEOUT_MS, (long)allowed);
	rpc->result = curl_easy_perform(rpc->curl);
	curl_easy_setopt(rpc->curl, CURLOPT_HTTPHEADER, rpc->headers);
	return (int)rpc->result;
}

int vipu_rpc_call(struct vipu_rpc *rpc, const char *method, uint8_t *frame, size_t len, int64_t deadline,
		  const uint8_t **msg, size_t *msg_len, struct tessera_error *err)
{
	int64_t allowed = deadline_left(deadline_nearer(deadline, deadline_after(rpc->site->call_wait)));
	int rc;

	vipu_reply_free(&rpc->reply);
	frame[0] = 0;
	for (unsigned i = 1; i < VIPU_FRAME_BYTES; i++)
		frame[i] = (uint8_t)(len >> (8 * (VIPU_FRAME_BYTES - 1 - i)));
	if (allowed == 0)
		allowed = 1; /* 0 would be for ever to libcurl */
	if (perform(rpc, method, frame, VIPU_FRAME_BYTES + len, allowed) != CURLE_OK)
		rc = explain(rpc, allowed, err);
	else
		rc = vipu_reply_finish(&rpc->reply, msg, msg_len, err);
	if (rc < 0)
		tessera_error_prefix(err, "V-IPU controller %s:%u", rpc->site->host, rpc->site->port);
	return rc;
}

int vipu_rpc_status(const struct vipu_rpc *rpc)
{
	return rpc->reply.status;
}

bool vipu_rpc_certificates(const struct vipu_rpc *rpc)
{
	return rpc->result == CURLE_PEER_FAILED_VERIFICATION || rpc->result == CURLE_SSL_CERTPROBLEM ||
	       rpc->result == CURLE_SSL_CACERT_BADFILE;
}

bool vipu_rpc_unsent(const struct vipu_rpc *rpc)
{
	return rpc->result == CURLE_COULDNT_CONNECT || rpc->result == CURLE_COULDNT_RESOLVE_HOST ||
	       rpc->result == CURLE_SSL_CONNECT_ERROR || vipu_rpc_certificates(rpc);
}

int vipu_rpc_reach(const struct tessera_vipu_site *site, int64_t deadline, struct tessera_error *err)
{
	int64_t allowed = deadline_left(deadline_nearer(deadline, deadline_after(site->call_wait)));
	char url[TESSERA_HOST_MAX + 32];
	CURL *curl = curl_easy_init();
	CURLcode rc = CURLE_OUT_OF_MEMORY;

	site_url(site, url, sizeof(url));
	if (curl != NULL) {
		set_transport(curl, site);
		curl_easy_setopt(curl, CURLOPT_URL, url);
		curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http");
		curl_easy_setopt(curl, CURLOPT_CONNECT_ONLY, 1L);
		curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(allowed > 0 ? allowed : 1));
		rc = curl_easy_perform(curl);
		curl_easy_cleanup(curl);
	}
	if (rc == CURLE_OK)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_MISSING, "V-IPU controller %s:%u: it cannot be reached (%s)",
				 site->host, site->port, curl_easy_strerror(rc));
}
