// Sound: {clip = "rain.ogg", gain = 0.5, group = "weather"}
#include "codecs.h"

int mixer_play(Assets *assets)
{
    assets->playing++;
    return ++assets->last_voice;
}

static firn_result sound_encode(void *user, const firn_rows *rows, firn_writer *out,
                                firn_error *err)
{
    (void)err;
    const Assets *assets = user;
    const Sound *sounds = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        firn_write_table(out, 0, 3);
        firn_write_text(out, "clip");
        firn_write_text(out, assets->clips[sounds[i].clip]);
        firn_write_text(out, "gain");
        firn_write_number(out, (double)sounds[i].gain);
        firn_write_text(out, "group");
        firn_write_text(out, assets->groups[sounds[i].group]);
    }
    return FIRN_OK;
}

static firn_result sound_decode(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    Assets *assets = user;
    Sound *sounds = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        const firn_value *row = read_row(assets, in);
        int clip = place_of(assets->clips, row_text(row, "clip"));
        int group = place_of(assets->groups, row_text(row, "group"));
        if (clip < 0 || group < 0) {
            return missing(err, clip < 0 ? "clip" : "group",
                           row_text(row, clip < 0 ? "clip" : "group"));
        }
        sounds[i] = (Sound){clip, group, row_number(row, "gain"), mixer_play(assets)};
    }
    return FIRN_OK;
}

// Called for each row that goes away: of an entity that ends, of a world that is replaced, and of a
// load that failed behind the row.
static void sound_drop(void *user, const firn_rows *rows)
{
    Assets *assets = user;
    const Sound *sounds = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        assets->playing -= sounds[i].voice != 0;
    }
}

static const firn_field sound_fields[] = {
    FIRN_FIELD(Sound, clip, FIRN_I32),
    FIRN_FIELD(Sound, group, FIRN_I32),
    FIRN_FIELD(Sound, gain, FIRN_F32),
    FIRN_FIELD(Sound, voice, FIRN_I32),
};

firn_component sound_register(firn_world *world, Assets *assets, firn_error *err)
{
    firn_codec codec = {FIRN_ABI, "sound", sound_encode, sound_decode, assets};
    firn_component_desc desc = {.name = "Sound",
                                .kind = FIRN_STRUCT,
                                .size = sizeof(Sound),
                                .fields = sound_fields,
                                .field_count = FIRN_COUNT(sound_fields),
                                .codec = &codec,
                                .hooks = {.drop = sound_drop, .user = assets}};
    return firn_component_register(world, &desc, err);
}
