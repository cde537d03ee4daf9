/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For clang-tidy only, which sees one file at a time: the error functions always return -1, so the
 * code after a failed call is not reached with unset values. Also has the macros that make defines.
 */
#include "lib/util/error.h"

#define tessera_error_set(...)    ((void)tessera_error_set(__VA_ARGS__), -1)
#define tessera_error_prefix(...) ((void)tessera_error_prefix(__VA_ARGS__), -1)

#define TESSERA_CONF_PATH   "/etc/slurm/tessera.conf"
#define TESSERA_COMMAND     "/usr/bin/tessera"
#define TESSERA_VIPU_HELPER "/usr/libexec/tessera/tessera-vipu"
#define TESSERA_UNIT_DIR    "/usr/lib/systemd/system"
#define TESSERA_COMMAND     "/usr/bin/tessera"

#define TESSERA_SLURM_PLUGINDIR "/usr/lib/slurm"
