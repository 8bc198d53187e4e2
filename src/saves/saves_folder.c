#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "firn/storage.h"
#include "os/folder.h"
#include "saves/game_id.h"

#define BELOW_GAME "/saves"

firn_result firn_saves_folder(const char *game, firn_buffer *out, firn_error *err)
{
    firn_result result = fr_game_id_check(game, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (out == NULL) {
        return fr_fail(err, FIRN_INVALID, "out", "the buffer is NULL");
    }
    char *data;
    result = fr_data_folder(&out->allocator, &data, err);
    if (result != FIRN_OK) {
        return result;
    }
    size_t size = strlen(data) + 1 + strlen(game) + sizeof BELOW_GAME - 1;
    result = firn_buffer_reserve(out, size + 1, err);
    if (result == FIRN_OK) {
        (void)snprintf((char *)out->data + out->size, size + 1, "%s/%s" BELOW_GAME, data, game);
        out->size += size;
    }
    fr_free_text(&out->allocator, data);
    return result;
}
