/// report_map.h: what a treemap of a file is made of.
#ifndef FR_CLI_REPORT_MAP_H
#define FR_CLI_REPORT_MAP_H

#include "cli/report.h"
#include "cli/treemap.h"

typedef enum fr_tile_kind {
    FR_TILE_HEAD,       ///< of a save file
    FR_TILE_SECTION,    ///< what: section
    FR_TILE_PRELUDE,    ///< of a snapshot, with its component table
    FR_TILE_ARCHETYPE,  ///< what: archetype; a group
    FR_TILE_FRAME,      ///< of an archetype: its head
    FR_TILE_IDS,        ///< of an archetype
    FR_TILE_PART,       ///< of an archetype; what: component
    FR_TILE_PARTS,      ///< of an archetype: smaller ones; what: how many
    FR_TILE_ARCHETYPES, ///< smaller ones; what: how many
    FR_TILE_DATA,       ///< a group
    FR_TILE_DATUM,      ///< what: entry
    FR_TILE_ENTRIES     ///< smaller ones, and the end; what: how many
} fr_tile_kind;

typedef struct fr_tile {
    uint64_t weight;
    fr_tile_kind kind;
    uint32_t what;
    uint32_t archetype; ///< of a tile of one
} fr_tile;

#define FR_GROUPS_MOST 80
#define FR_LEAVES_MOST 16

/// Some tiles that lie together. One of a single tile is that tile.
typedef struct fr_group {
    fr_tile whole;
    uint32_t count;
    fr_tile leaves[FR_LEAVES_MOST]; ///< in descending order
} fr_group;

/// All bytes, group by group, in descending order.
typedef struct fr_map {
    uint32_t count;
    fr_group groups[FR_GROUPS_MOST];
} fr_map;

/// Groups without bytes are left out, and so are tiles.
void fr_map_make(fr_map *map, const fr_report *report);

/// Appends what a tile is called, as it stands in the file.
firn_result fr_map_name(const fr_report *report, const fr_tile *tile, firn_buffer *name,
                        firn_error *err);

#endif
