#include "value/path.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

void fr_path_begin(fr_path *path, char *text, size_t capacity)
{
    path->text = text;
    path->capacity = capacity;
    path->size = 0;
    text[0] = 0;
}

void fr_path_text(fr_path *path, const char *text)
{
    size_t size = strlen(text);
    size_t room = path->capacity - path->size - 1;
    if (size <= room) {
        memcpy(path->text + path->size, text, size + 1);
        path->size += size;
        return;
    }
    memcpy(path->text + path->size, text, room);
    path->size += room;
    memcpy(path->text + path->size - 3, "...", 4);
}

void fr_path_cut(fr_path *path, size_t size)
{
    path->size = size;
    path->text[size] = 0;
}

void fr_path_index(fr_path *path, uint64_t index)
{
    char text[32];
    snprintf(text, sizeof text, "[%" PRIu64 "]", index);
    fr_path_text(path, text);
}

bool fr_is_identifier(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9')) {
            return false;
        }
    }
    return size > 0;
}

char *fr_key_text(char *text, size_t capacity, const firn_value *key)
{
    switch (key->kind) {
    case FIRN_VALUE_BOOL:
        snprintf(text, capacity, "%s", key->as.boolean ? "true" : "false");
        break;
    case FIRN_VALUE_NUMBER:
        snprintf(text, capacity, "%.17g", key->as.number);
        break;
    case FIRN_VALUE_STRING:
        text[0] = '"';
        fr_printable(text + 1, capacity - 2, key->as.string, key->length);
        memcpy(text + strlen(text), "\"", 2);
        break;
    default:
        snprintf(text, capacity, "?");
        break;
    }
    return text;
}

void fr_path_key(fr_path *path, const firn_value *key)
{
    char text[128];
    if (key->kind == FIRN_VALUE_STRING && fr_is_identifier(key->as.string, key->length)) {
        fr_path_text(path, ".");
        fr_path_text(path, fr_printable(text, sizeof text, key->as.string, key->length));
        return;
    }
    fr_path_text(path, "[");
    fr_path_text(path, fr_key_text(text, sizeof text, key));
    fr_path_text(path, "]");
}
