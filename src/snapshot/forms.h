/// forms.h: what the columns of an image seem to be whose component nobody registered.
#ifndef FR_FORMS_H
#define FR_FORMS_H

#include "snapshot/image.h"

/// What an entry of the component table is.
typedef struct fr_form {
    bool known;  ///< the caller says so
    bool tag;    ///< its columns stand among the tags
    bool sparse; ///< a sparse relation, whose frames lie row by row
} fr_form;

/// Finds the forms of all entries, but for those that are known: [component_count].
void fr_forms_find(const fr_image *image, fr_form *forms);
/// Whether the name of an entry has an arrow in it: its columns are those of a target.
bool fr_entry_names_target(const fr_entry *entry);
/// Whether each value of an encoded column is one of a sparse relation, or nil.
bool fr_span_holds_edges(const fr_image *image, const fr_span *span);

#endif
