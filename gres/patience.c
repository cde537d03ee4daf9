/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "gres/patience.h"
#include "lib/error.h"

/* Only functions that are safe wherever the signal comes. */
static void on_alarm(int signal)
{
	static const char text[] =
		"tessera: slurmdbd takes the question but gives no answer in time: its log may say "
		"why; ask for a shorter time, or again later\n";
	ssize_t written = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)signal;
	(void)written;
	_exit(TESSERA_ERR_MISSING);
}

void patience_ask(void)
{
	struct sigaction action = {.sa_handler = on_alarm};
	const char *shorter = getenv("TESSERA_PATIENCE");
	long seconds = shorter != NULL ? strtol(shorter, NULL, 10) : 0;

	sigaction(SIGALRM, &action, NULL);
	alarm(seconds > 0 && seconds < PATIENCE_S ? (unsigned)seconds : PATIENCE_S);
}

void patience_over(void)
{
	int kept = errno;

	alarm(0);
	errno = kept;
}
