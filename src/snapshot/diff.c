// Two sides, each made an open image, and what is told of them.
#include "snapshot/diff.h"

#include "base/alloc.h"
#include "base/utf8.h"
#include "snapshot/image_rows.h"
#include "snapshot/lifecycle.h"

// ---- telling

void fr_diff_name_component(fr_diff *diff, const char *component, size_t size)
{
    fr_printable(diff->component, sizeof diff->component, component, size);
}

void fr_diff_begin(fr_diff *diff, firn_difference_kind kind, const char *component, size_t size)
{
    fr_diff_name_component(diff, component, size);
    fr_path_begin(&diff->path, diff->path_text, sizeof diff->path_text);
    diff->at = (firn_difference){.kind = kind, .key = "", .name = "", .component = diff->component};
}

static void count_difference(firn_diff_summary *summary, const firn_difference *at)
{
    summary->differences++;
    switch (at->kind) {
    case FIRN_DIFFERENCE_HEADER:
        summary->header++;
        break;
    case FIRN_DIFFERENCE_SCHEMA:
        summary->schemas++;
        break;
    case FIRN_DIFFERENCE_ORDER:
        summary->order++;
        break;
    case FIRN_DIFFERENCE_ENTITY:
        summary->left_entities += at->in_left;
        summary->right_entities += at->in_right;
        break;
    case FIRN_DIFFERENCE_COMPONENT:
        summary->components++;
        break;
    case FIRN_DIFFERENCE_FIELD:
        summary->fields++;
        break;
    case FIRN_DIFFERENCE_DATA:
        summary->data++;
        break;
    }
}

static firn_result hand_out(fr_diff *diff, firn_error *err)
{
    bool heard = fr_diff_is_heard(diff);
    count_difference(&diff->summary, &diff->at);
    if (!heard) {
        return FIRN_OK;
    }
    diff->summary.listed++;
    diff->at.path = diff->path_text + (diff->path_text[0] == '.');
    firn_error why;
    fr_error_begin(&why);
    firn_result result = diff->each(diff->user, &diff->at, &why);
    if (result != FIRN_OK) {
        fr_error_complete(&why, result);
        fr_fail_copy(err, &why);
    }
    return result;
}

firn_result fr_diff_tell(fr_diff *diff, const firn_value *left, const firn_value *right,
                         firn_error *err)
{
    diff->at.in_left = left != NULL;
    diff->at.in_right = right != NULL;
    diff->at.left = left;
    diff->at.right = right;
    return hand_out(diff, err);
}

firn_result fr_diff_tell_only(fr_diff *diff, int side, const firn_value *value, firn_error *err)
{
    diff->at.in_left = side == FR_LEFT;
    diff->at.in_right = side == FR_RIGHT;
    diff->at.left = side == FR_LEFT ? value : NULL;
    diff->at.right = side == FR_RIGHT ? value : NULL;
    return hand_out(diff, err);
}

firn_result fr_diff_tell_both(fr_diff *diff, firn_error *err)
{
    diff->at.in_left = diff->at.in_right = true;
    diff->at.left = diff->at.right = NULL;
    return hand_out(diff, err);
}

// ---- options

static firn_result check_side(const firn_diff_side *side, const char *name, firn_error *err)
{
    int kinds =
        side == NULL ? 0 : (side->world != NULL) + (side->image != NULL) + (side->bytes != NULL);
    if (kinds != 1) {
        return fr_fail(err, FIRN_INVALID, name, "%s is %s", name,
                       kinds == 0 ? "no world, no image and no bytes" : "more than one thing");
    }
    return FIRN_OK;
}

static firn_result check_name_list(const char *const *names, uint32_t count, const char *what,
                                   firn_error *err)
{
    if (names == NULL && count > 0) {
        return fr_fail(err, FIRN_INVALID, what, "%s is NULL, but there are %u", what, count);
    }
    for (uint32_t i = 0; names != NULL && i < count; i++) {
        if (names[i] == NULL) {
            return fr_fail(err, FIRN_INVALID, what, "%s[%u] is NULL", what, i);
        }
    }
    return FIRN_OK;
}

static firn_result resolve_options(fr_diff *diff, const firn_diff_options *options, firn_error *err)
{
    const firn_diff_options defaults = {0};
    diff->options = options != NULL ? *options : defaults;
    options = &diff->options;
    firn_result result = fr_check_reserved(options->reserved, "firn_diff_options.reserved", err);
    if (result == FIRN_OK) {
        result = fr_allocator_check(options->allocator, err);
    }
    if (result == FIRN_OK) {
        result = fr_limits_resolve(options->limits, &diff->limits, err);
    }
    if (result == FIRN_OK) {
        result = check_name_list(options->components, options->component_count, "components", err);
    }
    if (result == FIRN_OK) {
        result = check_name_list(options->exclude, options->exclude_count, "exclude", err);
    }
    if (result == FIRN_OK && !(options->tolerance >= 0)) {
        result = fr_fail(err, FIRN_INVALID, "tolerance", "tolerance is %g: not a number from 0 on",
                         options->tolerance);
    }
    diff->allocator = options->allocator != NULL ? *options->allocator : *firn_allocator_default();
    return result;
}

// ---- sides

// An image that was opened here, and the bytes that were made of a world.
typedef struct opened_side {
    fr_image image;
    firn_buffer bytes;
    bool open;
} opened_side;

static firn_result open_side(fr_diff *diff, const firn_diff_side *side, uint32_t version,
                             opened_side *out, const fr_image **image, firn_error *err)
{
    if (side->image != NULL) {
        *image = fr_image_of(side->image);
        return FIRN_OK;
    }
    const void *bytes = side->bytes;
    size_t size = side->size;
    const firn_limits *limits = &diff->limits;
    if (side->world != NULL) {
        firn_save_options options = {.wire_version = version, .sparse_edges = true};
        firn_buffer_init(&out->bytes, &diff->allocator);
        firn_result result = firn_snapshot_save(side->world, &options, &out->bytes, err);
        if (result != FIRN_OK) {
            return result;
        }
        bytes = out->bytes.data;
        size = out->bytes.size;
        limits = &side->world->limits;
    }
    firn_result result =
        fr_image_open(&out->image, bytes, size, limits, &diff->allocator, false, NULL, NULL, err);
    out->open = result == FIRN_OK;
    *image = &out->image;
    return result;
}

// Images first: a world is saved in the version of the other side.
static firn_result open_sides(fr_diff *diff, const firn_diff_side *const sides[2],
                              opened_side opened[2], firn_error *err)
{
    uint32_t version = 0;
    for (int worlds = 0; worlds < 2; worlds++) {
        for (int side = FR_LEFT; side <= FR_RIGHT; side++) {
            if ((sides[side]->world != NULL) != (worlds == 1)) {
                continue;
            }
            const fr_image **image = &diff->images[side].image;
            firn_result result = open_side(diff, sides[side], version, &opened[side], image, err);
            if (result != FIRN_OK) {
                return result;
            }
            version = (*image)->prelude.version;
        }
    }
    return FIRN_OK;
}

static void close_side(opened_side *side)
{
    if (side->open) {
        fr_image_close(&side->image);
    }
    firn_buffer_free(&side->bytes);
}

// ---- all of it

// What both images hold was checked by their limits: those of trees do not hold for rows.
static void lift_limits(firn_limits *out)
{
    firn_limits_default(out);
    out->tree_values = out->string_bytes = UINT64_MAX;
    out->depth = FIRN_DEPTH_MAX;
}

static firn_result compare_sides(fr_diff *diff, firn_error *err)
{
    firn_limits lifted;
    lift_limits(&lifted);
    firn_buffer_init(&diff->scratch, &diff->allocator);
    diff->doc = firn_doc_create(&diff->allocator, &lifted, err);
    if (diff->doc == NULL) {
        return err->code;
    }
    firn_result result = fr_diff_names_make(diff, err);
    if (result == FIRN_OK) {
        result = fr_diff_front(diff, err);
    }
    if (result == FIRN_OK) {
        result = fr_diff_rows(diff, err);
    }
    if (result == FIRN_OK) {
        result = fr_diff_entities(diff, err);
    }
    if (result == FIRN_OK) {
        result = fr_diff_data(diff, err);
    }
    fr_diff_rows_free(diff);
    fr_diff_names_free(diff);
    firn_doc_destroy(diff->doc);
    firn_buffer_free(&diff->scratch);
    return result;
}

static firn_result map_renamed(fr_diff *diff, uint32_t count, firn_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const firn_merged *pair = &diff->renamed[i];
        if (!fr_map_add(&diff->allocator, &diff->renamed_left, pair->saved, i) ||
            (pair->entity != 0 &&
             !fr_map_add(&diff->allocator, &diff->renamed_right, pair->entity, i))) {
            return fr_fail_memory(err, "entities");
        }
    }
    return FIRN_OK;
}

static firn_result diff_sides(fr_diff *diff, const firn_diff_side *const sides[2], firn_error *err)
{
    firn_result result = check_side(sides[FR_LEFT], "left", err);
    if (result == FIRN_OK) {
        result = check_side(sides[FR_RIGHT], "right", err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    opened_side *opened = fr_alloc_zero(&diff->allocator, 2, sizeof *opened, sizeof(uint64_t));
    if (opened == NULL) {
        return fr_fail_memory(err, "images");
    }
    result = open_sides(diff, sides, opened, err);
    if (result == FIRN_OK) {
        result = compare_sides(diff, err);
    }
    close_side(&opened[FR_LEFT]);
    close_side(&opened[FR_RIGHT]);
    fr_free(&diff->allocator, opened, 2, sizeof *opened, sizeof(uint64_t));
    return result;
}

firn_result fr_diff_renamed(const firn_diff_side *left, const firn_diff_side *right,
                            const firn_diff_options *options, const firn_merged *renamed,
                            uint32_t renamed_count, firn_difference_fn each, void *user,
                            firn_diff_summary *summary, firn_error *err)
{
    const firn_diff_side *const sides[2] = {left, right};
    fr_diff diff = {.each = each, .user = user, .renamed = renamed};
    firn_error why;
    firn_result result = resolve_options(&diff, options, &why);
    if (result == FIRN_OK) {
        result = map_renamed(&diff, renamed_count, &why);
    }
    if (result == FIRN_OK) {
        result = diff_sides(&diff, sides, &why);
    }
    fr_map_free(&diff.allocator, &diff.renamed_left);
    fr_map_free(&diff.allocator, &diff.renamed_right);
    if (result != FIRN_OK) {
        return fr_fail_copy(err, &why);
    }
    if (summary != NULL) {
        *summary = diff.summary;
    }
    return FIRN_OK;
}

firn_result firn_diff(const firn_diff_side *left, const firn_diff_side *right,
                      const firn_diff_options *options, firn_difference_fn each, void *user,
                      firn_diff_summary *summary, firn_error *err)
{
    return fr_diff_renamed(left, right, options, NULL, 0, each, user, summary, err);
}

firn_result fr_diff_trees(const firn_difference *like, bool flat, const firn_value *left,
                          const firn_value *right, const firn_diff_options *options,
                          firn_difference_fn each, void *user, firn_diff_summary *summary,
                          firn_error *err)
{
    fr_diff diff = {.each = each, .user = user, .flat = flat};
    firn_error why;
    firn_result result = resolve_options(&diff, options, &why);
    if (result == FIRN_OK) {
        diff.summary = *summary;
        fr_diff_begin(&diff, like->kind, like->component, strlen(like->component));
        diff.at.entity = like->entity;
        diff.at.key = like->key;
        diff.at.name = like->name;
        result = fr_diff_values(&diff, left, right, &why);
    }
    if (result != FIRN_OK) {
        return fr_fail_copy(err, &why);
    }
    *summary = diff.summary;
    return FIRN_OK;
}

firn_result firn_diff_values(const char *name, const firn_value *left, const firn_value *right,
                             const firn_diff_options *options, firn_difference_fn each, void *user,
                             firn_diff_summary *summary, firn_error *err)
{
    if (name == NULL) {
        return fr_fail(err, FIRN_INVALID, "name", "name is NULL");
    }
    const firn_difference like = {
        .kind = FIRN_DIFFERENCE_DATA, .key = "", .name = "", .component = name};
    firn_diff_summary counts = {0};
    firn_result result =
        left == NULL && right == NULL
            ? FIRN_OK
            : fr_diff_trees(&like, false, left, right, options, each, user, &counts, err);
    if (result == FIRN_OK && summary != NULL) {
        *summary = counts;
    }
    return result;
}
