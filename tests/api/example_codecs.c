// The codecs of examples/04_codecs.c: what each saves, and what a load makes of it in a run that
// has loaded other things in another order.
#include "codecs/codecs.h"

#include <string.h>

#include "support/support.h"

static const char *const images[] = {"fox.png", "den.png", NULL};
static const char *const other_images[] = {"tree.png", "den.png", "fox.png", NULL};
static const char *const clips[] = {"rain.ogg", "wind.ogg", NULL};
static const char *const other_clips[] = {"wind.ogg", "rain.ogg", NULL};
static const char *const groups[] = {"music", "weather", NULL};
static const char *const other_groups[] = {"weather", "music", NULL};
static const char *const nothing[] = {NULL};
static const Cycle cycles[] = {{"fox", "run", 4, 0.25f}, {"den", "run", 2, 1}, {0}};
static const Cycle other_cycles[] = {{"den", "run", 2, 1}, {"fox", "run", 8, 0.25f}, {0}};
static const Cycle no_cycles[] = {{0}};
static const Font fonts[] = {{"sans", 1}, {"serif", 0.5f}, {0}};
static const Font other_fonts[] = {{"serif", 0.25f}, {0}};
static const Font no_fonts[] = {{0}};

// A world of one run, with one entity; components are 0 until they are registered.
typedef struct run {
    Assets assets;
    firn_world *world;
    firn_component component;
    firn_entity entity;
} run;

typedef firn_component (*register_fn)(firn_world *world, Assets *assets, firn_error *err);

static void open_run(run *game, const Assets *assets, register_fn add)
{
    firn_error err = {0};
    game->assets = *assets;
    assert_true(assets_open(&game->assets, &err));
    game->world = firn_world_create(NULL, &err);
    game->component = add(game->world, &game->assets, &err);
    assert_ok(game->component != 0 ? FIRN_OK : err.code, &err);
    game->entity = firn_spawn(game->world, NULL, 0, &err);
}

static void close_run(run *game)
{
    firn_world_destroy(game->world);
    assets_close(&game->assets);
}

static Assets first_assets(void)
{
    return (Assets){
        .images = images, .clips = clips, .groups = groups, .cycles = cycles, .fonts = fonts};
}

static Assets second_assets(void)
{
    return (Assets){.images = other_images,
                    .clips = other_clips,
                    .groups = other_groups,
                    .cycles = other_cycles,
                    .fonts = other_fonts,
                    .last_voice = 40};
}

// Saves a first run that has `row`, and loads it into a second one with these assets.
static firn_result carry(run *second, const Assets *assets, register_fn add, const void *row,
                         firn_buffer *save, firn_error *err)
{
    run first;
    Assets before = first_assets();
    open_run(&first, &before, add);
    assert_ok(firn_set(first.world, first.entity, first.component, row, err), err);
    firn_buffer_init(save, NULL);
    assert_ok(firn_snapshot_save(first.world, NULL, save, err), err);
    close_run(&first);
    open_run(second, assets, add);
    return firn_snapshot_load(second->world, save->data, save->size, NULL, NULL, err);
}

// The row of `carry`, which must have worked.
static const void *carried(run *second, register_fn add, const void *row, firn_buffer *save)
{
    firn_error err = {0};
    Assets assets = second_assets();
    assert_ok(carry(second, &assets, add, row, save, &err), &err);
    const void *found = firn_get(second->world, second->entity, second->component);
    assert_non_null(found);
    return found;
}

// A load without what the row names fails, says so, and leaves the second run as it was.
static void assert_refused(register_fn add, const void *row, const Assets *assets,
                           const char *reason)
{
    run second;
    firn_buffer save;
    firn_error err = {0};
    assert_int_equal(carry(&second, assets, add, row, &save, &err), FIRN_REFUSED);
    assert_error(&err, FIRN_REFUSED, firn_component_name(second.world, second.component));
    if (strstr(err.message, reason) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", err.message, reason);
    assert_true(firn_alive(second.world, second.entity));
    assert_false(firn_has(second.world, second.entity, second.component));
    firn_buffer_free(&save);
    close_run(&second);
}

static bool holds(const firn_buffer *save, const char *text)
{
    size_t size = strlen(text);
    for (size_t i = 0; i + size <= save->size; i++) {
        if (memcmp(save->data + i, text, size) == 0)
            return true;
    }
    return false;
}

// ---- sprites

static void T20_a_sprite_finds_its_image_again_by_name(void **state)
{
    (void)state;
    run second;
    firn_buffer save;
    const Sprite *sprite = carried(&second, sprite_register, &(Sprite){0, 0.5f}, &save);
    assert_true(holds(&save, "fox.png"));
    assert_int_equal(sprite->image, 2);
    assert_true(sprite->alpha == 0.5f);
    firn_buffer_free(&save);
    close_run(&second);
}

static void T20_an_image_that_is_gone_fails_the_load_and_is_named(void **state)
{
    (void)state;
    Assets assets = second_assets();
    assets.images = nothing;
    assert_refused(sprite_register, &(Sprite){1, 1}, &assets, "there is no image \"den.png\"");
}

// ---- animations

static void T20_an_animation_finds_its_sheet_and_tag_again_by_name(void **state)
{
    (void)state;
    run second;
    firn_buffer save;
    const Animation *animation =
        carried(&second, animation_register, &(Animation){1, 0.5f, 0}, &save);
    assert_true(holds(&save, "sheet") && holds(&save, "den"));
    assert_true(holds(&save, "tag") && holds(&save, "run"));
    assert_int_equal(animation->cycle, 0);
    assert_true(animation->seconds == 0.5f);
    firn_buffer_free(&save);
    close_run(&second);
}

static void T20_an_animation_goes_on_at_its_phase_in_a_cycle_of_another_length(void **state)
{
    (void)state;
    run second;
    firn_buffer save;
    // A quarter into a cycle of one second: half a second into one of two seconds.
    const Animation *animation =
        carried(&second, animation_register, &(Animation){0, 2.25f, 1}, &save);
    assert_int_equal(animation->cycle, 1);
    assert_true(animation->seconds == 0.5f);
    firn_buffer_free(&save);
    close_run(&second);
}

static void T20_the_frame_of_an_animation_is_not_saved_and_cleared_by_a_load(void **state)
{
    (void)state;
    run second;
    firn_buffer save;
    const Animation *animation =
        carried(&second, animation_register, &(Animation){0, 0.5f, 2}, &save);
    assert_false(holds(&save, "frame"));
    assert_int_equal(animation->frame, 0);
    firn_buffer_free(&save);
    close_run(&second);
}

static void T20_an_animation_that_is_gone_fails_the_load_and_is_named(void **state)
{
    (void)state;
    Assets assets = second_assets();
    assets.cycles = no_cycles;
    assert_refused(animation_register, &(Animation){0}, &assets, "there is no animation \"run\"");
}

// ---- sounds

static void T20_a_sound_finds_its_clip_and_group_again_by_name(void **state)
{
    (void)state;
    run second;
    firn_buffer save;
    const Sound *sound = carried(&second, sound_register, &(Sound){0, 1, 0.5f, 3}, &save);
    assert_true(holds(&save, "rain.ogg") && holds(&save, "weather"));
    assert_int_equal(sound->clip, 1);
    assert_int_equal(sound->group, 0);
    assert_true(sound->gain == 0.5f);
    firn_buffer_free(&save);
    close_run(&second);
}

static void T20_a_load_starts_a_new_voice_and_stops_that_of_the_replaced_sound(void **state)
{
    (void)state;
    run second;
    firn_buffer save;
    firn_error err = {0};
    const Sound *sound = carried(&second, sound_register, &(Sound){0, 1, 1, 3}, &save);
    assert_int_equal(sound->voice, 41);
    assert_int_equal(second.assets.playing, 1);
    assert_ok(firn_snapshot_load(second.world, save.data, save.size, NULL, NULL, &err), &err);
    sound = firn_get(second.world, second.entity, second.component);
    assert_int_equal(sound->voice, 42);
    assert_int_equal(second.assets.playing, 1);
    firn_buffer_free(&save);
    firn_world_destroy(second.world);
    assert_int_equal(second.assets.playing, 0);
    assets_close(&second.assets);
}

static void T20_a_load_that_fails_behind_a_sound_leaves_no_voice_playing(void **state)
{
    (void)state;
    run first, second;
    firn_error err = {0};
    firn_buffer save = {0};
    Assets assets = first_assets();
    open_run(&first, &assets, sound_register);
    firn_entity other = firn_spawn(first.world, NULL, 0, &err);
    firn_set(first.world, first.entity, first.component, &(Sound){.clip = 0}, &err);
    firn_set(first.world, other, first.component, &(Sound){.clip = 1}, &err);
    assert_ok(firn_snapshot_save(first.world, NULL, &save, &err), &err);
    close_run(&first);

    static const char *const only_rain[] = {"rain.ogg", NULL};
    assets = second_assets();
    assets.clips = only_rain;
    open_run(&second, &assets, sound_register);
    assert_int_equal(firn_snapshot_load(second.world, save.data, save.size, NULL, NULL, &err),
                     FIRN_REFUSED);
    assert_non_null(strstr(err.message, "there is no clip \"wind.ogg\""));
    assert_int_equal(second.assets.last_voice, 41);
    assert_int_equal(second.assets.playing, 0);
    firn_buffer_free(&save);
    close_run(&second);
}

static void T20_a_group_that_is_gone_fails_the_load_and_is_named(void **state)
{
    (void)state;
    Assets assets = second_assets();
    assets.groups = nothing;
    assert_refused(sound_register, &(Sound){0, 0, 1, 0}, &assets, "there is no group \"music\"");
}

// ---- texts

static void T20_a_text_keeps_what_was_authored_and_is_laid_out_again(void **state)
{
    (void)state;
    run second;
    firn_buffer save;
    const Text *text = carried(&second, text_register,
                               &(Text){.text = "snow", .font = "serif", .size = 12}, &save);
    assert_string_equal(text->text, "snow");
    assert_string_equal(text->font, "serif");
    assert_true(text->size == 12);
    assert_non_null(text->layout);
    assert_true(text->layout->width == 4 * 0.25f * 12);
    assert_false(holds(&save, "layout"));
    firn_buffer_free(&save);
    close_run(&second);
}

static void T20_a_text_without_its_font_has_no_layout_and_keeps_the_name(void **state)
{
    (void)state;
    run second;
    firn_buffer save;
    firn_error err = {0};
    Assets assets = second_assets();
    assets.fonts = no_fonts;
    Text row = {.text = "snow", .font = "serif", .size = 12};
    assert_ok(carry(&second, &assets, text_register, &row, &save, &err), &err);
    const Text *text = firn_get(second.world, second.entity, second.component);
    assert_null(text->layout);
    assert_string_equal(text->font, "serif");
    firn_buffer again = {0};
    assert_ok(firn_snapshot_save(second.world, NULL, &again, &err), &err);
    assert_int_equal(again.size, save.size);
    assert_memory_equal(again.data, save.data, save.size);
    firn_buffer_free(&again);
    firn_buffer_free(&save);
    close_run(&second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T20_a_sprite_finds_its_image_again_by_name),
        cmocka_unit_test(T20_an_image_that_is_gone_fails_the_load_and_is_named),
        cmocka_unit_test(T20_an_animation_finds_its_sheet_and_tag_again_by_name),
        cmocka_unit_test(T20_an_animation_goes_on_at_its_phase_in_a_cycle_of_another_length),
        cmocka_unit_test(T20_the_frame_of_an_animation_is_not_saved_and_cleared_by_a_load),
        cmocka_unit_test(T20_an_animation_that_is_gone_fails_the_load_and_is_named),
        cmocka_unit_test(T20_a_sound_finds_its_clip_and_group_again_by_name),
        cmocka_unit_test(T20_a_load_starts_a_new_voice_and_stops_that_of_the_replaced_sound),
        cmocka_unit_test(T20_a_load_that_fails_behind_a_sound_leaves_no_voice_playing),
        cmocka_unit_test(T20_a_group_that_is_gone_fails_the_load_and_is_named),
        cmocka_unit_test(T20_a_text_keeps_what_was_authored_and_is_laid_out_again),
        cmocka_unit_test(T20_a_text_without_its_font_has_no_layout_and_keeps_the_name),
    };
    return cmocka_run_group_tests_name("example_codecs", tests, NULL, NULL);
}
