/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "plugin/stale.h"

void stale_review(const struct node *node)
{
	(void)node;
}
