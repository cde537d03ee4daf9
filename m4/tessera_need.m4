# TESSERA_NEED(VARIABLE, PKG-CONFIG NAME, DEBIAN PACKAGE): require a library; the error names the
# package to install.
AC_DEFUN([TESSERA_NEED], [
  PKG_CHECK_MODULES([$1], [$2], [],
    [AC_MSG_ERROR([$2 is missing (Debian: apt-get install $3)])])
])
