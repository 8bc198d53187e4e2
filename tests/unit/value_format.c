// The blocks of bytes in docs/format.md say what is true.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "value_trees.h"

/// What firn makes of the bytes: hex of the canonical encoding, or the name of the result.
static char *read_and_write(const char *hex)
{
    size_t size;
    firn_error err;
    firn_buffer out = {0};
    char *text;
    uint8_t *bytes = test_from_hex(hex, &size);
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    const firn_value *value = firn_value_decode(doc, bytes, size, &err);
    if (value != NULL) {
        test_encode(value, &out);
        text = test_to_hex(out.data, out.size);
    } else {
        const char *name = firn_result_name(err.code);
        text = malloc(strlen(name) + 1);
        assert_non_null(text);
        memcpy(text, name, strlen(name) + 1);
    }
    firn_buffer_free(&out);
    firn_doc_destroy(doc);
    free(bytes);
    return text;
}

/// `hex -> hex or result`, then at least two blanks and words.
static void check_line(char *line)
{
    char *arrow = strstr(line, " -> ");
    char *words = strstr(line, "  ");
    assert_non_null(arrow);
    assert_non_null(words);
    assert_true(words > arrow);
    *arrow = 0;
    *words = 0;
    char wanted[200] = "";
    const char *from = arrow + strlen(" -> ");
    for (size_t i = 0; *from != 0; from++)
        if (*from != ' ')
            wanted[i++] = *from;
    char *got = read_and_write(line);
    assert_string_equal(got, wanted);
    free(got);
}

static void the_blocks_of_bytes_are_true(void **state)
{
    (void)state;
    size_t size;
    char *text = (char *)test_read_file(FIRN_TEST_DATA "/../../docs/format.md", &size);
    bool inside = false;
    int lines = 0;
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (strncmp(line, "```", 3) == 0) {
            inside = strcmp(line, "```bytes") == 0;
        } else if (inside) {
            check_line(line);
            lines += 1;
        }
    }
    free(text);
    assert_in_range(lines, 18, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_blocks_of_bytes_are_true),
    };
    return cmocka_run_group_tests_name("value_format", tests, NULL, NULL);
}
