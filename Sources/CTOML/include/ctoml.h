/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * toml++ for Swift. This shim exists because toml++ is C++ templates, which Swift does not import
 * without C++ interoperability in every client. It parses a text and lays the document out as one
 * array, parents before their children.
 */
#ifndef CTOML_H
#define CTOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ctoml_type {
    CTOML_TABLE = 0,
    CTOML_ARRAY = 1,
    CTOML_STRING = 2,
    CTOML_INTEGER = 3,
    CTOML_FLOAT = 4,
    CTOML_BOOLEAN = 5,
    CTOML_DATE_OR_TIME = 6, /* the value itself is not passed on */
} ctoml_type;

/* One value. Its path is its own key or index after the parent's path. */
typedef struct ctoml_node {
    size_t parent;     /* index of the table or array that holds it; the root's is its own, 0 */
    const char *key;   /* UTF-8, not terminated; NULL in an array and for the root */
    size_t key_length; /* bytes */
    size_t index;      /* place in the parent's array; 0 in a table */
    ctoml_type type;
    const char *string; /* UTF-8, not terminated, may contain NUL; NULL if not a string */
    size_t string_length;
    int64_t integer;
    double number;
    bool boolean;
    uint32_t line;   /* the key's, or the value's if it has no key; from 1, 0 = unknown */
    uint32_t column; /* in characters, from 1 */
} ctoml_node;

typedef struct ctoml_document ctoml_document;

/* The caller frees the result, which is never NULL, with ctoml_free(). */
ctoml_document *ctoml_parse(const char *text, size_t length);
void ctoml_free(ctoml_document *document);

/* Returns the first syntax error, or NULL if the text is TOML. It lives as long as the document. */
const char *ctoml_error(const ctoml_document *document, uint32_t *line, uint32_t *column);

/* There are 0 nodes after an error. Pointers in a node live as long as the document. */
size_t ctoml_node_count(const ctoml_document *document);
ctoml_node ctoml_node_at(const ctoml_document *document, size_t index);

#ifdef __cplusplus
}
#endif

#endif
