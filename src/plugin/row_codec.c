#include "base/error.h"
#include "firn/plugin.h"

// What a callback said of a row, with the entity that the callback does not know.
static firn_result refuse_codec_row(firn_result code, firn_error *why, firn_entity entity,
                                    firn_error *err)
{
    fr_error_complete(why, code);
    if (why->entity == 0) {
        why->entity = entity;
    }
    return fr_fail_copy(err, why);
}

static firn_result encode_each_row(void *user, const firn_rows *rows, firn_writer *out,
                                   firn_error *err)
{
    const firn_row_codec *codec = user;
    const uint8_t *row = rows->data;
    for (uint32_t i = 0; i < rows->count; i++, row += rows->size) {
        firn_error why;
        fr_error_begin(&why);
        firn_result result = codec->encode(codec->user, row, out, &why);
        if (result != FIRN_OK) {
            return refuse_codec_row(result, &why, rows->entities[i], err);
        }
    }
    return FIRN_OK;
}

static firn_result decode_each_row(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    const firn_row_codec *codec = user;
    uint8_t *row = rows->data;
    for (uint32_t i = 0; i < rows->count; i++, row += rows->size) {
        firn_error why;
        fr_error_begin(&why);
        // What is refused from here on is this row's value.
        in->looked = in->at;
        firn_result result = codec->decode(codec->user, row, in, &why);
        if (firn_reader_failed(in) && (result == FIRN_OK || why.message[0] == '\0')) {
            fr_fail_copy(&why, &in->error);
            result = result == FIRN_OK ? why.code : result;
        }
        if (result != FIRN_OK) {
            return refuse_codec_row(result, &why, rows->entities[i], err);
        }
    }
    return FIRN_OK;
}

firn_result firn_row_codec_adapt(const firn_row_codec *row_codec, firn_codec *out, firn_error *err)
{
    if (row_codec == NULL || out == NULL) {
        return fr_fail(err, FIRN_INVALID, row_codec ? "out" : "row_codec", "%s is NULL",
                       row_codec ? "out" : "row_codec");
    }
    if (row_codec->abi == 0 || row_codec->name == NULL || row_codec->encode == NULL ||
        row_codec->decode == NULL) {
        return fr_fail(err, FIRN_INVALID, "row_codec",
                       "a row codec needs an abi, a name, encode and decode");
    }
    if (row_codec->abi > FIRN_ABI) {
        return fr_fail(err, FIRN_VERSION, row_codec->name,
                       "row codec %s has abi %u, this is abi %u", row_codec->name, row_codec->abi,
                       FIRN_ABI);
    }
    *out = (firn_codec){.abi = FIRN_ABI,
                        .name = row_codec->name,
                        .encode = encode_each_row,
                        .decode = decode_each_row,
                        .user = (void *)row_codec};
    return FIRN_OK;
}
