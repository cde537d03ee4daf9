/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands. Each gets its own name as argv[0] and returns the exit code.
 */
#ifndef TESSERA_COMMAND_H
#define TESSERA_COMMAND_H

int cmd_mask(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_conf(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_health(int argc, char **argv);
int cmd_mark(int argc, char **argv);
int cmd_metrics(int argc, char **argv);
int cmd_pool(int argc, char **argv);
int cmd_reap(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_sample(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_guard(int argc, char **argv);
int cmd_task(int argc, char **argv);
int cmd_topology(int argc, char **argv);

#endif /* TESSERA_COMMAND_H */
