/* bench_html.c - the report as a page.
 *
 * Lines are kept as they come and written at the end, one section for each
 * operation. Style and bars are in the page itself; the bars are drawings, not
 * backgrounds, because browsers leave backgrounds out when they print. Every
 * tag is closed, so that a reader of XML can check the page.
 */
#include "bench_html.h"
#include "bench_machine.h"
#include "bench_report.h"
#include "bench_wire.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pbturbo/pbturbo.h>

typedef struct html_line {
    char dataset[64];
    bench_op op;
    const bench_codec *codec;
    size_t n_messages;
    size_t bytes;
    double ns; /* 0: not timed */
    double spread;
    double ratio;     /* 0: pbturbo was not timed */
    double share;     /* of the time of the slowest codec: 0 to 1 */
    char remark[200]; /* why it was not timed, or what was */
} html_line;

typedef struct html_note {
    char name[64];
    char why[200];
} html_note;

static struct html_page {
    FILE *file;
    const char *path;
    html_line *lines;
    size_t n_lines;
    html_note *notes;
    size_t n_notes;
} page;

static const char style[] =
    "body{font:15px/1.45 system-ui,sans-serif;color:#1c1c1c;background:#fff;"
    "max-width:62em;margin:2em auto;padding:0 1em}\n"
    "h1{font-size:1.6em;margin-bottom:.2em}h2{font-size:1.25em;"
    "margin:1.8em 0 .4em}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.1em 1em}"
    "dt{color:#595959}dd{margin:0}\n"
    "table{border-collapse:collapse;width:100%;"
    "font-variant-numeric:tabular-nums}\n"
    "caption{text-align:left;color:#595959;padding-bottom:.4em}\n"
    "th,td{padding:.12em .6em .12em 0;text-align:right;font-weight:normal;"
    "vertical-align:top}\n"
    "thead th{color:#595959;border-bottom:1px solid #8c8c8c}\n"
    "tbody th,td.text,thead th.text{text-align:left}\n"
    "tbody{border-bottom:1px solid #d0d0d0;break-inside:avoid}\n"
    "tr.own td{font-weight:600}td.bar{width:32%}\n"
    "svg{display:block;width:100%;height:.8em;margin-top:.3em}\n"
    "rect{fill:#8fa3b5}tr.own rect{fill:#c2410c}\n"
    "small{color:#595959}\n"
    "@media print{body{margin:0;max-width:none;font-size:9pt}"
    "h2{break-after:avoid}nav{display:none}}\n";

bool bench_html_start(const char *path) {
    page.path = path;
    page.file = fopen(path, "w");
    if (page.file == NULL)
        fprintf(stderr, "pbturbo-bench: %s: %s\n", path, strerror(errno));
    return page.file != NULL;
}

void bench_html_note(const char *name, const char *why) {
    if (page.file == NULL)
        return;
    page.notes = bench_grow(page.notes, page.n_notes + 1, sizeof *page.notes);
    html_note *note = &page.notes[page.n_notes++];
    snprintf(note->name, sizeof note->name, "%s", name);
    snprintf(note->why, sizeof note->why, "%s", why);
}

static void add_line(const bench_dataset *dataset, bench_op op,
                     const bench_lane *lane, const bench_figure *figure) {
    page.lines = bench_grow(page.lines, page.n_lines + 1, sizeof *page.lines);
    html_line *line = &page.lines[page.n_lines++];
    memset(line, 0, sizeof *line);
    snprintf(line->dataset, sizeof line->dataset, "%s", dataset->name);
    line->op = op;
    line->codec = lane->codec;
    line->n_messages = dataset->n;
    line->bytes = bench_lane_written(lane, op)->bytes;
    line->ns = figure->rejected == NULL ? figure->ns : 0;
    line->spread = figure->spread;
    if (figure->rejected != NULL)
        snprintf(line->remark, sizeof line->remark, "%s", figure->rejected);
    else if (lane->codec->is_plain && dataset->has_groups)
        snprintf(line->remark, sizeof line->remark, "groups as sub-messages");
    else if (op == BENCH_JSON && lane->is_unread)
        snprintf(line->remark, sizeof line->remark, "not read back");
}

/* Fills in what is relative to the other codecs of the same dataset. */
static void compare_lines(html_line *lines, size_t n) {
    double own = 0;
    double slowest = 0;
    for (size_t i = 0; i < n; i++) {
        if (lines[i].codec == &bench_codec_pbturbo)
            own = lines[i].ns;
        slowest = fmax(slowest, lines[i].ns);
    }
    for (size_t i = 0; i < n; i++) {
        lines[i].ratio = own > 0 ? lines[i].ns / own : 0;
        lines[i].share = slowest > 0 ? lines[i].ns / slowest : 0;
    }
}

void bench_html_op(const bench_dataset *dataset, bench_op op,
                   const bench_lane *lanes, const bench_figure *figures,
                   size_t n) {
    if (page.file == NULL)
        return;
    size_t first = page.n_lines;
    for (size_t i = 0; i < n; i++)
        if (bench_has(lanes[i].codec, op))
            add_line(dataset, op, &lanes[i], &figures[i]);
    compare_lines(&page.lines[first], page.n_lines - first);
}

void bench_html_text(FILE *file, const char *text) {
    for (const char *c = text; *c != '\0'; c++) {
        switch (*c) {
        case '&':
            fputs("&amp;", file);
            break;
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '"':
            fputs("&quot;", file);
            break;
        default:
            fputc(*c >= ' ' && *c <= '~' ? *c : '?', file);
        }
    }
}

static void put_text(const char *text) {
    bench_html_text(page.file, text);
}

static void put_fact(const char *name, const char *value) {
    fprintf(page.file, "<dt>%s</dt><dd>", name);
    put_text(value);
    fputs("</dd>\n", page.file);
}

static void put_versions(void) {
    fputs("<dt>Codecs</dt><dd>", page.file);
    for (size_t i = 0; bench_codecs[i] != NULL; i++) {
        const bench_codec *codec = bench_codecs[i];
        if (codec->is_by_name)
            continue;
        put_text(i == 0 ? "" : ", ");
        put_text(codec->name);
        if (codec->version != NULL) {
            put_text(" ");
            put_text(codec->version());
        }
    }
    fputs("</dd>\n", page.file);
}

static void put_facts(uint64_t seed, bool quick) {
    bench_machine machine;
    bench_machine_find(&machine);
    char text[64];
    fputs("<dl>\n", page.file);
    put_fact("Date", machine.date);
    put_fact("CPU", machine.model);
    snprintf(text, sizeof text, "%ld, level %s", machine.n_cpus,
             pbt_cpu_level());
    put_fact("CPUs", text);
    put_fact("System", machine.system);
    put_fact("Compiler", machine.compiler);
    put_versions();
    snprintf(text, sizeof text, "%" PRIu64, seed);
    put_fact("Seed", text);
    put_fact("Run", quick ? "quick: rough figures" : "full");
    fputs("</dl>\n", page.file);
}

static void put_missing(void) {
    if (bench_missing_peers[0] == NULL && page.n_notes == 0)
        return;
    fputs("<p>Not measured:</p>\n<ul>\n", page.file);
    for (size_t i = 0; bench_missing_peers[i] != NULL; i++) {
        fputs("<li>", page.file);
        put_text(bench_missing_peers[i]);
        fputs("</li>\n", page.file);
    }
    for (size_t i = 0; i < page.n_notes; i++) {
        fputs("<li>", page.file);
        put_text(page.notes[i].name);
        fputs(": ", page.file);
        put_text(page.notes[i].why);
        fputs("</li>\n", page.file);
    }
    fputs("</ul>\n", page.file);
}

static void put_bar(double share) {
    fprintf(page.file,
            "<td class=\"bar\"><svg viewBox=\"0 0 1000 10\" "
            "preserveAspectRatio=\"none\" aria-hidden=\"true\">"
            "<rect width=\"%.0f\" height=\"10\"/></svg></td>",
            fmax(1, 1000 * share));
}

/* Three digits or more, and their unit. */
static void put_time(double ns) {
    static const char *const units[] = {"ns", "&#181;s", "ms", "s"};
    size_t unit = 0;
    for (; ns >= 1000 && unit < 3; unit++)
        ns /= 1000;
    fprintf(page.file, "%.*f&#160;%s",
            ns < 10    ? 2
            : ns < 100 ? 1
                       : 0,
            ns, units[unit]);
}

/* The row without its opening tag and what may stand in front. */
static void put_cells(const html_line *line) {
    fputs("<td class=\"text\">", page.file);
    put_text(line->codec->name);
    if (line->ns > 0) {
        if (line->remark[0] != '\0') {
            fputs("<br/><small>", page.file);
            put_text(line->remark);
            fputs("</small>", page.file);
        }
        fputs("</td><td>", page.file);
        put_time(line->ns);
        fprintf(page.file, "</td><td>%.0f</td><td>%.2f</td>",
                (double) line->bytes * 1e3 / line->ns, line->spread);
        if (line->ratio > 0)
            fprintf(page.file,
                    line->ratio < 0.1 ? "<td>%.4f</td>" : "<td>%.2f</td>",
                    line->ratio);
        else
            fputs("<td>-</td>", page.file);
        put_bar(line->share);
    } else {
        fputs("</td><td class=\"text\" colspan=\"5\"><small>", page.file);
        put_text(line->remark);
        fputs("</small></td>", page.file);
    }
    fputs("</tr>\n", page.file);
}

/* The lines of one dataset: n of them. */
static void put_group(const html_line *lines, size_t n) {
    fputs("<tbody>\n", page.file);
    for (size_t i = 0; i < n; i++) {
        bool is_own = lines[i].codec == &bench_codec_pbturbo;
        fprintf(page.file, "<tr%s>", is_own ? " class=\"own\"" : "");
        if (i == 0) {
            fprintf(page.file, "<th scope=\"rowgroup\" rowspan=\"%zu\">", n);
            put_text(lines->dataset);
            fprintf(page.file, "<br/><small>%zu message%s</small></th>",
                    lines->n_messages, lines->n_messages == 1 ? "" : "s");
        }
        put_cells(&lines[i]);
    }
    fputs("</tbody>\n", page.file);
}

/* The geometric mean of a codec's ratios in one operation. */
static double mean_ratio(const bench_codec *codec, bench_op op, size_t *n) {
    double sum = 0;
    *n = 0;
    for (size_t i = 0; i < page.n_lines; i++) {
        const html_line *line = &page.lines[i];
        if (line->codec != codec || line->op != op || line->ratio <= 0)
            continue;
        sum += log(line->ratio);
        ++*n;
    }
    return *n == 0 ? 0 : exp(sum / (double) *n);
}

static void put_means(bench_op op) {
    const char *before = "<p>Geometric means of the ratios: ";
    for (size_t i = 0; bench_codecs[i] != NULL; i++) {
        const bench_codec *codec = bench_codecs[i];
        size_t n;
        double mean = mean_ratio(codec, op, &n);
        if (n < 2 || codec == &bench_codec_pbturbo ||
            codec == &bench_codec_memcpy)
            continue;
        fputs(before, page.file);
        put_text(codec->name);
        fprintf(page.file, " <strong>%.2f</strong> (%zu datasets)", mean, n);
        before = ", ";
    }
    fputs(*before == ',' ? ".</p>\n" : "", page.file);
}

/* Lines of one dataset and operation follow each other. */
static size_t group_end(size_t first) {
    size_t end = first;
    while (end < page.n_lines && page.lines[end].op == page.lines[first].op &&
           strcmp(page.lines[end].dataset, page.lines[first].dataset) == 0)
        end++;
    return end;
}

static void put_section(bench_op op) {
    size_t end;
    bool is_open = false;
    for (size_t first = 0; first < page.n_lines; first = end) {
        end = group_end(first);
        if (page.lines[first].op != op)
            continue;
        if (!is_open) {
            fprintf(page.file, "<section id=\"%s\">\n<h2>%s</h2>\n",
                    bench_op_names[op], bench_op_names[op]);
            put_means(op);
            fputs("<table>\n<caption>Bars are times, each dataset's slowest "
                  "codec full width: shorter is faster. Ratio is the codec's "
                  "time over pbturbo's.</caption>\n<thead><tr>"
                  "<th class=\"text\">dataset</th><th class=\"text\">codec</th>"
                  "<th>time</th><th>MB/s</th><th>spread</th><th>ratio</th>"
                  "<th></th></tr></thead>\n",
                  page.file);
            is_open = true;
        }
        put_group(&page.lines[first], end - first);
    }
    if (is_open)
        fputs("</table>\n</section>\n", page.file);
}

static void put_page(uint64_t seed, bool quick) {
    fprintf(page.file,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
            "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
            "content=\"width=device-width\"/>\n"
            "<title>pbturbo-bench</title>\n<style>\n%s</style>\n</head>\n"
            "<body>\n<h1>pbturbo %s and its peers</h1>\n",
            style, pbt_version());
    fputs("<p>Every codec's output was compared with that of protobuf-c; then "
          "all ran in turn, on the same messages, in many short rounds, of "
          "which the fastest counts. Spread is the median round over it.</p>\n",
          page.file);
    put_facts(seed, quick);
    put_missing();
    if (page.n_lines == 0)
        fputs("<p>Nothing was measured.</p>\n", page.file);
    for (int op = 0; op < BENCH_N_OPS; op++)
        put_section((bench_op) op);
    fputs("</body>\n</html>\n", page.file);
}

bool bench_html_finish(uint64_t seed, bool quick) {
    if (page.file == NULL)
        return true;
    put_page(seed, quick);
    bool written = ferror(page.file) == 0;
    written &= fclose(page.file) == 0;
    if (!written)
        fprintf(stderr, "pbturbo-bench: %s: %s\n", page.path, strerror(errno));
    free(page.lines);
    free(page.notes);
    memset(&page, 0, sizeof page);
    return written;
}
