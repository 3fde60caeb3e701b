// SPDX-License-Identifier: GPL-3.0-or-later
#include "ctoml.h"

// Errors come back as values; nested values are bounded (the parser recurses);
// the parser's internal assertions must not end the process on a strange file.
#define TOML_EXCEPTIONS 0
#define TOML_MAX_NESTED_VALUES 32
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ASSERT(expression) static_cast<void>(0)
#include <toml++/toml.h>

#include <string>
#include <utility>
#include <vector>

struct ctoml_document {
    toml::parse_result result;
    std::string error;
    std::vector<ctoml_node> nodes;

    explicit ctoml_document(toml::parse_result &&parsed) : result(std::move(parsed)) {}
};

namespace {

ctoml_node make_node(const toml::node &value, size_t parent, const toml::key *key, size_t index) {
    ctoml_node node{};
    node.parent = parent;
    node.index = index;
    auto place = value.source().begin;
    if (key) {
        node.key = key->str().data();
        node.key_length = key->length();
        if (key->source().begin) place = key->source().begin;
    }
    node.line = static_cast<uint32_t>(place.line);
    node.column = static_cast<uint32_t>(place.column);
    switch (value.type()) {
    case toml::node_type::table: node.type = CTOML_TABLE; break;
    case toml::node_type::array: node.type = CTOML_ARRAY; break;
    case toml::node_type::string:
        node.type = CTOML_STRING;
        node.string = value.as_string()->get().data();
        node.string_length = value.as_string()->get().size();
        break;
    case toml::node_type::integer:
        node.type = CTOML_INTEGER;
        node.integer = value.as_integer()->get();
        break;
    case toml::node_type::floating_point:
        node.type = CTOML_FLOAT;
        node.number = value.as_floating_point()->get();
        break;
    case toml::node_type::boolean:
        node.type = CTOML_BOOLEAN;
        node.boolean = value.as_boolean()->get();
        break;
    default: node.type = CTOML_DATE_OR_TIME; break;
    }
    return node;
}

// Breadth first: the list is its own queue, so no depth of nesting costs stack.
void lay_out(const toml::table &root, std::vector<ctoml_node> &nodes) {
    std::vector<const toml::node *> values{&root};
    nodes.push_back(make_node(root, 0, nullptr, 0));
    for (size_t at = 0; at < values.size(); at++) {
        if (const toml::table *table = values[at]->as_table()) {
            for (auto &&[key, value] : *table) {
                nodes.push_back(make_node(value, at, &key, 0));
                values.push_back(&value);
            }
        } else if (const toml::array *array = values[at]->as_array()) {
            for (size_t index = 0; index < array->size(); index++) {
                nodes.push_back(make_node((*array)[index], at, nullptr, index));
                values.push_back(&(*array)[index]);
            }
        }
    }
}

} // namespace

ctoml_document *ctoml_parse(const char *text, size_t length) {
    auto *document = new ctoml_document(toml::parse(std::string_view(text, length)));
    if (document->result)
        lay_out(document->result.table(), document->nodes);
    else
        document->error = std::string(document->result.error().description());
    return document;
}

void ctoml_free(ctoml_document *document) { delete document; }

const char *ctoml_error(const ctoml_document *document, uint32_t *line, uint32_t *column) {
    if (document->result) return nullptr;
    const auto place = document->result.error().source().begin;
    *line = static_cast<uint32_t>(place.line);
    *column = static_cast<uint32_t>(place.column);
    return document->error.c_str();
}

size_t ctoml_node_count(const ctoml_document *document) { return document->nodes.size(); }

ctoml_node ctoml_node_at(const ctoml_document *document, size_t index) {
    return document->nodes[index];
}
