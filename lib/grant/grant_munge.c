/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <munge.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grant/grant_munge.h"

/* NULL with ERR when out of memory. */
static munge_ctx_t open_context(const char *socket, struct tessera_error *err)
{
	munge_ctx_t ctx = munge_ctx_create();

	if (ctx != NULL && (socket == NULL || socket[0] == '\0' ||
			    munge_ctx_set(ctx, MUNGE_OPT_SOCKET, socket) == EMUNGE_SUCCESS))
		return ctx;
	if (ctx != NULL)
		munge_ctx_destroy(ctx);
	tessera_error_nomem(err);
	return NULL;
}

static int set_unavailable(munge_ctx_t ctx, const char *socket, munge_err_t code,
			   struct tessera_error *err)
{
	const char *why = munge_ctx_strerror(ctx);

	return tessera_error_set(
		err, TESSERA_ERR_UNAVAILABLE,
		"munged%s%s does not respond: %s (check MungeSocket in tessera.conf)",
		socket != NULL && socket[0] != '\0' ? " at " : "", socket != NULL ? socket : "",
		why != NULL ? why : munge_strerror(code));
}

char *grant_munge_encode(const char *text, const char *socket, struct tessera_error *err)
{
	munge_ctx_t ctx = open_context(socket, err);
	char *credential = NULL;
	munge_err_t code;

	if (ctx == NULL)
		return NULL;
	code = munge_encode(&credential, ctx, text, (int)strlen(text));
	if (code != EMUNGE_SUCCESS) {
		set_unavailable(ctx, socket, code, err);
		free(credential);
		credential = NULL;
	}
	munge_ctx_destroy(ctx);
	return credential;
}

/*
 * Turn munge's result into ours. Expired and replayed credentials are valid: a task may show its
 * grant at any time, and more than once.
 */
static int check_decoded(munge_ctx_t ctx, const char *socket, munge_err_t code,
			 struct tessera_error *err)
{
	switch (code) {
	case EMUNGE_SUCCESS:
	case EMUNGE_CRED_EXPIRED:
	case EMUNGE_CRED_REWOUND:
	case EMUNGE_CRED_REPLAYED:
		return 0;
	case EMUNGE_CRED_INVALID:
	case EMUNGE_BAD_VERSION:
	case EMUNGE_BAD_CIPHER:
	case EMUNGE_BAD_MAC:
	case EMUNGE_BAD_ZIP:
	case EMUNGE_BAD_REALM:
		return tessera_error_set(
			err, TESSERA_ERR_ALTERED,
			"the grant was altered, or created with another munge key: %s",
			munge_strerror(code));
	case EMUNGE_BAD_ARG: /* spaces only */
	case EMUNGE_BAD_CRED:
	case EMUNGE_BAD_LENGTH:
		return tessera_error_set(err, TESSERA_ERR_FORGED,
					 "the grant is not a munge credential");
	case EMUNGE_CRED_UNAUTHORIZED:
		return tessera_error_set(err, TESSERA_ERR_FORGED,
					 "the grant is a munge credential restricted to another "
					 "user: root does not create such grants");
	default:
		return set_unavailable(ctx, socket, code, err);
	}
}

/* A NUL-terminated copy; an error if PAYLOAD itself has a NUL. */
static char *copy_text(const void *payload, int len, struct tessera_error *err)
{
	char *text = calloc(1, (size_t)len + 1);

	if (text == NULL) {
		tessera_error_nomem(err);
		return NULL;
	}
	if (len > 0)
		memcpy(text, payload, (size_t)len);
	if (strlen(text) == (size_t)len)
		return text;
	free(text);
	tessera_error_set(err, TESSERA_ERR_FORGED, "the grant does not contain text");
	return NULL;
}

int grant_munge_decode(const char *credential, const char *socket, char **text, uint32_t *uid,
		       struct tessera_error *err)
{
	munge_ctx_t ctx;
	void *payload = NULL;
	uid_t creator = (uid_t)-1;
	gid_t group;
	int len = 0, rc;

	*text = NULL;
	if (strnlen(credential, GRANT_CREDENTIAL_MAX) >= GRANT_CREDENTIAL_MAX)
		return tessera_error_set(err, TESSERA_ERR_FORGED,
					 "the grant is too long: it has %d bytes or more",
					 GRANT_CREDENTIAL_MAX);
	ctx = open_context(socket, err);
	if (ctx == NULL)
		return -1;
	rc = check_decoded(ctx, socket,
			   munge_decode(credential, ctx, &payload, &len, &creator, &group), err);
	if (rc == 0) {
		*text = copy_text(payload, len, err);
		rc = *text != NULL ? 0 : -1;
	}
	*uid = (uint32_t)creator;
	free(payload);
	munge_ctx_destroy(ctx);
	return rc;
}
