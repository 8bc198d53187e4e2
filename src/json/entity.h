/// entity.h: the lines of entities, one at a time.
#ifndef FR_JSON_ENTITY_H
#define FR_JSON_ENTITY_H

#include "json/text.h"
#include "snapshot/image_rows.h"

/// What the lines of an image share.
typedef struct fr_json_entities {
    const fr_image *image;
    fr_json_text *text;
    firn_doc *doc; ///< of the value at hand; its limits are fr_limits_wide of the image's
    /// Per component: all names of fields are plain. NULL: that is looked at row by row.
    const bool *plain;
    const fr_entry *at; ///< the component that was written last, for errors; NULL: none
} fr_json_entities;

/// Whether all components of a frame have names that are plain.
bool fr_json_frame_is_plain(const fr_image *image, const fr_frame *frame);
/// Writes the row at hand as an object; `plain` as above.
void fr_json_put_entity(fr_json_entities *lines, const fr_rows *rows, bool plain);
/// Writes an encoded value so that it comes back byte for byte where the image is firn's own.
void fr_json_put_stored(fr_json_entities *lines, const uint8_t *bytes, size_t size);
/// The entity of the row at hand.
firn_entity fr_json_entity_at(const fr_rows *rows);
/// A failure of the text, about the row at hand.
firn_result fr_json_refuse_entity(const fr_json_entities *lines, const fr_rows *rows,
                                  const firn_error *why, firn_error *err);

#endif
