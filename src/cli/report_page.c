// The page: its head, what the file is, and sums.
#include <stdio.h>
#include <string.h>

#include "cli/report_table.h"
#include "cli/text.h"

// ---- head

static const char *base_name(const char *path)
{
    const char *name = path;
    for (const char *at = path; *at != '\0'; at++) {
        name = (*at == '/' || *at == '\\') && at[1] != '\0' ? at + 1 : name;
    }
    return strcmp(path, "-") == 0 ? "standard input" : name;
}

static void put_page_lines(fr_html *html, const char *const *lines)
{
    for (; *lines != NULL; lines++) {
        fr_html_put(html, *lines);
        fr_html_put(html, "\n");
    }
}

static void put_page_head(const fr_report *report, fr_html *html)
{
    fr_html_put(html, "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n"
                      "<head>\n<meta charset=\"utf-8\"/>\n"
                      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                      "style-src 'sha256-");
    fr_html_put(html, fr_report_style_hash);
    fr_html_put(html, "'; script-src 'sha256-");
    fr_html_put(html, fr_report_script_hash);
    fr_html_put(html, "'\"/>\n<meta name=\"viewport\" content=\"width=device-width, "
                      "initial-scale=1\"/>\n<meta name=\"color-scheme\" content=\"light dark\"/>\n"
                      "<title>");
    fr_html_name(html, base_name(report->path));
    fr_html_put(html, " \u2013 firn report</title>\n<style>");
    put_page_lines(html, fr_report_style);
    fr_html_put(html, "</style>\n</head>\n");
}

// ---- what it is

static void begin_page_fact(fr_html *html, const char *name)
{
    fr_html_put(html, "<div><dt>");
    fr_html_put(html, name);
    fr_html_put(html, "</dt><dd>");
}

static void end_page_fact(fr_html *html)
{
    fr_html_put(html, "</dd></div>\n");
}

static void put_count_fact(fr_html *html, const char *name, uint64_t count)
{
    begin_page_fact(html, name);
    fr_html_count(html, count);
    end_page_fact(html);
}

static void put_text_fact(fr_html *html, const char *name, const char *text)
{
    if (text[0] != '\0') {
        begin_page_fact(html, name);
        fr_html_name(html, text);
        end_page_fact(html);
    }
}

static void put_size_fact(const fr_report *report, fr_html *html)
{
    uint64_t total = fr_report_total(report);
    begin_page_fact(html, "Size");
    fr_html_bytes(html, report->file_bytes);
    if (report->file_bytes >= 1000) {
        fr_html_put(html, " <small>");
        fr_html_count(html, report->file_bytes);
        fr_html_put(html, " bytes</small>");
    }
    if (total != report->file_bytes) {
        fr_html_put(html, " <small>");
        fr_html_count(html, total);
        fr_html_put(html, " expanded</small>");
    }
    end_page_fact(html);
}

static void put_main_facts(const fr_report *report, fr_html *html)
{
    fr_html_put(html, "<dl class=\"numbers\">\n");
    put_size_fact(report, html);
    if (report->image != NULL) {
        const firn_prelude *prelude = &report->info.prelude;
        put_count_fact(html, "Entities", prelude->entity_count);
        put_count_fact(html, "Archetypes", prelude->frame_count);
        put_count_fact(html, "Components", prelude->component_count);
        put_count_fact(html, "Data entries", prelude->data_count);
    }
    fr_html_put(html, "</dl>\n");
}

static void put_time_fact(fr_html *html, int64_t milliseconds)
{
    char text[48];
    fr_cli_time_text(milliseconds, text);
    begin_page_fact(html, "Saved");
    fr_html_put(html, "<time>");
    fr_html_put(html, text);
    fr_html_put(html, "</time>");
    end_page_fact(html);
}

static void put_play_time_fact(fr_html *html, double seconds)
{
    char text[48];
    fr_cli_play_time_text(seconds, text);
    put_text_fact(html, "Played", text);
}

static void put_identity_fact(fr_html *html, firn_digest identity)
{
    begin_page_fact(html, "Identity");
    fr_html_put(html, "<code>");
    fr_html_digest(html, identity);
    fr_html_put(html, "</code>");
    end_page_fact(html);
}

static void put_save_facts(const firn_save_header *header, fr_html *html)
{
    put_text_fact(html, "Game", header->game);
    put_count_fact(html, "Game version", header->game_version);
    put_text_fact(html, "Level", header->level);
    put_text_fact(html, "Kind", header->kind);
    if (header->timestamp > 0) {
        put_time_fact(html, header->timestamp);
    }
    if (header->play_time > 0) {
        put_play_time_fact(html, header->play_time);
    }
    put_count_fact(html, "Revision", header->revision);
    put_text_fact(html, "Written by", header->engine);
}

static void put_image_facts(const fr_report *report, fr_html *html)
{
    put_text_fact(html, "World", report->info.world_name);
    put_count_fact(html, "Tick", report->info.tick);
    put_count_fact(html, "Freed slots", report->info.free_count);
}

static void put_page_header(const fr_report *report, fr_html *html)
{
    bool save = report->save != NULL;
    fr_html_put(html, "<header>\n<p class=\"kind\">");
    fr_html_put(html, save ? "Save file" : "Snapshot");
    if (report->image != NULL) {
        fr_html_put(html, save ? ", snapshot of version " : " of version ");
        fr_html_count(html, report->info.prelude.version);
        fr_html_put(html, report->info.by_firn ? ", written by firn" : ", not written by firn");
    }
    fr_html_put(html, "</p>\n<h1>");
    fr_html_name(html, base_name(report->path));
    fr_html_put(html, "</h1>\n");
    put_main_facts(report, html);
    fr_html_put(html, "<dl class=\"facts\">\n");
    if (save) {
        put_save_facts(firn_save_file_header(report->save), html);
    }
    if (report->image != NULL) {
        put_image_facts(report, html);
    }
    if (save) {
        put_identity_fact(html, firn_save_file_identity(report->save));
    }
    fr_html_put(html, "</dl>\n</header>\n");
}

// ---- sums

static void put_sum_row(fr_html *html, const char *what, uint64_t bytes, uint64_t total)
{
    if (bytes == 0) {
        return;
    }
    fr_row_begin(html);
    fr_cell_name(html, what, strlen(what));
    fr_cell_count(html, bytes);
    fr_cell_share(html, bytes, total);
    fr_row_end(html);
}

static void put_sum_table(const fr_report *report, fr_html *html)
{
    static const fr_head heads[] = {{"What", false}, {"Bytes", true}, {"Share", true}};
    static const fr_table table = {
        "sums", "What the bytes are for",
        "Every byte of the file, once; compressed sections with the bytes that they "
        "have in memory.",
        heads, FIRN_COUNT(heads)};
    uint64_t total = fr_report_total(report);
    fr_table_begin(html, &table);
    if (report->save != NULL) {
        put_sum_row(html, "Head of the save file", fr_report_head(report), total);
    }
    firn_section_info section;
    for (uint32_t i = 0; firn_save_file_section_at(report->save, i, &section); i++) {
        if (strcmp(section.name, FIRN_SECTION_SNAPSHOT) != 0) {
            char name[64];
            snprintf(name, sizeof name, "Section %s", section.name);
            put_sum_row(html, name, section.size, total);
        }
    }
    if (report->image != NULL) {
        put_sum_row(html, "Prelude and component table", report->prelude, total);
        put_sum_row(html, "Heads of archetypes", report->heads, total);
        put_sum_row(html, "Ids of entities", report->ids, total);
        put_sum_row(html, "Raw rows, without padding", report->raw - report->holes, total);
        put_sum_row(html, "Padding of raw rows", report->holes, total);
        put_sum_row(html, "Encoded values", report->encoded, total);
        put_sum_row(html, "Data", report->data_bytes, total);
    }
    fr_html_put(html, "</tbody><tbody class=\"rest\">");
    put_sum_row(html, "All", total, total);
    fr_table_end(html);
}

// ---- all of it

void fr_report_page(const fr_report *report, fr_html *html)
{
    put_page_head(report, html);
    fr_html_put(html, "<body>\n<main>\n");
    put_page_header(report, html);
    fr_report_map(report, html);
    put_sum_table(report, html);
    fr_report_parts(report, html);
    fr_report_rows(report, html);
    fr_report_file(report, html);
    fr_html_put(html, "</main>\n<footer><p>A report of <code>firn</code>. kB are 1,000 bytes, MB "
                      "1,000,000.</p></footer>\n<script>");
    put_page_lines(html, fr_report_script);
    fr_html_put(html, "</script>\n</body>\n</html>\n");
}
