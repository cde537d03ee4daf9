# TESSERA_SLURM: Slurm's headers, its version, its plugin directory and its configuration directory.
#
# Debian's libslurm-dev ships no pkg-config file, so the version is read from the header and the plugin
# directory is the one that holds Slurm's own plugins.
AC_DEFUN([TESSERA_SLURM], [
  AC_ARG_WITH([slurm-plugindir],
    [AS_HELP_STRING([--with-slurm-plugindir=DIR], [where Slurm looks for plugins (default: where its own are)])])
  AC_ARG_WITH([slurm-sysconfdir],
    [AS_HELP_STRING([--with-slurm-sysconfdir=DIR], [where slurm.conf lives (default: /etc/slurm)])])

  AC_CHECK_HEADERS([slurm/slurm.h slurm/slurm_errno.h slurm/spank.h], [],
    [AC_MSG_ERROR([Slurm's headers are missing (Debian: apt-get install libslurm-dev)])])

  AC_CACHE_CHECK([for Slurm's version], [tessera_cv_slurm_version], [
    tessera_cv_slurm_version=`printf '#include <slurm/slurm.h>\ntessera_slurm=SLURM_VERSION_NUMBER\n' |
      $CC $CPPFLAGS -E -P - 2>/dev/null | tr -d " \n" | sed "s/.*tessera_slurm=//"`
    tessera_cv_slurm_version=`printf '%d' "$tessera_cv_slurm_version" 2>/dev/null`
    AS_IF([test "${tessera_cv_slurm_version:-0}" -gt 0],
      [n=$tessera_cv_slurm_version
       tessera_cv_slurm_version=`printf '%d.%02d.%d' $((n >> 16)) $(((n >> 8) & 255)) $((n & 255))`],
      [AC_MSG_ERROR([slurm/slurm.h does not say SLURM_VERSION_NUMBER])])
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
     for dir in "/usr/lib/$tessera_triplet/slurm-wlm" /usr/lib64/slurm /usr/lib/slurm /usr/local/lib/slurm; do
       AS_IF([test -e "$dir/auth_munge.so"], [slurmplugindir=$dir; break])
     done
     AS_IF([test -z "$slurmplugindir"],
       [AC_MSG_RESULT([not found])
        AC_MSG_ERROR([Slurm's plugins are not on this machine (Debian: apt-get install slurm-wlm-basic-plugins); or say where they will be: --with-slurm-plugindir=DIR])])])
  AC_MSG_RESULT([$slurmplugindir])
  AC_SUBST([slurmplugindir])

  AS_IF([test -n "$with_slurm_sysconfdir" && test "x$with_slurm_sysconfdir" != xyes],
    [slurmsysconfdir=$with_slurm_sysconfdir],
    [slurmsysconfdir=/etc/slurm])
  AC_SUBST([slurmsysconfdir])
])
