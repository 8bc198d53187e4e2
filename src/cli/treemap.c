#include "cli/treemap.h"

#include <stdbool.h>

// Some weights that lie side by side along the shorter side of what is left.
typedef struct treemap_row {
    const uint64_t *weights;
    uint32_t count;
    double sum;
} treemap_row;

// How far the longest rectangle of a row is from a square: 1 or more. `area` is that of one unit of
// weight, `side` the length of the row.
static double worst_ratio(const treemap_row *row, double area, double side)
{
    double thick = row->sum * area / side;
    double largest = (double)row->weights[0] * area / thick;
    double smallest = (double)row->weights[row->count - 1] * area / thick;
    double wide = largest > thick ? largest / thick : thick / largest;
    double narrow = smallest > thick ? smallest / thick : thick / smallest;
    return wide > narrow ? wide : narrow;
}

// The row that the first of the weights make: one more for as long as the ratio gets no worse.
static treemap_row first_row(const uint64_t *weights, uint32_t count, double area, double side)
{
    treemap_row row = {.weights = weights, .count = 1, .sum = (double)weights[0]};
    double worst = worst_ratio(&row, area, side);
    while (row.count < count) {
        treemap_row longer = row;
        longer.sum += (double)weights[longer.count++];
        double ratio = worst_ratio(&longer, area, side);
        if (ratio > worst) {
            break;
        }
        row = longer;
        worst = ratio;
    }
    return row;
}

// Lays a row at the left (or the top) of the area, and takes it off.
static void lay_row(const treemap_row *row, double share, fr_rect *area, fr_rect *rects)
{
    bool down = area->width >= area->height;
    double thick = (down ? area->width : area->height) * share;
    double length = down ? area->height : area->width;
    double done = 0;
    for (uint32_t i = 0; i < row->count; i++) {
        double from = length * (done / row->sum);
        done += (double)row->weights[i];
        double extent = length * (done / row->sum) - from;
        rects[i] = down ? (fr_rect){area->x, area->y + from, thick, extent}
                        : (fr_rect){area->x + from, area->y, extent, thick};
    }
    if (down) {
        area->x += thick;
        area->width -= thick;
    } else {
        area->y += thick;
        area->height -= thick;
    }
}

void fr_treemap_lay(const uint64_t *weights, uint32_t count, fr_rect area, fr_rect *rects)
{
    double left = 0;
    for (uint32_t i = 0; i < count; i++) {
        left += (double)weights[i];
    }
    for (uint32_t at = 0; at < count;) {
        double side = area.width < area.height ? area.width : area.height;
        double unit = area.width * area.height / left;
        treemap_row row = {.weights = weights + at, .count = count - at, .sum = left};
        if (unit > 0) {
            row = first_row(weights + at, count - at, unit, side);
        }
        bool last = at + row.count == count;
        lay_row(&row, last ? 1 : row.sum / left, &area, rects + at);
        at += row.count;
        left -= row.sum;
    }
}
