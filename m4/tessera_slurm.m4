# TESSERA_SLURM: find Slurm's headers, version, library, plugin directory and configuration directory.
#
# Debian's libslurm-dev has no pkg-config file: the version is read from the header, and the plugin
# directory is the one that contains Slurm's own plugins.
AC_DEFUN([TESSERA_SLURM], [
  AC_ARG_WITH([slurm-plugindir],
    [AS_HELP_STRING([--with-slurm-plugindir=DIR], [where Slurm looks for plugins (default: where its own are)])])
  AC_ARG_WITH([slurm-sysconfdir],
    [AS_HELP_STRING([--with-slurm-sysconfdir=DIR], [directory of slurm.conf (default: /etc/slurm)])])

  AC_CHECK_HEADERS([slurm/slurm.h slurm/slurm_errno.h slurm/spank.h], [],
    [AC_MSG_ERROR([Slurm's headers are missing (Debian: apt-get install libslurm-dev)])])

  AC_CACHE_CHECK([for Slurm's version], [tessera_cv_slurm_version], [
    tessera_cv_slurm_version=`printf '#include <slurm/slurm.h>\ntessera_slurm=SLURM_VERSION_NUMBER\n' |
      $CC $CPPFLAGS -E -P - 2>/dev/null | tr -d " \n" | sed "s/.*tessera_slurm=//"`
    tessera_cv_slurm_version=`printf '%d' "$tessera_cv_slurm_version" 2>/dev/null`
    AS_IF([test "${tessera_cv_slurm_version:-0}" -gt 0],
      [n=$tessera_cv_slurm_version
       tessera_cv_slurm_version=`printf '%d.%02d.%d' $((n >> 16)) $(((n >> 8) & 255)) $((n & 255))`],
      [AC_MSG_ERROR([slurm/slurm.h does not define SLURM_VERSION_NUMBER])])
  ])
  AS_VAR_COPY([SLURM_VERSION], [tessera_cv_slurm_version])
  AC_SUBST([SLURM_VERSION])
  AC_DEFINE_UNQUOTED([TESSERA_SLURM_VERSION], ["$SLURM_VERSION"], [the Slurm release that this was built for])
  AS_VERSION_COMPARE([$SLURM_VERSION], [22.05.0],
    [AC_MSG_ERROR([Slurm $SLURM_VERSION is too old: 22.05 is the first release that Tessera supports])])

  AC_MSG_CHECKING([for Slurm's plugin directory])
  AS_IF([test -n "$with_slurm_plugindir" && test "x$with_slurm_plugindir" != xyes],
    [slurmplugindir=$with_slurm_plugindir],
    [tessera_triplet=`$CC -print-multiarch 2>/dev/null`
     slurmplugindir=
     for dir in "/usr/lib/$tessera_triplet/slurm-wlm" "/usr/lib/$tessera_triplet/slurm" /usr/lib64/slurm /usr/lib/slurm /usr/local/lib/slurm; do
       AS_IF([test -e "$dir/auth_munge.so"], [slurmplugindir=$dir; break])
     done
     AS_IF([test -z "$slurmplugindir"],
       [AC_MSG_RESULT([not found])
        AC_MSG_ERROR([Slurm's plugins are not installed (Debian: apt-get install slurm-wlm-basic-plugins); or set their directory with --with-slurm-plugindir=DIR])])])
  AC_MSG_RESULT([$slurmplugindir])
  AC_SUBST([slurmplugindir])
  TESSERA_SLURM_LIBS

  AS_IF([test -n "$with_slurm_sysconfdir" && test "x$with_slurm_sysconfdir" != xyes],
    [slurmsysconfdir=$with_slurm_sysconfdir],
    [slurmsysconfdir=/etc/slurm])
  AC_SUBST([slurmsysconfdir])
])

# TESSERA_SLURM_LIBS: Slurm's library for the tessera command; sets SLURM_LIBS. Nothing that Slurm loads may link it.
#
# In the process of the command, Slurm loads its own plugins, which need functions that only libslurmfull.so has: from
# 26.05 on, a process without them ends when it asks slurmdbd. Slurm's own commands link that library, which is in the
# plugin directory. If it is not there, libslurm.so is linked.
AC_DEFUN([TESSERA_SLURM_LIBS], [
  AC_MSG_CHECKING([for libslurmfull.so])
  tessera_saved=$LIBS
  # --with-slurm-plugindir may contain variables of make.
  AS_VAR_SET([tessera_dir], [`(test "x$prefix" != xNONE || prefix=$ac_default_prefix; eval "echo $slurmplugindir")`])
  SLURM_LIBS="$tessera_dir/libslurmfull.so -Wl,-rpath,$tessera_dir"
  LIBS="$SLURM_LIBS $LIBS"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <slurm/slurmdb.h>]], [[uint16_t flags = 0; slurmdb_connection_get(&flags);]])],
    [AC_MSG_RESULT([$tessera_dir])],
    [AC_MSG_RESULT([not found])
     SLURM_LIBS=-lslurm
     AS_VERSION_COMPARE([$SLURM_VERSION], [26.05.0], [], [tessera_full=needed], [tessera_full=needed])
     AS_IF([test "x$tessera_full" = xneeded],
       [AC_MSG_WARN([$tessera_dir has no libslurmfull.so: with libslurm.so of Slurm $SLURM_VERSION, tessera report and sample fail])])])
  LIBS=$tessera_saved
  AC_SUBST([SLURM_LIBS])
])
