/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/doctor/elf_symbol.h"
#include "lib/util/file.h"

#define FILE_MAX_MIB 64

#if ULONG_MAX > UINT32_MAX
#define ELF(type) Elf64_##type
#define CLASS     ELFCLASS64
#else
#define ELF(type) Elf32_##type
#define CLASS     ELFCLASS32
#endif

/* A file in memory. Its content is not trusted. */
struct image {
	const char *bytes;
	size_t len;
};

/* Copy SIZE bytes at OFFSET to COPY. Returns false if the file is too short. */
static bool copy_bytes(const struct image *image, uint64_t offset, void *copy, size_t size)
{
	if (offset > image->len || size > image->len - offset)
		return false;
	memcpy(copy, image->bytes + offset, size);
	return true;
}

static bool read_section(const struct image *image, const ELF(Ehdr) * head, uint64_t n,
			 ELF(Shdr) * out)
{
	return n < head->e_shnum &&
	       copy_bytes(image, head->e_shoff + n * sizeof(*out), out, sizeof(*out));
}

/* Is the string at OFFSET equal to NAME? */
static bool is_named(const struct image *image, uint64_t offset, const char *name)
{
	size_t len = strlen(name) + 1;

	return offset <= image->len && len <= image->len - offset &&
	       memcmp(image->bytes + offset, name, len) == 0;
}

static bool read_symbol(const struct image *image, const ELF(Ehdr) * head, const ELF(Sym) * symbol,
			uint32_t *number)
{
	ELF(Shdr) home;

	return symbol->st_size == sizeof(*number) &&
	       read_section(image, head, symbol->st_shndx, &home) && home.sh_type == SHT_PROGBITS &&
	       symbol->st_value >= home.sh_addr &&
	       copy_bytes(image, home.sh_offset + (symbol->st_value - home.sh_addr), number,
			  sizeof(*number));
}

static bool search_table(const struct image *image, const ELF(Ehdr) * head, const ELF(Shdr) * table,
			 const char *name, uint32_t *number)
{
	ELF(Shdr) strings;
	ELF(Sym) symbol;

	if (!read_section(image, head, table->sh_link, &strings))
		return false;
	for (uint64_t at = 0; at + sizeof(symbol) <= table->sh_size; at += sizeof(symbol)) {
		if (!copy_bytes(image, table->sh_offset + at, &symbol, sizeof(symbol)))
			return false;
		if (is_named(image, strings.sh_offset + symbol.st_name, name))
			return read_symbol(image, head, &symbol, number);
	}
	return false;
}

static bool find_symbol(const struct image *image, const char *name, uint32_t *number)
{
	ELF(Ehdr) head;
	ELF(Shdr) table;

	if (!copy_bytes(image, 0, &head, sizeof(head)) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != CLASS ||
	    head.e_shentsize != sizeof(table))
		return false;
	for (uint64_t n = 0; read_section(image, &head, n, &table); n++)
		if (table.sh_type == SHT_DYNSYM && search_table(image, &head, &table, name, number))
			return true;
	return false;
}

int elf_symbol(const char *path, const char *name, uint32_t *number, struct tessera_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc = -1;
	struct image image = {0};
	char *bytes = NULL;

	if (fd < 0)
		return tessera_error_set(err, TESSERA_ERR_IO, "%s: %s", path, strerror(errno));
	bytes = file_read(fd, path, FILE_MAX_MIB, false, &image.len, err);
	image.bytes = bytes;
	if (bytes != NULL)
		rc = find_symbol(&image, name, number)
			     ? 0
			     : tessera_error_set(err, TESSERA_ERR_INPUT,
						 "%s is not a Slurm plugin: no symbol %s", path,
						 name);
	close(fd);
	free(bytes);
	return rc;
}
