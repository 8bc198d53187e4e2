// Where the frames and the entries of data of a damaged image are.
#include "base/array.h"
#include "base/utf8.h"
#include "buffer/bytes.h"
#include "snapshot/format.h"
#include "snapshot/salvage.h"
#include "value/check.h"

static uint8_t byte_at(const fr_salvage *job, size_t offset)
{
    return job->image.bytes[offset];
}

static void read_from(const fr_salvage *job, size_t offset, fr_in *in)
{
    fr_in_begin(in, job->image.bytes, job->image.size);
    in->at += offset;
}

static bool is_number_tag(uint8_t tag)
{
    return tag == FR_TAG_NUMBER || tag == FR_TAG_INT32;
}

// Bytes that nothing could be made of.
static void tell_lost_bytes(fr_salvage *job, size_t from, size_t to, const char *what,
                            const firn_error *why)
{
    job->summary.bytes_lost += to - from;
    fr_salvage_tell(job, &(firn_loss){.kind = FIRN_LOSS_BYTES, .offset = from, .size = to - from},
                    what, "bytes %zu to %zu are lost, %s: %s", from, to, what, why->message);
}

// ---- data

// One entry behind its `true`, if it checks; it is then not kept yet.
static bool try_datum(fr_salvage *job, size_t offset, fr_datum *out, size_t *end)
{
    fr_in in;
    size_t size;
    read_from(job, offset + 1, &in);
    bool good = fr_in_encoded_string(&in, "key", UINT32_MAX, &out->key, &size, NULL) == FIRN_OK;
    out->key_size = good ? (uint32_t)size : 0;
    out->offset = (size_t)fr_in_offset(&in);
    good = good && fr_value_check_next(&in, &job->image.limits, NULL);
    *end = (size_t)fr_in_offset(&in);
    size_t walked = *end - offset;
    job->budget = walked < job->budget ? job->budget - walked : 0;
    return good;
}

// Whether entries follow each other from there to the end of the image.
static bool chain_ends(fr_salvage *job, size_t offset)
{
    fr_datum datum;
    while (job->budget > 0 && offset < job->image.size && byte_at(job, offset) == FR_TAG_TRUE) {
        if (!try_datum(job, offset, &datum, &offset)) {
            return false;
        }
    }
    return offset + 1 == job->image.size && byte_at(job, offset) == FR_TAG_FALSE;
}

// Whether another entry follows, or the end of the data.
static bool entry_follows(fr_salvage *job, size_t offset)
{
    fr_datum datum;
    size_t end;
    if (offset >= job->image.size || byte_at(job, offset) != FR_TAG_TRUE) {
        return offset < job->image.size && byte_at(job, offset) == FR_TAG_FALSE;
    }
    return try_datum(job, offset, &datum, &end);
}

// Whether data begins there: an entry of the engine's own, or others up to the end. `inside` the
// data one more is enough.
static bool is_left_data(fr_salvage *job, size_t offset, bool inside)
{
    fr_datum datum;
    size_t end;
    if (byte_at(job, offset) == FR_TAG_FALSE) {
        return offset + 1 == job->image.size;
    }
    if (byte_at(job, offset) != FR_TAG_TRUE || !try_datum(job, offset, &datum, &end)) {
        return false;
    }
    if (!fr_key_is_custom(datum.key, datum.key_size)) {
        return datum.key_size > 0;
    }
    return inside ? entry_follows(job, end) : chain_ends(job, end);
}

// A table with a key twice is found when it is decoded, which is when a load finds it.
static bool is_sound(fr_salvage *job, const fr_datum *datum)
{
    const fr_image *image = &job->image;
    bool memory = true;
    bool sound = fr_value_is_sound(image->bytes + datum->offset, datum->size, &image->limits,
                                   &image->allocator, &memory);
    if (!memory) {
        fr_salvage_no_memory(job);
    }
    return sound;
}

static bool is_avoided(const fr_salvage *job, const fr_datum *datum)
{
    for (uint32_t i = 0; i < FR_SALVAGE_KEYS; i++) {
        const char *key = fr_salvage_keys[i];
        if ((job->avoid->keys >> i & 1) != 0 && datum->key_size == strlen(key) &&
            memcmp(datum->key, key, datum->key_size) == 0) {
            return true;
        }
    }
    return false;
}

static void tell_datum(fr_salvage *job, const fr_datum *datum, size_t from, size_t to,
                       const char *why)
{
    char key[256];
    fr_printable(key, sizeof key, datum->key, datum->key_size);
    fr_salvage_tell(
        job, &(firn_loss){.kind = FIRN_LOSS_DATA, .offset = from, .size = to - from, .count = 1},
        key, "data %s is lost: %s", key, why);
}

// The entry at an offset is kept, or told of and left out; false: it cannot be read.
static bool take_left_datum(fr_salvage *job, size_t offset, uint32_t *games, size_t *end,
                            firn_error *why)
{
    fr_in in;
    fr_datum datum;
    read_from(job, offset + 1, &in);
    firn_result result = fr_image_walk_datum(&job->image, &in, games, why);
    if (result == FIRN_NO_MEMORY) {
        fr_salvage_no_memory(job);
    }
    if (result == FIRN_OK) {
        const fr_datum *last = &job->image.data[job->image.data_count - 1];
        bool avoided = is_avoided(job, last);
        if (avoided || !is_sound(job, last)) {
            tell_datum(job, last, offset, last->offset + last->size,
                       avoided ? "no world can have it" : "a table in it has a key twice");
            job->image.data_count--;
        }
        *end = (size_t)fr_in_offset(&in);
        return true;
    }
    // What is there twice, or more than there may be, can be stepped over.
    if (!try_datum(job, offset, &datum, end)) {
        return false;
    }
    tell_datum(job, &datum, offset, *end, why->message);
    return true;
}

static size_t find_data(fr_salvage *job, size_t from)
{
    while (from < job->image.size && job->budget > 0) {
        if (is_left_data(job, from, true)) {
            return from;
        }
        from++;
    }
    return job->image.size;
}

static void walk_left_data(fr_salvage *job, size_t offset)
{
    uint32_t games = 0;
    firn_error why;
    const size_t size = job->image.size;
    job->image.data_at = offset;
    job->cut = true;
    while (job->result == FIRN_OK && offset < size) {
        uint8_t tag = byte_at(job, offset);
        if (tag == FR_TAG_FALSE && offset + 1 == size) {
            job->cut = false;
            return;
        }
        size_t next;
        if (tag == FR_TAG_TRUE && take_left_datum(job, offset, &games, &next, &why)) {
            offset = next;
            continue;
        }
        if (tag != FR_TAG_TRUE) {
            (void)fr_fail(&why, FIRN_CORRUPT, "data", "no entry of data begins there");
        }
        next = find_data(job, offset + 1);
        tell_lost_bytes(job, offset, next, "an entry of data", &why);
        offset = next;
    }
}

// ---- frames

static void keep_frame(fr_salvage *job, const fr_left_frame *frame, fr_left left,
                       const firn_error *why)
{
    if (!FR_RESERVE(&job->image.allocator, job->frames, job->frame_capacity,
                    job->frame_count + 1)) {
        fr_salvage_no_memory(job);
        return;
    }
    job->frames[job->frame_count++] = *frame;
    if (left == FR_LEFT_WHOLE || frame->by_row) {
        return;
    }
    const fr_image *image = &job->image;
    const fr_entry *entry = &image->entries[image->spans[frame->first_span + frame->columns].entry];
    char name[256];
    fr_printable(name, sizeof name, entry->name, entry->name_size);
    fr_salvage_tell(
        job, &(firn_loss){.kind = FIRN_LOSS_COLUMNS, .offset = frame->end, .count = frame->rows},
        name, "%u entities lose %s and the %u columns behind it: %s", frame->rows, name,
        frame->said_columns - frame->columns - 1, why->message);
}

// An id where the first column should begin: the frame has more rows than its head says.
static bool has_more_rows(const fr_salvage *job, const fr_left_frame *frame)
{
    size_t behind = frame->body + (size_t)frame->rows * FR_ID_BYTES;
    return !frame->by_row && frame->said_columns > 0 && job->image.size - behind >= FR_ID_BYTES &&
           fr_salvage_is_id(job, fr_load_f64(job->image.bytes + behind));
}

// Whether what was read of a frame is to be believed.
static bool is_credible(fr_salvage *job, const fr_left_frame *frame, fr_left left)
{
    if (left != FR_LEFT_WHOLE || frame->hole_column != FR_NO_COLUMN) {
        return left == FR_LEFT_PART || left == FR_LEFT_WHOLE;
    }
    return fr_salvage_goes_on(job, frame->end) || (!frame->doubtful && !has_more_rows(job, frame));
}

// The next place where a frame or the data begins.
static size_t find_frame(fr_salvage *job, size_t from)
{
    fr_left_frame frame;
    firn_error why;
    size_t end;
    for (; from < job->image.size && job->budget > 0 && job->result == FIRN_OK; from++) {
        uint8_t tag = byte_at(job, from);
        uint32_t spans = job->image.span_count;
        if (tag == FR_TAG_TRUE || tag == FR_TAG_FALSE) {
            if (is_left_data(job, from, false)) {
                return from;
            }
        } else if (is_number_tag(tag) &&
                   fr_salvage_frame(job, from, true, &frame, &end, &why) != FR_LEFT_NONE) {
            job->image.span_count = spans; // it is read again
            if (is_credible(job, &frame, FR_LEFT_WHOLE)) {
                return from;
            }
        }
    }
    return job->image.size;
}

// Reads what begins with a number; returns where to go on.
static size_t take_left_frame(fr_salvage *job, size_t offset)
{
    fr_left_frame frame;
    firn_error why = {.code = FIRN_OK};
    size_t end;
    uint32_t spans = job->image.span_count;
    (void)fr_fail(&why, FIRN_CORRUPT, "frame", "its end does not fit what follows");
    fr_left left = fr_salvage_frame(job, offset, false, &frame, &end, &why);
    if (!is_credible(job, &frame, left)) {
        job->image.span_count = spans;
        left = FR_LEFT_NONE;
    } else if (frame.rows > 0 || left == FR_LEFT_PART) {
        keep_frame(job, &frame, left, &why);
    }
    if (left == FR_LEFT_WHOLE) {
        return frame.end;
    }
    size_t lost = left == FR_LEFT_PART ? frame.end : offset;
    size_t next = find_frame(job, lost + 1);
    tell_lost_bytes(job, lost, next, left == FR_LEFT_PART ? "the rest of a frame" : "a frame",
                    &why);
    return next;
}

void fr_salvage_walk(fr_salvage *job)
{
    size_t offset = job->image.frames_at;
    job->cut = true;
    job->image.data_at = job->image.size;
    while (job->result == FIRN_OK && offset < job->image.size) {
        uint8_t tag = byte_at(job, offset);
        if (is_number_tag(tag)) {
            offset = take_left_frame(job, offset);
        } else if (tag == FR_TAG_TRUE ? fr_salvage_goes_on(job, offset)
                                      : is_left_data(job, offset, false)) {
            walk_left_data(job, offset);
            return;
        } else {
            firn_error why;
            (void)fr_fail(&why, FIRN_CORRUPT, "frame", "no frame and no data begins there");
            size_t next = find_frame(job, offset + 1);
            tell_lost_bytes(job, offset, next, "a frame", &why);
            offset = next;
        }
    }
}
