/// selection.h: a walk over the entities of an image, all or those that options choose:
/// `--entity ID|KEY`, `--component NAME`, `--where EXPR`.
#ifndef FR_CLI_SELECTION_H
#define FR_CLI_SELECTION_H

#include "cli/cli.h"
#include "cli/where.h"

/// What is chosen.
typedef struct fr_cli_selection {
    fr_cli *cli;
    const fr_cli_source *source;
    bool all;               ///< every entity: no option says otherwise
    firn_buffer entities;   ///< of what --entity names
    firn_buffer components; ///< of fr_cli_name, of what --component names
    fr_cli_where *where;    ///< NULL: none
} fr_cli_selection;

/// Gets a row. A result other than FIRN_OK ends the walk, which returns it.
typedef firn_result (*fr_cli_row_fn)(void *user, fr_cli_row *row, firn_error *err);

/// Reads the options of the run, for a source whose image is open. false: it failed, which has been
/// said. To be ended either way.
bool fr_cli_selection_begin(fr_cli *cli, const fr_cli_source *source, fr_cli_selection *out);
void fr_cli_selection_end(fr_cli_selection *selection);
/// Looks for a component or relation that an option names. false: the file has none, which has been
/// said.
bool fr_cli_selection_find(const fr_cli_selection *selection, const char *text, fr_cli_name *out);
/// Whether the components of a column are chosen.
bool fr_cli_selection_shows(const fr_cli_selection *selection, uint32_t component);
/// Hands each chosen entity to `each`, until nobody reads any more. FR_CLI_TROUBLE: it failed, or
/// an entity that is named is not there, which has been said.
fr_cli_status fr_cli_selection_walk(fr_cli_selection *selection, fr_cli_row_fn each, void *user);

#endif
