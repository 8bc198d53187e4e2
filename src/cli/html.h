/// html.h: a page as text, in what HTML5 and XML have in common. Texts from files never become
/// markup.
#ifndef FR_CLI_HTML_H
#define FR_CLI_HTML_H

#include "firn/snapshot.h"

/// A page that grows. The first failure sticks, and later calls do nothing.
typedef struct fr_html {
    firn_buffer *out;
    firn_result result; ///< FIRN_OK, or why nothing is appended any more
    firn_error *err;    ///< NULL, or filled in then
} fr_html;

/// Appends markup as it is.
void fr_html_put(fr_html *html, const char *markup);

/// Appends text from anywhere, for between tags and within quotes: markup is escaped; control
/// characters and marks that turn or hide text stand as `\u{202e}`, bytes that are no UTF-8 as
/// `\xff`.
void fr_html_text(fr_html *html, const char *text, size_t size);

/// fr_html_text of a zero-terminated text.
void fr_html_name(fr_html *html, const char *text);

/// fr_html_text of at most so many characters; a longer text ends in an ellipsis.
void fr_html_cut(fr_html *html, const char *text, size_t size, uint32_t most);

/// fr_html_text of what surely fits into `width` at a font of `size` units, with an ellipsis where
/// it was cut; nothing when less than three characters would be left.
void fr_html_fit(fr_html *html, const char *text, size_t bytes, double width, double size);

/// A number with its digits in groups of three: 1,234,567.
void fr_html_count(fr_html *html, uint64_t number);

/// A number of bytes with three digits or so: 1.2 MB. MB are 1,000,000 bytes.
void fr_html_bytes(fr_html *html, uint64_t bytes);

/// A number of at least 0 with one digit behind the point: 1,234.5.
void fr_html_tenths(fr_html *html, double number);

/// Which part of a whole it is: 12.3 %. Nothing of nothing is 0.0 %.
void fr_html_share(fr_html *html, uint64_t part, uint64_t whole);

/// A number of six significant digits, with a point in every locale; NaN and infinities as words.
void fr_html_real(fr_html *html, double number);

/// A coordinate of 0 to 100,000, rounded to tenths.
void fr_html_place(fr_html *html, double place);

/// An attribute that holds a coordinate: ` x="12.5"`.
void fr_html_place_of(fr_html *html, const char *attribute, double place);

/// 32 hex digits.
void fr_html_digest(fr_html *html, firn_digest digest);

#endif
