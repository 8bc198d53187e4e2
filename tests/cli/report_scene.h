/// report_scene.h: a save as a game makes it, for pages about it.
#ifndef TEST_REPORT_SCENE_H
#define TEST_REPORT_SCENE_H

#include "firn/firn.h"

/// The save of a town of so many entities: people, arrows and houses, with relationships, values,
/// data, sections and meta. Freed with firn_buffer_free. The same in every run.
firn_buffer report_scene(uint32_t entities);

#endif
