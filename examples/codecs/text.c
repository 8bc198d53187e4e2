// Text: {font = "serif", size = 12, text = "Snow"}
#include "codecs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_lay_out(const Assets *assets, Text *text)
{
    free(text->layout);
    text->layout = NULL;
    for (const Font *font = assets->fonts; font->name != NULL; font++) {
        if (strcmp(font->name, text->font) == 0 && (text->layout = malloc(sizeof(Layout)))) {
            text->layout->width = (float)strlen(text->text) * font->advance * text->size;
        }
    }
}

static firn_result text_encode(void *user, const firn_rows *rows, firn_writer *out, firn_error *err)
{
    (void)user;
    (void)err;
    const Text *texts = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        firn_write_table(out, 0, 3);
        firn_write_text(out, "font");
        firn_write_text(out, texts[i].font);
        firn_write_text(out, "size");
        firn_write_number(out, (double)texts[i].size);
        firn_write_text(out, "text");
        firn_write_text(out, texts[i].text);
    }
    return FIRN_OK;
}

static firn_result text_decode(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)err;
    Assets *assets = user;
    Text *texts = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        const firn_value *row = read_row(assets, in);
        texts[i].size = row_number(row, "size");
        snprintf(texts[i].font, sizeof texts[i].font, "%s", row_text(row, "font"));
        snprintf(texts[i].text, sizeof texts[i].text, "%s", row_text(row, "text"));
        text_lay_out(assets, &texts[i]);
    }
    return FIRN_OK;
}

static void text_drop(void *user, const firn_rows *rows)
{
    (void)user;
    const Text *texts = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        free(texts[i].layout);
    }
}

static const firn_field text_fields[] = {
    FIRN_FIELD_ARRAY(Text, text, FIRN_CHAR, 32),
    FIRN_FIELD_ARRAY(Text, font, FIRN_CHAR, 16),
    FIRN_FIELD(Text, size, FIRN_F32),
    FIRN_FIELD(Text, layout, FIRN_POINTER),
};

firn_component text_register(firn_world *world, Assets *assets, firn_error *err)
{
    firn_codec codec = {FIRN_ABI, "text", text_encode, text_decode, assets};
    firn_component_desc desc = {.name = "Text",
                                .kind = FIRN_STRUCT,
                                .size = sizeof(Text),
                                .fields = text_fields,
                                .field_count = FIRN_COUNT(text_fields),
                                .codec = &codec,
                                .hooks = {.drop = text_drop, .user = assets}};
    return firn_component_register(world, &desc, err);
}
