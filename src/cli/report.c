// firn report: one page about a file.
#include "cli/report.h"

static const fr_cli_option report_options[] = {
    {"output", 'o', "OUT.html", "where the page goes; - is the standard output"},
};

static firn_result write_page(const fr_cli *cli, const fr_cli_source *source, fr_report *report,
                              firn_buffer *page, firn_error *err)
{
    firn_result result = fr_report_gather(report, cli, source, err);
    if (result == FIRN_OK) {
        fr_html html = {.out = page, .err = err};
        fr_report_page(report, &html);
        result = html.result;
    }
    fr_report_free(report);
    return result;
}

static fr_cli_status report_source(fr_cli *cli, const fr_cli_source *source, const char *path)
{
    firn_error err;
    firn_buffer memory, page;
    firn_buffer_init(&memory, cli->host->allocator);
    firn_buffer_init(&page, cli->host->allocator);
    firn_result result = firn_buffer_reserve(&memory, sizeof(fr_report), &err);
    if (result == FIRN_OK) {
        fr_report *report = (fr_report *)(void *)memory.data;
        result = write_page(cli, source, report, &page, &err);
    }
    fr_cli_status status = result == FIRN_OK ? fr_cli_save(cli, path, page.data, page.size)
                                             : fr_cli_fail(cli, source->path, &err);
    firn_buffer_free(&page);
    firn_buffer_free(&memory);
    return status;
}

static fr_cli_status run_report(fr_cli *cli)
{
    const char *path = fr_cli_value(cli, "output");
    fr_cli_source source;
    if (path == NULL) {
        return fr_cli_misuse(cli, "report takes -o OUT.html");
    }
    fr_cli_status status = fr_cli_open_whole(cli, cli->files[0], &source)
                               ? report_source(cli, &source, path)
                               : FR_CLI_TROUBLE;
    fr_cli_close(&source);
    return status;
}

const fr_cli_command fr_cli_report = {
    .name = "report",
    .files = "FILE",
    .summary = "write a page about what a file holds",
    .help = "Writes one page of HTML that stands alone: where the bytes are as a treemap,\n"
            "tables of components, archetypes, data and sections, the largest entities and\n"
            "strings, and how numeric fields are spread. It needs no network and no script.\n"
            "Equal files give equal pages on every machine.\n",
    .options = report_options,
    .option_count = FIRN_COUNT(report_options),
    .least_files = 1,
    .most_files = 1,
    .run = run_report,
};
