/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "gres/accounting/dbd_timeout.h"
#include "lib/util/error.h"

/* Calls only async-signal-safe functions. */
static void on_alarm(int signal)
{
	static const char text[] =
		"tessera: timed out waiting for slurmdbd: see its log; query a shorter period, or "
		"try again later\n";
	ssize_t written = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)signal;
	(void)written;
	_exit(TESSERA_ERR_UNAVAILABLE);
}

void dbd_timeout_start(void)
{
	struct sigaction action = {.sa_handler = on_alarm};
	const char *value = getenv("TESSERA_PATIENCE");
	long seconds = value != NULL ? strtol(value, NULL, 10) : 0;

	sigaction(SIGALRM, &action, NULL);
	alarm(seconds > 0 && seconds < DBD_TIMEOUT_S ? (unsigned)seconds : DBD_TIMEOUT_S);
}

void dbd_timeout_stop(void)
{
	int saved = errno;

	alarm(0);
	errno = saved;
}
