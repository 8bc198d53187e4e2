// A save from before the game changed: names, types and fields differ, and the load sorts it out.
#include <firn/firn.h>

#include <stdio.h>

// As it was when the game was saved ...
typedef struct OldFox {
    float x;
    int32_t hunger;
    uint16_t age_days;
} OldFox;

static const firn_field old_fields[] = {
    FIRN_FIELD(OldFox, x, FIRN_F32),
    FIRN_FIELD(OldFox, hunger, FIRN_I32),
    FIRN_FIELD(OldFox, age_days, FIRN_U16),
};

// ... and as it is: another name, a wider x, hunger as appetite in a byte, no age, and warmth.
typedef struct Animal {
    double x;
    uint8_t appetite;
    float warmth;
} Animal;

static const char *const was_hunger[] = {"hunger", NULL}, *const was_fox[] = {"Fox", NULL};
static const firn_field fields[] = {
    FIRN_FIELD(Animal, x, FIRN_F64),
    {"appetite", FIRN_U8, offsetof(Animal, appetite), .former_names = was_hunger},
    FIRN_FIELD(Animal, warmth, FIRN_F32),
};

static void make_old_save(firn_buffer *save)
{
    firn_world *world = firn_world_create(NULL, NULL);
    firn_component_desc desc = {
        .name = "Fox", .size = sizeof(OldFox), .fields = old_fields, .field_count = 3};
    firn_component fox = firn_component_register(world, &desc, NULL);
    firn_set(world, firn_spawn(world, NULL, 0, NULL), fox, &(OldFox){1.5f, 7, 400}, NULL);
    firn_set(world, firn_spawn(world, NULL, 0, NULL), fox, &(OldFox){2.5f, 300, 400}, NULL);
    firn_snapshot_save(world, NULL, save, NULL);
    firn_world_destroy(world);
}

int main(void)
{
    static const char *const kinds[] = {"unknown", "transient", "changed", "removed", "renamed"};
    firn_buffer save = {0};
    make_old_save(&save);
    firn_world *world = firn_world_create(NULL, NULL);
    firn_component_desc desc = {.name = "Animal",
                                .size = sizeof(Animal),
                                .fields = fields,
                                .field_count = 3,
                                .default_row = &(Animal){.warmth = 0.5f},
                                .former_names = was_fox};
    firn_component animal = firn_component_register(world, &desc, NULL);
    firn_load_report report;
    firn_snapshot_load(world, save.data, save.size, NULL, &report, NULL);
    for (uint32_t i = 0; i < report.notice_count; i++) {
        const firn_notice *notice = &report.notices[i];
        printf("%s in %d: %s %s\n", kinds[notice->kind], (int)notice->count, notice->component,
               notice->field[0] != 0 ? notice->field : "itself");
    }
    for (firn_entity entity = 1; entity <= 2; entity++) {
        const Animal *row = firn_get(world, entity, animal);
        printf("at %g: appetite %d, warmth %g\n", row->x, row->appetite, (double)row->warmth);
    }
    firn_load_report_free(&report);
    firn_buffer_free(&save);
    firn_world_destroy(world);
    return 0;
}
// renamed in 2: Fox itself
// changed in 1: Fox appetite
// renamed in 2: Fox hunger
// removed in 2: Fox age_days
// at 1.5: appetite 7, warmth 0.5
// at 2.5: appetite 44, warmth 0.5
