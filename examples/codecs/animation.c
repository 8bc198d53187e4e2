// Animation: {phase = 0.25, sheet = "fox", tag = "run"}
#include "codecs.h"

#include <math.h>
#include <string.h>

static float seconds_of(const Cycle *cycle)
{
    return (float)cycle->frames * cycle->frame_seconds;
}

static firn_result animation_encode(void *user, const firn_rows *rows, firn_writer *out,
                                    firn_error *err)
{
    (void)err;
    const Assets *assets = user;
    const Animation *animations = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        const Cycle *cycle = &assets->cycles[animations[i].cycle];
        float cycles = animations[i].seconds / seconds_of(cycle);
        firn_write_table(out, 0, 3);
        firn_write_text(out, "phase");
        firn_write_number(out, (double)(cycles - floorf(cycles)));
        firn_write_text(out, "sheet");
        firn_write_text(out, cycle->sheet);
        firn_write_text(out, "tag");
        firn_write_text(out, cycle->tag);
    }
    return FIRN_OK;
}

static int find_cycle(const Cycle *cycles, const char *sheet, const char *tag)
{
    for (int i = 0; cycles[i].sheet != NULL; i++) {
        if (strcmp(cycles[i].sheet, sheet) == 0 && strcmp(cycles[i].tag, tag) == 0) {
            return i;
        }
    }
    return -1;
}

static firn_result animation_decode(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    Assets *assets = user;
    Animation *animations = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        const firn_value *row = read_row(assets, in);
        int cycle = find_cycle(assets->cycles, row_text(row, "sheet"), row_text(row, "tag"));
        if (cycle < 0) {
            return missing(err, "animation", row_text(row, "tag"));
        }
        // A cycle that is longer than it was goes on at the same place of it.
        float seconds = row_number(row, "phase") * seconds_of(&assets->cycles[cycle]);
        animations[i] = (Animation){.cycle = cycle, .seconds = seconds};
    }
    return FIRN_OK;
}

static const firn_field animation_fields[] = {
    FIRN_FIELD(Animation, cycle, FIRN_I32),
    FIRN_FIELD(Animation, seconds, FIRN_F32),
    FIRN_FIELD(Animation, frame, FIRN_I32),
};

firn_component animation_register(firn_world *world, Assets *assets, firn_error *err)
{
    firn_codec codec = {FIRN_ABI, "animation", animation_encode, animation_decode, assets};
    firn_component_desc desc = {.name = "Animation",
                                .kind = FIRN_STRUCT,
                                .size = sizeof(Animation),
                                .fields = animation_fields,
                                .field_count = FIRN_COUNT(animation_fields),
                                .codec = &codec};
    return firn_component_register(world, &desc, err);
}
