#include "api/game_world.h"

#include <string.h>

#include "support/tree.h"

firn_buffer game_image(const char *key, const char *tree)
{
    firn_error err;
    firn_buffer image = {0};
    firn_writer writer;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_writer_begin(&writer, &image, NULL);
    const double prelude[] = {1, 1, 0, 0, 0};
    for (int i = 0; i < 5; i++)
        firn_write_number(&writer, prelude[i]);
    if (key != NULL) {
        firn_write_bool(&writer, true);
        firn_write_text(&writer, key);
        firn_write_value(&writer, test_tree(doc, tree));
    }
    firn_write_bool(&writer, false);
    assert_ok(firn_writer_end(&writer, &err), &err);
    firn_doc_destroy(doc);
    return image;
}

void game_restore(firn_world *world, const firn_buffer *image)
{
    firn_error err;
    assert_ok(firn_snapshot_load(world, image->data, image->size, NULL, NULL, &err), &err);
}

firn_result game_load(firn_world *world, const char *key, const char *tree, firn_error *err)
{
    firn_buffer image = game_image(key, tree);
    firn_result result = firn_snapshot_load(world, image.data, image.size, NULL, NULL, err);
    firn_buffer_free(&image);
    return result;
}

void game_assert_refused(firn_world *world, const char *key, const char *tree, firn_result result,
                         const char *part, const char *file, int line)
{
    firn_error err = {.code = FIRN_OK};
    firn_buffer before = zoo_save(world);
    firn_result got = game_load(world, key, tree, &err);
    if (got != result || err.code != result || strstr(err.message, part) == NULL ||
        err.offset == FIRN_NO_OFFSET) {
        print_error("%s gives %s at %llu: \"%s\"\n", tree, firn_result_name(got),
                    (unsigned long long)err.offset, err.message);
        _fail(file, line);
    }
    zoo_assert_saves_as(world, &before, file, line);
    firn_buffer_free(&before);
}

void game_assert_entry(firn_world *world, const char *key, const char *tree, const char *file,
                       int line)
{
    firn_error err;
    firn_buffer image = zoo_save(world);
    const void *encoded;
    size_t size;
    firn_result result = firn_image_data(image.data, image.size, key, NULL, &encoded, &size, &err);
    if (result != (tree == NULL ? FIRN_NOT_FOUND : FIRN_OK)) {
        print_error("%s: %s\n", key, firn_result_name(result));
        _fail(file, line);
    }
    if (tree != NULL) {
        firn_doc *doc = firn_doc_create(NULL, NULL, &err);
        test_assert_tree(firn_value_decode(doc, encoded, size, &err), tree, file, line);
        firn_doc_destroy(doc);
    }
    firn_buffer_free(&image);
}

void game_note(game_log *log, const char *word)
{
    assert_true(strlen(log->text) + strlen(word) + 2 < sizeof log->text);
    strcat(log->text, word);
    strcat(log->text, ";");
}

void game_assert_log(game_log *log, const char *words, const char *file, int line)
{
    if (strcmp(log->text, words) != 0) {
        print_error("\"%s\" is not \"%s\"\n", log->text, words);
        _fail(file, line);
    }
    log->text[0] = 0;
}
