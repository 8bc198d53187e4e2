// Sprite: {alpha = 0.5, image = "fox.png"}
#include "codecs.h"

static firn_result sprite_encode(void *user, const firn_rows *rows, firn_writer *out,
                                 firn_error *err)
{
    (void)err;
    const Assets *assets = user;
    const Sprite *sprites = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        firn_write_table(out, 0, 2);
        firn_write_text(out, "alpha");
        firn_write_number(out, (double)sprites[i].alpha);
        firn_write_text(out, "image");
        firn_write_text(out, assets->images[sprites[i].image]);
    }
    return FIRN_OK;
}

static firn_result sprite_decode(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    Assets *assets = user;
    Sprite *sprites = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        const firn_value *row = read_row(assets, in);
        int image = place_of(assets->images, row_text(row, "image"));
        if (image < 0) {
            return missing(err, "image", row_text(row, "image"));
        }
        sprites[i] = (Sprite){image, row_number(row, "alpha")};
    }
    return FIRN_OK;
}

static const firn_field sprite_fields[] = {
    FIRN_FIELD(Sprite, image, FIRN_I32),
    FIRN_FIELD(Sprite, alpha, FIRN_F32),
};

firn_component sprite_register(firn_world *world, Assets *assets, firn_error *err)
{
    firn_codec codec = {FIRN_ABI, "sprite", sprite_encode, sprite_decode, assets};
    firn_component_desc desc = {.name = "Sprite",
                                .kind = FIRN_STRUCT,
                                .size = sizeof(Sprite),
                                .fields = sprite_fields,
                                .field_count = FIRN_COUNT(sprite_fields),
                                .codec = &codec};
    return firn_component_register(world, &desc, err);
}
