# TESSERA_COMPILER_FLAGS: warnings, hardening, sanitizers and fuzzing.
#
# Sets WARN_CFLAGS, HARDEN_* and SANITIZE_*; the builder's CFLAGS are not changed.

# TESSERA_TRY_FLAG(FLAG, VARIABLE): append FLAG to VARIABLE if the compiler accepts it without a
# warning.
AC_DEFUN([TESSERA_TRY_FLAG], [
  AC_MSG_CHECKING([whether $CC accepts $1])
  tessera_saved=$CFLAGS
  CFLAGS="-Werror $1"
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
    [AC_MSG_RESULT([yes]); $2="$$2 $1"], [AC_MSG_RESULT([no])])
  CFLAGS=$tessera_saved
])

AC_DEFUN([TESSERA_COMPILER_FLAGS], [
  AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [treat warnings as errors (CI)])],
    [], [enable_werror=no])
  AC_ARG_ENABLE([sanitizers], [AS_HELP_STRING([--enable-sanitizers], [build with ASan and UBSan])],
    [], [enable_sanitizers=no])
  AC_ARG_ENABLE([fuzzing], [AS_HELP_STRING([--enable-fuzzing], [build the libFuzzer harnesses (clang)])],
    [], [enable_fuzzing=no])

  WARN_CFLAGS=
  m4_foreach_w([flag],
    [-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wformat=2
     -Wundef -Wpointer-arith -Wcast-qual -Wwrite-strings -Wvla -Wimplicit-fallthrough -Wnull-dereference
     -Wduplicated-cond -Wduplicated-branches -Wlogical-op -Wdouble-promotion -Wconversion -Wno-sign-conversion],
    [TESSERA_TRY_FLAG(flag, [WARN_CFLAGS])])
  AS_IF([test "x$enable_werror" = xyes], [WARN_CFLAGS="$WARN_CFLAGS -Werror"])

  HARDEN_CFLAGS= HARDEN_CPPFLAGS=
  m4_foreach_w([flag], [-fstack-protector-strong -fstack-clash-protection -fcf-protection],
    [TESSERA_TRY_FLAG(flag, [HARDEN_CFLAGS])])
  HARDEN_LDFLAGS="-Wl,-z,relro -Wl,-z,now"
  # FORTIFY requires optimization; sanitizers have checks of their own.
  AS_CASE([" $CFLAGS "], [*" -O0 "*], [],
    [AS_IF([test "x$enable_sanitizers$enable_fuzzing" = xnono],
           [HARDEN_CPPFLAGS="-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2"])])

  SANITIZE_CFLAGS= FUZZ_LDFLAGS=
  AS_IF([test "x$enable_sanitizers" = xyes || test "x$enable_fuzzing" = xyes],
    [SANITIZE_CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"])
  AS_IF([test "x$enable_fuzzing" = xyes], [
    AS_CASE([`$CC --version`], [*clang*], [],
      [AC_MSG_ERROR([--enable-fuzzing needs clang's libFuzzer: ./configure CC=clang (Debian: apt-get install clang libclang-rt-dev)])])
    SANITIZE_CFLAGS="$SANITIZE_CFLAGS -fsanitize=fuzzer-no-link"
    FUZZ_LDFLAGS="-fsanitize=fuzzer"
  ])
  AM_CONDITIONAL([FUZZING], [test "x$enable_fuzzing" = xyes])

  # Our shared libraries have no undefined symbols, except with sanitizers, whose functions clang links
  # into the program only.
  NO_UNDEFINED="-Wl,-z,defs"
  AS_IF([test -n "$SANITIZE_CFLAGS"], [NO_UNDEFINED=])
  AC_SUBST([NO_UNDEFINED])

  AC_SUBST([WARN_CFLAGS])
  AC_SUBST([HARDEN_CFLAGS])
  AC_SUBST([HARDEN_CPPFLAGS])
  AC_SUBST([HARDEN_LDFLAGS])
  AC_SUBST([SANITIZE_CFLAGS])
  AC_SUBST([FUZZ_LDFLAGS])
])
