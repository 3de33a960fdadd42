/* bench_plot.c - the scale curves as a drawing: a panel for each, both axes
 * logarithmic, in one SVG file that needs no other. */
#include "bench_html.h"
#include "bench_machine.h"
#include "bench_scale.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <pbturbo/pbturbo.h>

/* In the units of the drawing. */
enum {
    COLUMNS = 2,
    PANEL_WIDTH = 480,
    PANEL_HEIGHT = 300,
    HEAD = 70,
    LEFT = 62, /* from the panel's edge to its axes */
    RIGHT = 24,
    TOP = 58,
    BOTTOM = 46,
    MAX_SERIES = 4,
    MARK = 3
};

static const char *const colours[MAX_SERIES] = {"#c2410c", "#2b5f8f", "#6e6e6e",
                                                "#3f7d43"};

/* From a value to a place along an axis. */
typedef struct plot_axis {
    double low; /* decimal logarithms */
    double high;
    double from; /* places of both */
    double to;
} plot_axis;

typedef struct plot_panel {
    FILE *file;
    const scale_result *result;
    scale_curve_id curve;
    double left;
    double top;
    plot_axis x;
    plot_axis y;
    const char *series[MAX_SERIES];
    size_t n_series;
} plot_panel;

static double place(const plot_axis *axis, double value) {
    double share = (log10(value) - axis->low) / (axis->high - axis->low);
    return axis->from + share * (axis->to - axis->from);
}

static void put_label(FILE *file, double x, double y, const char *anchor,
                      const char *text) {
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y,
            anchor);
    bench_html_text(file, text);
    fputs("</text>\n", file);
}

/* 0.1, 20, 3k, 1M, 1G. */
static void format_number(char text[16], double value) {
    static const char *const units[] = {"", "k", "M", "G"};
    size_t unit = 0;
    for (; value >= 999.5 && unit < 3; unit++)
        value /= 1000;
    snprintf(text, 16, "%.4g%s", value, units[unit]);
}

/* The range of the panel's points, and the names of its series. */
static void survey(plot_panel *panel) {
    double low = log10(scale_curves[panel->curve].base);
    panel->x.low = panel->x.high = 0;
    panel->y.low = low;
    panel->y.high = low + 1;
    bool is_first = true;
    for (size_t i = 0; i < panel->result->n; i++) {
        const scale_point *point = &panel->result->points[i];
        if (point->curve != panel->curve)
            continue;
        double x = log10(point->x);
        panel->x.low = is_first ? x : fmin(panel->x.low, x);
        panel->x.high = is_first ? x : fmax(panel->x.high, x);
        double y = log10(point->cost);
        panel->y.low = fmin(panel->y.low, floor(y));
        panel->y.high = fmax(panel->y.high, ceil(y));
        is_first = false;
        size_t known = 0;
        while (known < panel->n_series &&
               strcmp(panel->series[known], point->series) != 0)
            known++;
        if (known == panel->n_series && known < MAX_SERIES)
            panel->series[panel->n_series++] = point->series;
    }
    if (panel->x.high - panel->x.low < 0.1)
        panel->x.high = panel->x.low + 0.1;
}

/* One line across the panel, at a value of either axis, with its number. */
static void put_tick(const plot_panel *panel, bool is_x, double value) {
    const plot_axis *axis = is_x ? &panel->x : &panel->y;
    const plot_axis *other = is_x ? &panel->y : &panel->x;
    double at = place(axis, value);
    char text[16];
    format_number(text, value);
    if (is_x) {
        fprintf(panel->file, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>\n",
                at, other->from, other->to);
        put_label(panel->file, at, other->from + 15, "middle", text);
    } else {
        fprintf(panel->file, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>\n",
                other->from, at, other->to);
        put_label(panel->file, other->from - 6, at + 4, "end", text);
    }
}

/* At every decade; on a short axis at twice and five times that, too. */
static void put_ticks(const plot_panel *panel, bool is_x) {
    static const double steps[] = {1, 2, 5};
    const plot_axis *axis = is_x ? &panel->x : &panel->y;
    size_t n = axis->high - axis->low < 2.5 ? 3 : 1;
    int last = (int) ceil(axis->high);
    for (int decade = (int) floor(axis->low); decade <= last; decade++) {
        for (size_t i = 0; i < n; i++) {
            double value = pow(10, decade) * steps[i];
            double log = log10(value);
            if (log > axis->low - 1e-6 && log < axis->high + 1e-6)
                put_tick(panel, is_x, value);
        }
    }
}

static void put_mark(FILE *file, size_t series, double x, double y) {
    const char *colour = colours[series];
    if (series == 0)
        fprintf(file,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"%s\"/>\n", x,
                y, MARK, colour);
    else if (series == 1)
        fprintf(file,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" "
                "fill=\"%s\"/>\n",
                x - MARK, y - MARK, 2 * MARK, 2 * MARK, colour);
    else
        fprintf(file, "<path d=\"M%.1f %.1fl%d %dh%dz\" fill=\"%s\"/>\n", x,
                y - MARK, MARK + 1, 2 * MARK, -2 * (MARK + 1), colour);
}

static bool is_of(const plot_panel *panel, const scale_point *point,
                  size_t series) {
    return point->curve == panel->curve &&
           strcmp(point->series, panel->series[series]) == 0;
}

static void put_series(const plot_panel *panel, size_t series) {
    const scale_result *result = panel->result;
    char command = 'M';
    fprintf(panel->file,
            "<path fill=\"none\" stroke-width=\"1.6\" stroke=\"%s\" d=\"",
            colours[series]);
    for (size_t i = 0; i < result->n; i++) {
        const scale_point *point = &result->points[i];
        if (!is_of(panel, point, series))
            continue;
        fprintf(panel->file, "%c%.1f %.1f", command, place(&panel->x, point->x),
                place(&panel->y, point->cost));
        command = 'L';
    }
    fputs("\"/>\n", panel->file);
    for (size_t i = 0; i < result->n; i++) {
        const scale_point *point = &result->points[i];
        if (is_of(panel, point, series))
            put_mark(panel->file, series, place(&panel->x, point->x),
                     place(&panel->y, point->cost));
    }
}

/* The names of the series, from the right edge to the left. */
static void put_legend(const plot_panel *panel) {
    double x = panel->x.to;
    double y = panel->top + 32;
    for (size_t i = panel->n_series; i-- > 0;) {
        put_label(panel->file, x, y + 4, "end", panel->series[i]);
        x -= 7 * (double) strlen(panel->series[i]) + 8;
        put_mark(panel->file, i, x, y);
        x -= 16;
    }
}

static void put_titles(const plot_panel *panel) {
    const scale_curve *curve = &scale_curves[panel->curve];
    fprintf(panel->file, "<g class=\"title\">\n");
    put_label(panel->file, panel->x.from, panel->top + 16, "start",
              curve->title);
    fputs("</g>\n", panel->file);
    put_label(panel->file, panel->x.from, panel->top + 36, "start",
              curve->unit);
    put_label(panel->file, panel->x.to, panel->y.from + 30, "end",
              curve->x_name);
}

static void put_panel(FILE *file, const scale_result *result,
                      scale_curve_id curve) {
    plot_panel panel = {.file = file, .result = result, .curve = curve};
    panel.left = (double) ((int) curve % COLUMNS * PANEL_WIDTH);
    panel.top = (double) ((int) curve / COLUMNS * PANEL_HEIGHT + HEAD);
    panel.x.from = panel.left + LEFT;
    panel.x.to = panel.left + PANEL_WIDTH - RIGHT;
    panel.y.from = panel.top + PANEL_HEIGHT - BOTTOM;
    panel.y.to = panel.top + TOP;
    survey(&panel);
    fputs("<g>\n", file);
    put_titles(&panel);
    if (panel.n_series > 0) {
        put_ticks(&panel, true);
        put_ticks(&panel, false);
        put_legend(&panel);
    }
    for (size_t i = 0; i < panel.n_series; i++)
        put_series(&panel, i);
    if (result->notes[curve][0] != '\0')
        put_label(file, panel.x.from, panel.y.from + 30, "start",
                  result->notes[curve]);
    fputs("</g>\n", file);
}

static void put_head(FILE *file, const bench_args *args) {
    bench_machine machine;
    bench_machine_find(&machine);
    char text[400];
    fputs("<g class=\"head\">\n", file);
    put_label(file, LEFT, 28, "start", "Cost of marshal as messages grow");
    fputs("</g>\n", file);
    snprintf(
        text, sizeof text,
        "pbturbo %s (level %s) and protobuf-c %s, %s, seed %" PRIu64 ", %s%s",
        pbt_version(), pbt_cpu_level(), protobuf_c_version(), machine.model,
        args->seed, machine.date, args->quick ? ", quick run" : "");
    put_label(file, LEFT, 48, "start", text);
}

static void put_drawing(FILE *file, const scale_result *result,
                        const bench_args *args) {
    int rows = (SCALE_N_CURVES + COLUMNS - 1) / COLUMNS;
    int width = COLUMNS * PANEL_WIDTH;
    int height = HEAD + rows * PANEL_HEIGHT;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "width=\"%d\" height=\"%d\" role=\"img\">\n",
            width, height, width, height);
    fputs("<title>Cost of marshal as messages grow</title>\n"
          "<style>text{font:11px sans-serif;fill:#3c3c3c}"
          ".title text{font-size:13px;font-weight:bold;fill:#1c1c1c}"
          ".head text{font-size:17px;font-weight:bold;fill:#1c1c1c}"
          ".grid{stroke:#d8d8d8;fill:none}</style>\n",
          file);
    fprintf(file, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", width,
            height);
    put_head(file, args);
    for (int curve = 0; curve < SCALE_N_CURVES; curve++)
        put_panel(file, result, (scale_curve_id) curve);
    fputs("</svg>\n", file);
}

bool scale_plot(FILE *file, const scale_result *result,
                const bench_args *args) {
    put_drawing(file, result, args);
    bool written = ferror(file) == 0;
    written &= fclose(file) == 0;
    if (!written)
        fprintf(stderr, "pbturbo-bench: %s: %s\n", args->plot, strerror(errno));
    return written;
}
