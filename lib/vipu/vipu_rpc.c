/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/deadline.h"
#include "lib/util/utf8.h"
#include "lib/vipu/secrets.h"
#include "lib/vipu/vipu_reply.h"
#include "lib/vipu/vipu_rpc.h"

struct vipu_rpc {
	const struct tessera_vipu_site *site;
	CURL *curl;
	struct curl_slist *headers; /* of each call, with those of the metadata file */
	char base[TESSERA_HOST_MAX + 32];
	struct vipu_reply reply;
	CURLcode result;
	char detail[CURL_ERROR_SIZE]; /* libcurl's error text */
};

/* An IPv6 address goes into brackets. */
static void format_url(const struct tessera_vipu_site *site, char *buf, size_t len)
{
	bool v6 = strchr(site->host, ':') != NULL;

	snprintf(buf, len, "%s://%s%s%s:%u", site->tls ? "https" : "http", v6 ? "[" : "",
		 site->host, v6 ? "]" : "", site->port);
}

static size_t receive_header(char *line, size_t one, size_t len, void *arg)
{
	vipu_reply_header(arg, line, len);
	return one * len;
}

static size_t receive_body(char *data, size_t one, size_t len, void *arg)
{
	return vipu_reply_body(arg, data, len) < 0 ? CURL_WRITEFUNC_ERROR : one * len;
}

/*
 * Options of every connection: no proxy, no other protocol, no redirect, no signals, and no thread
 * that outlives a call.
 */
static void set_transport(CURL *curl, const struct tessera_vipu_site *site)
{
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	/* Do not wait for a resolver that hangs. */
	curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, site->tls ? "https" : "http");
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(curl, CURLOPT_TCP_NODELAY, 1L);
	curl_easy_setopt(curl, CURLOPT_HTTP_VERSION,
			 site->tls ? (long)CURL_HTTP_VERSION_2TLS
				   : (long)CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
	/*
	 * A second call on a connection without TLS fails in libcurl before 8.0 (its issue 10634).
	 */
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

	if (add_header("content-type: application/grpc", rpc) < 0 ||
	    add_header("te: trailers", rpc) < 0 ||
	    add_header("user-agent: " PACKAGE_NAME "/" PACKAGE_VERSION, rpc) < 0 ||
	    add_header("accept:", rpc) < 0)
		return tessera_error_nomem(err);
	if (path[0] == '\0')
		return 0;
	text = vipu_secret_read(path, true, &len, err);
	if (text == NULL)
		return -1;
	rc = secrets_parse(path, text, add_header, rpc, err);
	vipu_secret_free(text, len);
	return rc;
}

/* Pass the file's bytes, not its name: libcurl must use what was checked. */
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
			      : tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "%s: %s", path,
						  curl_easy_strerror(rc));
}

/*
 * A CA file replaces libcurl's default file only: libcurl would look for CAs in its default
 * directory as well. NULL means none before libcurl 8.17 and the default from there on, so name
 * something that never has entries.
 */
static int leave_system_store(struct vipu_rpc *rpc, struct tessera_error *err)
{
	CURLcode rc = curl_easy_setopt(rpc->curl, CURLOPT_CAPATH, "/dev/null");

	/* A TLS library that cannot use a directory has no default directory either. */
	if (rc == CURLE_OK || rc == CURLE_NOT_BUILT_IN)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "cannot leave the system store: %s",
				 curl_easy_strerror(rc));
}

static int set_tls(struct vipu_rpc *rpc, struct tessera_error *err)
{
	const struct tessera_vipu_site *site = rpc->site;

	if (!site->tls)
		return 0;
	curl_easy_setopt(rpc->curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	curl_easy_setopt(rpc->curl, CURLOPT_SSL_VERIFYPEER, 1L);
	curl_easy_setopt(rpc->curl, CURLOPT_SSL_VERIFYHOST, 2L);
	if (site->ca_file[0] != '\0' && leave_system_store(rpc, err) < 0)
		return -1;
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
		tessera_error_nomem(err);
		free(rpc);
		return NULL;
	}
	rpc->site = site;
	vipu_reply_start(&rpc->reply);
	format_url(site, rpc->base, sizeof(rpc->base));
	set_transport(rpc->curl, site);
	curl_easy_setopt(rpc->curl, CURLOPT_ERRORBUFFER, rpc->detail);
	curl_easy_setopt(rpc->curl, CURLOPT_HEADERFUNCTION, receive_header);
	curl_easy_setopt(rpc->curl, CURLOPT_HEADERDATA, &rpc->reply);
	curl_easy_setopt(rpc->curl, CURLOPT_WRITEFUNCTION, receive_body);
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

/* Report why the transport failed, in our words where they help more than libcurl's. */
static int report_failure(struct vipu_rpc *rpc, int64_t allowed, struct tessera_error *err)
{
	const struct vipu_reply *reply = &rpc->reply;
	const uint8_t *msg;
	size_t len;

	utf8_clean(rpc->detail);
	switch (rpc->result) {
	case CURLE_OPERATION_TIMEDOUT:
		return tessera_error_set(
			err, TESSERA_ERR_UNAVAILABLE, "timed out after %lld.%lld seconds",
			(long long)allowed / 1000, (long long)allowed % 1000 / 100);
	case CURLE_COULDNT_CONNECT:
	case CURLE_COULDNT_RESOLVE_HOST:
		return tessera_error_set(
			err, TESSERA_ERR_UNAVAILABLE,
			"cannot be reached (%s): is it running, and are Host and Port right?",
			rpc->detail);
	case CURLE_PEER_FAILED_VERIFICATION:
		return tessera_error_set(
			err, TESSERA_ERR_UNAVAILABLE,
			"its certificate is not trusted (%s): see CaFile in tessera.conf",
			rpc->detail);
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CACERT_BADFILE:
		return tessera_error_set(
			err, TESSERA_ERR_UNAVAILABLE,
			"a certificate or key cannot be used (%s): see CaFile, CertFile and "
			"CertKey in tessera.conf",
			rpc->detail);
	case CURLE_SSL_CONNECT_ERROR:
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "TLS connection failed (%s): does it speak TLS, and does "
					 "it require CertFile?",
					 rpc->detail);
	default:
		/*
		 * The transport may fail after a refusal, another program's answer or one that is
		 * too long has come: what came says more.
		 */
		if (reply->too_large ||
		    (reply->http != 0 && (reply->status > GRPC_OK || reply->http != 200)))
			return vipu_reply_finish(reply, &msg, &len, err);
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "the connection broke, or it does not speak gRPC (%s)",
					 rpc->detail[0] != '\0' ? rpc->detail
								: curl_easy_strerror(rpc->result));
	}
}

/* The headers of a call are those of every call, and how long the controller may take. */
static int perform_call(struct vipu_rpc *rpc, const char *method, const uint8_t *frame, size_t len,
			int64_t allowed)
{
	struct curl_slist first = {.next = rpc->headers};
	char url[sizeof(rpc->base) + 64], timeout[48];

	snprintf(url, sizeof(url), "%s%s", rpc->base, method);
	snprintf(timeout, sizeof(timeout), "grpc-timeout: %lldm", (long long)allowed);
	first.data = timeout;
	rpc->detail[0] = '\0';
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

int vipu_rpc_call(struct vipu_rpc *rpc, const char *method, uint8_t *frame, size_t len,
		  int64_t deadline, const uint8_t **msg, size_t *msg_len, struct tessera_error *err)
{
	int64_t allowed =
		deadline_left(deadline_earlier(deadline, deadline_after(rpc->site->call_wait)));
	int rc;

	vipu_reply_free(&rpc->reply);
	frame[0] = 0;
	for (unsigned i = 1; i < VIPU_FRAME_BYTES; i++)
		frame[i] = (uint8_t)(len >> (8 * (VIPU_FRAME_BYTES - 1 - i)));
	if (allowed == 0)
		allowed = 1; /* to libcurl, 0 is no limit */
	if (perform_call(rpc, method, frame, VIPU_FRAME_BYTES + len, allowed) != CURLE_OK)
		rc = report_failure(rpc, allowed, err);
	else
		rc = vipu_reply_finish(&rpc->reply, msg, msg_len, err);
	if (rc < 0)
		tessera_error_prefix(err, "V-IPU controller %s:%u", rpc->site->host,
				     rpc->site->port);
	return rc;
}

int vipu_rpc_status(const struct vipu_rpc *rpc)
{
	return rpc->reply.status;
}

bool vipu_rpc_certificates(const struct vipu_rpc *rpc)
{
	return rpc->result == CURLE_PEER_FAILED_VERIFICATION ||
	       rpc->result == CURLE_SSL_CERTPROBLEM || rpc->result == CURLE_SSL_CACERT_BADFILE;
}

bool vipu_rpc_unsent(const struct vipu_rpc *rpc)
{
	return rpc->result == CURLE_COULDNT_CONNECT || rpc->result == CURLE_COULDNT_RESOLVE_HOST ||
	       rpc->result == CURLE_SSL_CONNECT_ERROR || vipu_rpc_certificates(rpc);
}
