/// cli.h: the tool `firn` as a function, so that tests run it without a process, and what its
/// subcommands share. This room uses public headers and its own ones only; every subcommand has a
/// file, and main.c is the host of the real system.
#ifndef FR_CLI_H
#define FR_CLI_H

#include "firn/firn.h"

#if defined(__MINGW32__) // where printf alone stands for that of Microsoft
#define FR_CLI_PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#elif defined(__GNUC__)
#define FR_CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define FR_CLI_PRINTF(text, first)
#endif

typedef struct fr_cli fr_cli;

/// What a run came to: the exit status.
typedef enum fr_cli_status {
    FR_CLI_OK = 0,
    FR_CLI_FOUND = 1,  ///< diff: there are differences; verify: a file is damaged
    FR_CLI_TROUBLE = 2 ///< wrong arguments; a file that cannot be read or, but for verify, is
                       ///< damaged; no memory; an output that cannot be written
} fr_cli_status;

// ---------------------------------------------------------------- host

/// The system, or a test. Paths are UTF-8.
typedef struct fr_cli_host {
    void *user; ///< handed to all
    /// Writes to the standard output or error. FIRN_NOT_FOUND: nobody reads any more, as behind a
    /// closed pipe; the run then ends without a word. Else FIRN_OK, FIRN_IO.
    firn_result (*write)(void *user, bool error, const void *bytes, size_t size, firn_error *err);
    /// Appends a file to `out`, with the errors of firn_file_read. "-" is the standard input.
    firn_result (*read)(void *user, const char *path, uint64_t limit, firn_buffer *out,
                        firn_error *err);
    /// Makes or replaces a file, all or nothing, with the errors of firn_file_replace.
    firn_result (*replace)(void *user, const char *path, const void *bytes, size_t size,
                           firn_error *err);
    /// Whether two paths are those of one file that is there. "-" is the standard input.
    bool (*same)(void *user, const char *one, const char *other);
    const firn_allocator *allocator; ///< NULL: the default
    bool terminal;                   ///< the standard output is one
    bool error_terminal;             ///< the standard error is one
    bool no_color;
    uint32_t width; ///< columns of the terminal; 0: not known
} fr_cli_host;

/// Runs the tool. argv[0] is the program. Returns the exit status.
int fr_cli_run(int argc, const char *const *argv, const fr_cli_host *host);

// ---------------------------------------------------------------- tables

/// An option, `--where EXPR` or `-w EXPR`.
typedef struct fr_cli_option {
    const char *name;  ///< "where"
    char letter;       ///< 'w', or 0
    const char *value; ///< "EXPR"; NULL: it takes none
    const char *help;  ///< one line
} fr_cli_option;

/// A subcommand. Help, man page, completion and the check of arguments come from here.
typedef struct fr_cli_command {
    const char *name;
    const char *files;   ///< as in a synopsis: "FILE..."
    const char *summary; ///< one line without a point
    const char *help;    ///< paragraphs, each line of at most 80 columns
    const fr_cli_option *options;
    uint32_t option_count;
    uint32_t least_files;
    uint32_t most_files; ///< UINT32_MAX: any number
    fr_cli_status (*run)(fr_cli *cli);
} fr_cli_command;

/// Every command by name, ended by NULL. Of commands.c.
extern const fr_cli_command *const fr_cli_commands[];
extern const fr_cli_command fr_cli_diff;
extern const fr_cli_command fr_cli_dump;
extern const fr_cli_command fr_cli_hash;
extern const fr_cli_command fr_cli_help;
extern const fr_cli_command fr_cli_info;
extern const fr_cli_command fr_cli_migrate;
extern const fr_cli_command fr_cli_report;
extern const fr_cli_command fr_cli_salvage;
extern const fr_cli_command fr_cli_schema;
extern const fr_cli_command fr_cli_undump;
extern const fr_cli_command fr_cli_verify;

/// The options that every command has. Of options.c.
extern const fr_cli_option fr_cli_common_options[];
extern const uint32_t fr_cli_common_option_count;

// ---------------------------------------------------------------- a run

typedef enum fr_cli_style {
    FR_CLI_PLAIN,
    FR_CLI_BOLD,
    FR_CLI_DIM,
    FR_CLI_RED,
    FR_CLI_GREEN,
    FR_CLI_YELLOW,
    FR_CLI_CYAN
} fr_cli_style;

#define FR_CLI_OUTPUT_ROOM 16384

/// A run. Commands read the first part.
struct fr_cli {
    const fr_cli_host *host;
    const fr_cli_command *command;
    const char *const *files; ///< `file_count` of them; "-" is there at most once
    uint32_t file_count;
    firn_limits limits; ///< for every call that takes some
    // ---- of options.c
    firn_buffer given; ///< fr_cli_given of each option, in order
    firn_buffer paths; ///< pointers: `files`
    // ---- of schema_file.c
    firn_buffer schema_text; ///< of the file of `--schema`; the schemas point here
    firn_buffer schemas;     ///< firn_image_schema of the lines that say how bytes are read
    bool complete;           ///< the file names all components and states of the game
    // ---- of game.c
    firn_world *game;  ///< what the file describes; NULL: none is given
    uint32_t game_own; ///< components that every world has
    // ---- of output.c
    bool closed;          ///< nothing more can be written
    firn_error unwritten; ///< why, unless nobody reads any more
    uint64_t step, steps; ///< of fr_cli_progress: done, and all
    uint32_t shown;       ///< progress that stands on the terminal, in percent + 1; 0: none
    size_t waiting;       ///< bytes of `output`
    char output[FR_CLI_OUTPUT_ROOM];
};

// ---------------------------------------------------------------- options

/// The value of an option, the last one if it is given more than once; "" of one that takes none;
/// NULL when it is not given.
const char *fr_cli_value(const fr_cli *cli, const char *option);
/// Walks the values of an option that may be given many times. *cursor begins at 0.
bool fr_cli_value_next(const fr_cli *cli, const char *option, uint32_t *cursor, const char **value);
/// Walks all options that are given, in their order. *cursor begins at 0.
bool fr_cli_option_next(const fr_cli *cli, uint32_t *cursor, const char **option,
                        const char **value);
/// The value of an option as a count, which may end in K, M or G (of 1,024); *out stays as it is
/// when the option is not given. false: no such number, which has been said.
bool fr_cli_count(fr_cli *cli, const char *option, uint64_t *out);
/// false: both options are given, which contradict each other; it has been said.
bool fr_cli_not_both(fr_cli *cli, const char *one, const char *other);

/// Takes the words behind the command apart. false: *status is that of the run, which is over.
bool fr_cli_parse(fr_cli *cli, int count, const char *const *words, fr_cli_status *status);

// ---------------------------------------------------------------- output

/// printf to the standard output, in UTF-8; at most FR_CLI_OUTPUT_ROOM bytes at once.
void fr_cli_print(fr_cli *cli, const char *format, ...) FR_CLI_PRINTF(2, 3);
void fr_cli_write(fr_cli *cli, const void *bytes, size_t size);
/// Text from a file, which shall not drive the terminal: a backslash becomes `\\`, a line end `\n`,
/// a control character, a line separator or a mark of writing direction `\u{202e}`, a byte that is
/// no UTF-8 `\xff`.
void fr_cli_text(fr_cli *cli, const char *text, size_t size);
/// JSON as the library writes it; what fr_cli_text escapes is `\u202e`, which is the same JSON.
void fr_cli_json_text(fr_cli *cli, const char *text, size_t size);
/// A value as one line of JSON. FR_CLI_TROUBLE, said: this build has no JSON, no memory.
fr_cli_status fr_cli_json(fr_cli *cli, const firn_value *value);
/// The style of what follows, on a terminal with colors.
void fr_cli_style_set(fr_cli *cli, fr_cli_style style);
/// Whether nothing that is printed reaches anybody: there is no use in more of it.
bool fr_cli_closed(const fr_cli *cli);
/// Hands what waits to the host.
void fr_cli_flush(fr_cli *cli);
/// How much of the work is done, on the standard error if that is a terminal. It goes away with the
/// next output or message, and with done == all.
void fr_cli_progress(fr_cli *cli, uint64_t done, uint64_t all);
/// The same within the next step, of those of the last fr_cli_progress; without them, nothing.
void fr_cli_progress_part(fr_cli *cli, uint64_t part, uint64_t parts);
void fr_cli_progress_clear(fr_cli *cli);
/// Writes bytes to a file (the host's replace), or, when the path is NULL or "-", to the standard
/// output. FR_CLI_TROUBLE: it failed, which has been said.
fr_cli_status fr_cli_save(fr_cli *cli, const char *path, const void *bytes, size_t size);
/// Appends `FILE.bak` and a zero: what the host's replace keeps the old file as.
firn_result fr_cli_bak_name(const char *path, firn_buffer *out, firn_error *err);

// ---------------------------------------------------------------- errors

/// "firn: FILE: message (byte N)" on the standard error; file NULL is allowed. FR_CLI_TROUBLE.
fr_cli_status fr_cli_fail(fr_cli *cli, const char *file, const firn_error *err);
/// "firn: FILE: ..." with a message of its own; file NULL is allowed. FR_CLI_TROUBLE.
fr_cli_status fr_cli_say(fr_cli *cli, const char *file, const char *format, ...)
    FR_CLI_PRINTF(3, 4);
/// Wrong arguments: the message, and where the help is. FR_CLI_TROUBLE.
fr_cli_status fr_cli_misuse(fr_cli *cli, const char *format, ...) FR_CLI_PRINTF(2, 3);

// ---------------------------------------------------------------- files

typedef enum fr_cli_kind { FR_CLI_SNAPSHOT, FR_CLI_SAVE } fr_cli_kind;

/// A file that was read: a snapshot of any dialect, a save file, or either as JSON Lines, which is
/// made bytes first. Zeroed, it is closed.
typedef struct fr_cli_source {
    const char *path;
    fr_cli_kind kind;
    bool json;            ///< it was JSON Lines
    firn_buffer bytes;    ///< the snapshot or save file
    firn_save_file *save; ///< NULL: a snapshot
    const void *image;    ///< the snapshot, also of a save file; NULL: the save has none
    size_t image_size;
    uint64_t image_offset; ///< in the file; FIRN_NO_OFFSET: of JSON, or compressed
    firn_image *opened;    ///< of fr_cli_open_image
} fr_cli_source;

/// Reads and recognises a file. A save file is checked, its snapshot expanded and not checked.
/// *out is closed after a failure, which has been said.
bool fr_cli_open(fr_cli *cli, const char *path, fr_cli_source *out);
/// The same, with the failure in *err: those of the host's read, of firn_save_file_open and
/// firn_save_file_section, of firn_json_import_image and firn_json_import_save.
firn_result fr_cli_source_open(fr_cli *cli, const char *path, fr_cli_source *out, firn_error *err);
/// The same of bytes that are there: those of the source, which has its path, and is closed after a
/// failure.
firn_result fr_cli_source_take(fr_cli *cli, fr_cli_source *source, firn_error *err);
/// Whether the bytes of a file are to be read as JSON: no snapshot and no save file begins so. A
/// damaged one may, but has bytes that are 0, which no text has.
bool fr_cli_is_json(const firn_buffer *bytes);
/// Opens the snapshot. false: it failed, which has been said.
bool fr_cli_open_image(fr_cli *cli, fr_cli_source *source);
/// fr_cli_open, and fr_cli_open_image where the file has a snapshot. To be closed either way.
bool fr_cli_open_whole(fr_cli *cli, const char *path, fr_cli_source *out);
/// Makes an offset in the snapshot one in the file; where it has none there, the message says so.
void fr_cli_locate(const fr_cli_source *source, firn_error *err);
/// What firn_image_hash gives: the hash of a "world", or only that of the "bytes".
const char *fr_cli_hash_of(const firn_image *image);
/// Closes whatever is open.
void fr_cli_close(fr_cli_source *source);

/// For the calls that need no world, with the limits, schemas and memory of this run.
firn_image_options fr_cli_image_options(const fr_cli *cli);
firn_save_file_options fr_cli_save_options(const fr_cli *cli);
firn_json_options fr_cli_json_options(const fr_cli *cli);

#endif
