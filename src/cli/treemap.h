/// treemap.h: rectangles whose areas are as weights are.
#ifndef FR_CLI_TREEMAP_H
#define FR_CLI_TREEMAP_H

#include <stdint.h>

typedef struct fr_rect {
    double x, y, width, height;
} fr_rect;

/// Divides an area: rects[i] gets the share that weights[i] has of all. Weights are in descending
/// order, the last one above 0. The squarified layout of Bruls, Huizing and van Wijk ("Squarified
/// Treemaps", 2000): rows along the shorter side, each as long as it makes its rectangles more
/// alike to squares. The same on every machine.
void fr_treemap_lay(const uint64_t *weights, uint32_t count, fr_rect area, fr_rect *rects);

#endif
