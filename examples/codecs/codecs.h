/// codecs.h: components of 04_codecs that point into what one run of the game has loaded. The order
/// of those lists differs from run to run, so their codecs save names and find the places again.
#ifndef EXAMPLES_CODECS_H
#define EXAMPLES_CODECS_H

#include <firn/firn.h>

/// Frames of a sheet that play one after the other, and again.
typedef struct Cycle {
    const char *sheet, *tag;
    int frames;
    float frame_seconds;
} Cycle;

typedef struct Font {
    const char *name;
    float advance; ///< width of a character, of its size
} Font;

/// What one run of the game has loaded; lists end in NULL, or in a name that is NULL. The rest is
/// made by assets_open.
typedef struct Assets {
    const char *const *images, *const *clips, *const *groups;
    const Cycle *cycles;
    const Font *fonts;
    firn_doc *doc;  ///< for the row that is being decoded
    int last_voice; ///< of the mixer; voices count from 1
    int playing;    ///< voices that sound
} Assets;

bool assets_open(Assets *assets, firn_error *err);
void assets_close(Assets *assets);

/// An image that is drawn. Saved: its name.
typedef struct Sprite {
    int image; ///< place in images
    float alpha;
} Sprite;

/// Saved: the names of sheet and tag, and the phase in the cycle, 0 to 1. Cleared by a load: the
/// frame, which follows from the time.
typedef struct Animation {
    int cycle; ///< place in cycles
    float seconds;
    int frame;
} Animation;

/// A clip that plays. Saved: the paths of clip and group. A load starts a new voice.
typedef struct Sound {
    int clip, group; ///< places in clips and groups
    float gain;
    int voice;
} Sound;

typedef struct Layout {
    float width;
} Layout;

/// Saved: what was authored. The layout is made again; without the font there is none.
typedef struct Text {
    char text[32];
    char font[16];
    float size;
    Layout *layout; ///< owned, or NULL
} Text;

/// Each registers its component; `assets` must outlive the world. 0 on failure.
firn_component sprite_register(firn_world *world, Assets *assets, firn_error *err);
firn_component animation_register(firn_world *world, Assets *assets, firn_error *err);
firn_component sound_register(firn_world *world, Assets *assets, firn_error *err);
firn_component text_register(firn_world *world, Assets *assets, firn_error *err);

/// Starts a sound; its voice is stopped when its row goes away.
int mixer_play(Assets *assets);
/// Lays a text out, when its font is there.
void text_lay_out(const Assets *assets, Text *text);

// ---- for the codecs

/// Reads the next row, a table; valid until the next one is read. NULL after a failure.
const firn_value *read_row(Assets *assets, firn_reader *in);
/// The entry of a row; "" and 0 when it is not there, or of another kind.
const char *row_text(const firn_value *row, const char *key);
float row_number(const firn_value *row, const char *key);
/// The place of a name in a list, or -1.
int place_of(const char *const *names, const char *name);
/// Fails a codec: there is no such thing.
firn_result missing(firn_error *err, const char *thing, const char *name);

#endif
