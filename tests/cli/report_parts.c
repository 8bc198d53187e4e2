// What pages are made of: treemaps, histograms, lists of the largest, texts.
#include <float.h>
#include <locale.h>
#include <string.h>

#include "cli/html.h"
#include "cli/report.h"
#include "cli/treemap.h"
#include "support/support.h"

// ---- treemap

static double overlap(double a, double a_size, double b, double b_size)
{
    double from = a > b ? a : b, end = a + a_size < b + b_size ? a + a_size : b + b_size;
    return end > from ? end - from : 0;
}

static void assert_close(double a, double b)
{
    double distance = a > b ? a - b : b - a;
    if (distance > 1e-6) {
        fail_msg("%g is not %g", a, b);
    }
}

static void areas_are_as_weights(void **state)
{
    (void)state;
    test_random random = {3};
    for (uint32_t round = 0; round < 50; round++) {
        uint64_t weights[40], sum = 0, above = 1000000;
        fr_rect rects[40];
        uint32_t count = 1 + test_random_below(&random, 40);
        for (uint32_t i = 0; i < count; i++) {
            above = 1 + above * (50 + test_random_below(&random, 51)) / 101;
            weights[i] = above;
            sum += above;
        }
        fr_treemap_lay(weights, count, (fr_rect){10, 20, 600, 250}, rects);
        for (uint32_t i = 0; i < count; i++) {
            const fr_rect *a = &rects[i];
            assert_close(a->width * a->height, 600.0 * 250 * (double)weights[i] / (double)sum);
            assert_true(a->x > 10 - 1e-9 && a->x + a->width < 610 + 1e-9);
            assert_true(a->y > 20 - 1e-9 && a->y + a->height < 270 + 1e-9);
            for (uint32_t k = 0; k < i; k++) {
                const fr_rect *b = &rects[k];
                assert_close(overlap(a->x, a->width, b->x, b->width) *
                                 overlap(a->y, a->height, b->y, b->height),
                             0);
            }
        }
    }
}

// The example of the paper: 6, 6, 4, 3, 2, 2, 1 in 6 by 4.
static void the_layout_is_squarified(void **state)
{
    (void)state;
    static const uint64_t weights[] = {6, 6, 4, 3, 2, 2, 1};
    fr_rect rects[7];
    fr_treemap_lay(weights, 7, (fr_rect){0, 0, 6, 4}, rects);
    static const fr_rect want[] = {
        {0, 0, 3, 2}, {0, 2, 3, 2}, {3, 0, 12.0 / 7, 7.0 / 3}, {3 + 12.0 / 7, 0, 9.0 / 7, 7.0 / 3}};
    for (uint32_t i = 0; i < 4; i++) {
        assert_close(rects[i].x, want[i].x);
        assert_close(rects[i].y, want[i].y);
        assert_close(rects[i].width, want[i].width);
        assert_close(rects[i].height, want[i].height);
    }
}

static void an_area_without_extent_is_laid_too(void **state)
{
    (void)state;
    static const uint64_t weights[] = {2, 1};
    fr_rect rects[2];
    fr_treemap_lay(weights, 2, (fr_rect){5, 5, 0, 10}, rects);
    assert_close(rects[0].width * rects[0].height + rects[1].width * rects[1].height, 0);
}

// ---- histograms

static fr_number real(double number)
{
    return (fr_number){FR_NUMBER_REAL, {.real = number}};
}

static fr_histogram histogram_of(const fr_number *numbers, uint32_t count)
{
    fr_histogram histogram = {.count = 0};
    for (uint32_t i = 0; i < count; i++) {
        fr_histogram_see(&histogram, numbers[i]);
    }
    fr_histogram_divide(&histogram);
    for (uint32_t i = 0; i < count; i++) {
        fr_histogram_sort(&histogram, numbers[i]);
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i < histogram.bin_count; i++) {
        sum += histogram.bins[i];
    }
    assert_int_equal(sum, histogram.bin_count > 0 ? histogram.count : 0);
    return histogram;
}

static void few_integers_have_a_bin_each(void **state)
{
    (void)state;
    const fr_number numbers[] = {real(-1), real(3), real(3), real(0)};
    fr_histogram histogram = histogram_of(numbers, 4);
    assert_int_equal(histogram.bin_count, 5);
    assert_int_equal(histogram.bins[0], 1);
    assert_int_equal(histogram.bins[1], 1);
    assert_int_equal(histogram.bins[4], 2);
    assert_true(histogram.mean == 1.25);
    assert_false(fr_histogram_constant(&histogram));
}

static void bins_hold_as_many_integers_each(void **state)
{
    (void)state;
    fr_number numbers[100];
    for (uint32_t i = 0; i < 100; i++) {
        numbers[i] = (fr_number){FR_NUMBER_UNSIGNED, {.natural = i}};
    }
    fr_histogram histogram = histogram_of(numbers, 100);
    assert_int_equal(histogram.bin_count, 25);
    for (uint32_t i = 0; i < 25; i++) {
        assert_int_equal(histogram.bins[i], 4);
    }
}

static void fractions_have_bins_of_equal_width(void **state)
{
    (void)state;
    const fr_number numbers[] = {real(0), real(0.5), real(1), real(0.999)};
    fr_histogram histogram = histogram_of(numbers, 4);
    assert_int_equal(histogram.bin_count, FR_HISTOGRAM_BINS);
    assert_int_equal(histogram.bins[0], 1);
    assert_int_equal(histogram.bins[16], 1);
    assert_int_equal(histogram.bins[31], 2);
}

static void what_is_no_number_counts_apart(void **state)
{
    (void)state;
    double infinity = DBL_MAX * 2, nan = infinity - infinity;
    const fr_number numbers[] = {real(nan), real(2), real(-infinity), real(infinity), real(nan)};
    fr_histogram histogram = histogram_of(numbers, 5);
    assert_int_equal(histogram.nans, 2);
    assert_int_equal(histogram.infinities, 2);
    assert_int_equal(histogram.count, 1);
    assert_true(fr_histogram_constant(&histogram));
    assert_int_equal(histogram.bin_count, 0);
    histogram = histogram_of(numbers, 1);
    assert_false(fr_histogram_constant(&histogram));
}

static void the_largest_numbers_have_a_mean_and_bins(void **state)
{
    (void)state;
    const fr_number numbers[] = {real(-DBL_MAX), real(DBL_MAX), real(0.5)};
    fr_histogram histogram = histogram_of(numbers, 3);
    assert_true(histogram.mean > -1e300 && histogram.mean < 1e300);
    assert_int_equal(histogram.bins[0], 1);
    assert_int_equal(histogram.bins[16], 1);
    assert_int_equal(histogram.bins[31], 1);
}

static void integers_of_64_bits_are_exact(void **state)
{
    (void)state;
    const fr_number natural[] = {{FR_NUMBER_UNSIGNED, {.natural = UINT64_MAX - 1}},
                                 {FR_NUMBER_UNSIGNED, {.natural = UINT64_MAX}}};
    fr_histogram histogram = histogram_of(natural, 2);
    assert_int_equal(histogram.least.as.natural, UINT64_MAX - 1);
    assert_int_equal(histogram.most.as.natural, UINT64_MAX);
    const fr_number integer[] = {{FR_NUMBER_SIGNED, {.integer = INT64_MIN + 1}},
                                 {FR_NUMBER_SIGNED, {.integer = INT64_MIN}},
                                 {FR_NUMBER_SIGNED, {.integer = INT64_MAX}}};
    histogram = histogram_of(integer, 3);
    assert_true(histogram.least.as.integer == INT64_MIN);
    assert_int_equal(histogram.bins[0], 2);
    assert_int_equal(histogram.bins[31], 1);
}

// ---- the largest

static void the_largest_stay_and_the_others_are_counted(void **state)
{
    (void)state;
    fr_top top = {.most = 3};
    static const uint64_t weights[] = {5, 1, 7, 5, 9, 2};
    for (uint32_t i = 0; i < 6; i++) {
        fr_top_add(&top, &(fr_top_item){.weight = weights[i], .what = i});
    }
    assert_int_equal(top.count, 3);
    assert_int_equal(top.items[0].what, 4);
    assert_int_equal(top.items[1].what, 2);
    assert_int_equal(top.items[2].what, 0); // the first one of 5
    assert_int_equal(top.others, 3);
    assert_int_equal(top.others_weight, 8);
}

// ---- fields

static void fields_are_found_in_any_order(void **state)
{
    (void)state;
    static fr_fields fields; // large
    memset(&fields, 0, sizeof fields);
    uint32_t root = fr_fields_begin(&fields, 0), found[3];
    const fr_step steps[] = {{"a", 1, 0}, {"b", 1, 0}, {NULL, 0, 4}};
    for (uint32_t i = 0; i < 3; i++) {
        found[i] = fr_fields_below(&fields, root, &steps[i]);
        assert_true(found[i] > root);
    }
    static const uint32_t orders[] = {0, 1, 2, 2, 1, 0, 1, 1, 0, 2, 0, 2};
    for (uint32_t i = 0; i < FIRN_COUNT(orders); i++) {
        assert_int_equal(fr_fields_below(&fields, root, &steps[orders[i]]), found[orders[i]]);
    }
    const fr_step other = {NULL, 0, 9}, longer = {"ab", 2, 0};
    assert_int_equal(fr_fields_below(&fields, root, &other), found[2]);
    assert_true(fr_fields_below(&fields, root, &longer) > found[2]);
    assert_false(fields.left_out);
}

static void fields_are_bounded(void **state)
{
    (void)state;
    static fr_fields fields;
    memset(&fields, 0, sizeof fields);
    char names[100][2];
    uint32_t there = 0;
    for (uint32_t part = 0; part < 20; part++) {
        uint32_t root = fr_fields_begin(&fields, part);
        for (uint32_t i = 0; i < 100; i++) {
            memcpy(names[i], (char[]){(char)('0' + i / 10), (char)('0' + i % 10)}, 2);
            uint32_t node = fr_fields_below(&fields, root, &(fr_step){names[i], 2, 0});
            there += fr_fields_at(&fields, node, "number") != NULL;
        }
    }
    assert_int_equal(there, FR_FIELDS_MOST);
    assert_int_equal(fields.count, FR_FIELDS_MOST);
    assert_true(fields.left_out);
    uint32_t roots = 0;
    while (fr_fields_begin(&fields, 0) != 0) {
        roots++;
    }
    assert_true(roots < FR_NODES_MOST);
    assert_int_equal(fr_fields_below(&fields, 0, &(fr_step){names[0], 2, 0}), 0);
}

// ---- texts

typedef struct made {
    firn_buffer bytes;
    fr_html html;
} made;

static void begin_html(made *m)
{
    *m = (made){.html = {.out = &m->bytes}};
}

// What was appended is the text.
static void assert_html(made *m, const char *text)
{
    assert_int_equal(m->html.result, FIRN_OK);
    assert_int_equal(firn_buffer_append(&m->bytes, "", 1, NULL), FIRN_OK);
    assert_string_equal((const char *)m->bytes.data, text);
    firn_buffer_free(&m->bytes);
}

static void text_is_escaped(void **state)
{
    (void)state;
    made m;
    static const char text[] =
        "<a href=\"x\">&'\n\t\x01\x7f\xc3\xa9\xff\xe2\x80\xae\xef\xbf\xbf\0.";
    begin_html(&m);
    fr_html_text(&m.html, text, sizeof text - 1);
    assert_html(&m, "&lt;a href=&quot;x&quot;&gt;&amp;&#39;\\n\\t\\u{1}\\u{7f}\xc3\xa9\\xff"
                    "\\u{202e}\\u{ffff}\\u{0}.");
}

static void text_is_cut_between_characters(void **state)
{
    (void)state;
    static const struct {
        uint32_t most;
        const char *text;
    } cuts[] = {
        {0, "\u2026"}, {1, "\u00e9\u2026"}, {2, "\u00e9&lt;\u2026"}, {3, "\u00e9&lt;\u4e16"}};
    for (uint32_t i = 0; i < FIRN_COUNT(cuts); i++) {
        made m;
        begin_html(&m);
        fr_html_cut(&m.html, "\u00e9<\u4e16", 6, cuts[i].most);
        assert_html(&m, cuts[i].text);
    }
}

static void labels_fit_or_are_left_out(void **state)
{
    (void)state;
    static const struct {
        double width;
        const char *text;
    } widths[] = {{100, "Position"}, {50, "Posit\u2026"}, {38, "Pos\u2026"}, {30, ""}, {0, ""}};
    for (uint32_t i = 0; i < FIRN_COUNT(widths); i++) {
        made m;
        begin_html(&m);
        fr_html_fit(&m.html, "Position", 8, widths[i].width, 12);
        assert_html(&m, widths[i].text);
    }
}

static void numbers_are_grouped_and_rounded(void **state)
{
    (void)state;
    static const struct {
        uint64_t number;
        const char *count, *bytes;
    } numbers[] = {{0, "0", "0 B"},
                   {999, "999", "999 B"},
                   {1000, "1,000", "1.0 kB"},
                   {1049, "1,049", "1.0 kB"},
                   {1050, "1,050", "1.1 kB"},
                   {99950, "99,950", "100.0 kB"},
                   {100499, "100,499", "100 kB"},
                   {999500, "999,500", "1,000 kB"},
                   {32768123, "32,768,123", "32.8 MB"},
                   {UINT64_MAX, "18,446,744,073,709,551,615", "18.4 EB"}};
    for (uint32_t i = 0; i < FIRN_COUNT(numbers); i++) {
        made m;
        begin_html(&m);
        fr_html_count(&m.html, numbers[i].number);
        assert_html(&m, numbers[i].count);
        begin_html(&m);
        fr_html_bytes(&m.html, numbers[i].number);
        assert_html(&m, numbers[i].bytes);
    }
}

static void reals_have_a_point_in_every_locale(void **state)
{
    (void)state;
    static const char *const locales[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    double infinity = DBL_MAX * 2;
    for (uint32_t i = 0; i < FIRN_COUNT(locales); i++) {
        if (setlocale(LC_ALL, locales[i]) == NULL) {
            continue; // not on this machine
        }
        static const struct {
            double number;
            const char *text;
        } numbers[] = {{0, "0"}, {-1234.5625, "-1234.56"}, {1e-7, "1e-07"}, {1e300, "1e+300"}};
        for (uint32_t k = 0; k < FIRN_COUNT(numbers); k++) {
            made m;
            begin_html(&m);
            fr_html_real(&m.html, numbers[k].number);
            assert_html(&m, numbers[k].text);
        }
    }
    setlocale(LC_ALL, "C");
    made m;
    begin_html(&m);
    fr_html_real(&m.html, infinity);
    fr_html_real(&m.html, -infinity);
    fr_html_real(&m.html, infinity - infinity);
    fr_html_place_of(&m.html, "x", 1080.04);
    fr_html_share(&m.html, 1, 3);
    fr_html_share(&m.html, 0, 0);
    assert_html(&m, "inf-infNaN x=\"1080\"33.3 %0.0 %");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(areas_are_as_weights),
        cmocka_unit_test(the_layout_is_squarified),
        cmocka_unit_test(an_area_without_extent_is_laid_too),
        cmocka_unit_test(few_integers_have_a_bin_each),
        cmocka_unit_test(bins_hold_as_many_integers_each),
        cmocka_unit_test(fractions_have_bins_of_equal_width),
        cmocka_unit_test(what_is_no_number_counts_apart),
        cmocka_unit_test(the_largest_numbers_have_a_mean_and_bins),
        cmocka_unit_test(integers_of_64_bits_are_exact),
        cmocka_unit_test(the_largest_stay_and_the_others_are_counted),
        cmocka_unit_test(fields_are_found_in_any_order),
        cmocka_unit_test(fields_are_bounded),
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(text_is_cut_between_characters),
        cmocka_unit_test(labels_fit_or_are_left_out),
        cmocka_unit_test(numbers_are_grouped_and_rounded),
        cmocka_unit_test(reals_have_a_point_in_every_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
