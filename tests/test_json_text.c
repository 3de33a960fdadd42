/* test_json_text.c - the text of numbers: the C library reads it back, and
 * nothing shorter or closer reads back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_pow10.h"
#include "suites.h"
#include "support_expect.h"
#include "support_json_text.h"
#include "support_rng.h"

enum { INTEGER_ROOM = 24, FLOAT_ROOM = 40, GUARD = 16, N_RANDOM = 100000 };

/* Text with bytes around it that must stay. */
typedef struct page {
    char before[GUARD];
    char text[FLOAT_ROOM + GUARD];
} page;

static page *new_page(void) {
    static page p;
    memset(&p, '#', sizeof p);
    return &p;
}

/* Checks the bytes around, and ends the text. */
static const char *close_page(page *p, const char *end, size_t room) {
    size_t i;
    for (i = 0; i < GUARD; i++)
        expect_true("nothing before the text is written", p->before[i] == '#');
    for (i = room; i < sizeof p->text; i++)
        expect_true("nothing beyond the room is written", p->text[i] == '#');
    p->text[end - p->text] = 0;
    return p->text;
}

static void expect_integer(uint64_t v) {
    char want[32];
    page *p = new_page();
    snprintf(want, sizeof want, "%llu", (unsigned long long) v);
    expect_text("u64",
                close_page(p, pbti_json_put_u64(p->text, v), INTEGER_ROOM),
                want);
    snprintf(want, sizeof want, "%lld", (long long) v);
    p = new_page();
    expect_text(
        "i64",
        close_page(p, pbti_json_put_i64(p->text, (int64_t) v), INTEGER_ROOM),
        want);
    snprintf(want, sizeof want, "%lu", (unsigned long) (uint32_t) v);
    p = new_page();
    expect_text(
        "u32",
        close_page(p, pbti_json_put_u32(p->text, (uint32_t) v), INTEGER_ROOM),
        want);
    snprintf(want, sizeof want, "%ld", (long) (int32_t) v);
    p = new_page();
    expect_text(
        "i32",
        close_page(p, pbti_json_put_i32(p->text, (int32_t) v), INTEGER_ROOM),
        want);
}

static void expect_integers_near(uint64_t v) {
    uint64_t delta;
    for (delta = 0; delta < 3; delta++) {
        expect_integer(v + delta);
        expect_integer(v - delta);
        expect_integer(0 - v - delta);
    }
}

START_TEST(integers) {
    uint64_t v;
    unsigned i;
    rng r = {1};
    expect_context("powers");
    for (v = 1, i = 0; i < 20; i++, v *= 10)
        expect_integers_near(v);
    for (i = 0; i < 64; i++)
        expect_integers_near(UINT64_C(1) << i);
    expect_context("small integers");
    for (v = 0; v < 20000; v++)
        expect_integer(v);
    expect_context("random integers");
    for (i = 0; i < N_RANDOM; i++)
        expect_integer(rng_next(&r) >> rng_below(&r, 64));
}
END_TEST

/* A float type as the checks below need it. */
typedef struct kind {
    const char *name;
    bool is_double;
    int most_digits;
} kind;

static const kind double_kind = {"double", true, 17};
static const kind float_kind = {"float", false, 9};

static bool reads_back(const kind *k, const char *text, double v) {
    return k->is_double ? strtod(text, NULL) == v
                        : strtof(text, NULL) == (float) v;
}

/* The digits of |v| cut off after n, and the exponent of the first. */
static int cut_digits(double v, int n, char *digits) {
    char exact[900];
    snprintf(exact, sizeof exact, "%.800e", fabs(v));
    digits[0] = exact[0];
    memcpy(digits + 1, exact + 2, (size_t) n - 1);
    digits[n] = 0;
    return atoi(strchr(exact, 'e') + 1);
}

/* The next decimal of as many digits. */
static int next_digits(char *digits, int exponent) {
    size_t i = strlen(digits);
    while (i > 0 && digits[i - 1] == '9')
        digits[--i] = '0';
    if (i > 0) {
        digits[i - 1]++;
        return exponent;
    }
    digits[0] = '1';
    return exponent + 1;
}

static bool digits_read_back(const kind *k, const char *digits, int exponent,
                             double v) {
    char text[64];
    snprintf(text, sizeof text, "%c.%.40se%d", digits[0], digits + 1, exponent);
    return reads_back(k, text, fabs(v));
}

/* Is there a decimal of n digits that reads back? */
static bool suffices(const kind *k, double v, int n) {
    char digits[32];
    int exponent = cut_digits(v, n, digits);
    if (digits_read_back(k, digits, exponent, v))
        return true;
    exponent = next_digits(digits, exponent);
    return digits_read_back(k, digits, exponent, v);
}

/* ECMAScript's text of a number (ECMA-262, Number::toString). */
static void set_style(const char *digits, int exponent, char *text) {
    int n = (int) strlen(digits), point = exponent + 1;
    if (point >= n && point <= 21)
        sprintf(text, "%s%.*s", digits, point - n, "0000000000000000000000");
    else if (point > 0 && point <= 21)
        sprintf(text, "%.*s.%s", point, digits, digits + point);
    else if (point > -6 && point <= 0)
        sprintf(text, "0.%.*s%s", -point, "000000", digits);
    else
        sprintf(text, "%c%s%se%c%d", digits[0], n > 1 ? "." : "", digits + 1,
                exponent < 0 ? '-' : '+', abs(exponent));
}

/* The significant digits of a text; their number. */
static int digits_of(const char *text, char *digits) {
    int n = 0;
    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (n > 0 || *text != '0'))
            digits[n++] = *text;
    while (n > 0 && digits[n - 1] == '0')
        n--;
    digits[n] = 0;
    return n;
}

static void expect_shortest(const kind *k, double v, const char *text) {
    char digits[64], closest[64], want[96];
    int n = digits_of(text, digits), exponent;
    expect_context("%s %.17g as %s", k->name, v, text);
    expect_true("the text reads back", reads_back(k, text, v));
    expect_true("the sign is right", (text[0] == '-') == !!signbit(v));
    if (v == 0) {
        expect_text("zero", text, signbit(v) ? "-0" : "0");
        return;
    }
    expect_true("there are digits", n > 0 && n <= k->most_digits);
    expect_true("no shorter text reads back", n == 1 || !suffices(k, v, n - 1));
    snprintf(want, sizeof want, "%.*e", n - 1, fabs(v));
    exponent = atoi(strchr(want, 'e') + 1);
    digits_of(want, closest);
    while ((int) strlen(closest) < n)
        snprintf(closest + strlen(closest), 2, "0");
    if (digits_read_back(k, closest, exponent, v))
        expect_text("the closest digits", digits, closest);
    else {
        cut_digits(v, n, closest);
        exponent = next_digits(closest, atoi(strchr(want, 'e') + 1));
        expect_text("the closest digits that read back", digits, closest);
    }
    set_style(digits, exponent, want);
    expect_text("the style", text + (text[0] == '-'), want);
}

static void check_double(double v) {
    size_t n, i;
    const json_text_level *levels = json_text_levels(&n);
    char first[64] = "";
    for (i = 0; i < n; i++) {
        page *p = new_page();
        const char *text =
            close_page(p, levels[i].put_double(p->text, v), FLOAT_ROOM);
        if (i == 0) {
            expect_shortest(&double_kind, v, text);
            snprintf(first, sizeof first, "%s", text);
        }
        expect_text(levels[i].name, text, first);
    }
}

static void check_float(float v) {
    size_t n, i;
    const json_text_level *levels = json_text_levels(&n);
    char first[64] = "";
    for (i = 0; i < n; i++) {
        page *p = new_page();
        const char *text =
            close_page(p, levels[i].put_float(p->text, v), FLOAT_ROOM);
        if (i == 0) {
            expect_shortest(&float_kind, v, text);
            snprintf(first, sizeof first, "%s", text);
        }
        expect_text(levels[i].name, text, first);
    }
}

static double double_of(uint64_t bits) {
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static float float_of(uint32_t bits) {
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static void check_double_bits(uint64_t bits) {
    if (isfinite(double_of(bits)))
        check_double(double_of(bits));
}

static void check_float_bits(uint32_t bits) {
    if (isfinite(float_of(bits)))
        check_float(float_of(bits));
}

static void check_near_double(double v) {
    uint64_t bits, delta;
    memcpy(&bits, &v, sizeof bits);
    for (delta = 0; delta < 4; delta++) {
        check_double_bits(bits + delta);
        check_double_bits(bits - delta);
    }
}

static void check_near_float(float v) {
    uint32_t bits, delta;
    memcpy(&bits, &v, sizeof bits);
    for (delta = 0; delta < 4; delta++) {
        check_float_bits(bits + delta);
        check_float_bits(bits - delta);
    }
}

START_TEST(doubles_by_example) {
    static const struct {
        double v;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-1, "-1"},
        {0.1, "0.1"},
        {0.3, "0.3"},
        {0.1 + 0.2, "0.30000000000000004"},
        {0.5, "0.5"},
        {1.0 / 3, "0.3333333333333333"},
        {100, "100"},
        {1e-6, "0.000001"},
        {-1.5e-6, "-0.0000015"},
        {1.2345678901234567e-6, "0.0000012345678901234567"},
        {1e-7, "1e-7"},
        {1.5e-7, "1.5e-7"},
        {9.999999999999997e-7, "9.999999999999997e-7"},
        {1e16, "10000000000000000"},
        {1e20, "100000000000000000000"},
        {999999999999999868928.0, "999999999999999900000"},
        {1e21, "1e+21"},
        {1.5e21, "1.5e+21"},
        {1e22, "1e+22"},
        {1e23, "1e+23"},
        {9007199254740991.0, "9007199254740991"},
        {9007199254740992.0, "9007199254740992"},
        {9007199254740994.0, "9007199254740994"},
        {2251799813685249.5, "2251799813685249.5"},
        {123456789.125, "123456789.125"},
        {5e-324, "5e-324"},
        {1e-323, "1e-323"},
        {2.225073858507201e-308, "2.225073858507201e-308"},
        {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {-1.7976931348623157e308, "-1.7976931348623157e+308"},
        {2.0919495182368195e19, "20919495182368195000"},
        {9.5367431640625e-7, "9.5367431640625e-7"},
        {5.764607523034235e39, "5.764607523034235e+39"},
        {2.98023223876953125e-8, "2.9802322387695312e-8"},
        {9.0608011534336e15, "9060801153433600"},
        {4.708356024711512e18, "4708356024711512000"},
        {9409340012568248e3, "9409340012568248000"},
        {1.8531501765868567e21, "1.8531501765868567e+21"},
        {-65.613616999999977, "-65.61361699999998"},
        {43.420273000000009, "43.42027300000001"},
    };
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[FLOAT_ROOM + 1];
        *pbti_json_put_double(text, cases[i].v) = 0;
        expect_context("example %zu", i);
        expect_text("double", text, cases[i].text);
        check_double(cases[i].v);
    }
}
END_TEST

START_TEST(doubles) {
    rng r = {2};
    int i;
    for (i = -1074; i < 1024; i++)
        check_near_double(ldexp(1, i));
    for (i = -323; i < 309; i++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", i);
        check_near_double(strtod(text, NULL));
        text[0] = (char) ('2' + i % 3);
        check_near_double(strtod(text, NULL));
    }
    check_near_double(1.7976931348623157e308);
    for (i = 0; i < N_RANDOM; i++)
        check_double_bits(rng_next(&r));
}
END_TEST

/* What people write: few digits, everyday size. */
START_TEST(short_doubles) {
    static const double tens[] = {1,   1e1, 1e2, 1e3,  1e4,  1e5,
                                  1e6, 1e7, 1e9, 1e12, 1e15, 1e22};
    rng r = {3};
    int i;
    for (i = 0; i < N_RANDOM / 2; i++) {
        double v = (double) (rng_next(&r) >> (11 + rng_below(&r, 53)));
        check_double(v / tens[rng_below(&r, 12)]);
    }
    for (i = 0; i < N_RANDOM / 10; i++) {
        /* halves and quarters: ties */
        double v = (double) (rng_next(&r) >> (11 + rng_below(&r, 20)));
        check_double(ldexp(v, -(int) rng_below(&r, 12)));
        check_double(ldexp(v, (int) rng_below(&r, 20)));
    }
}
END_TEST

START_TEST(floats) {
    static const struct {
        float v;
        const char *text;
    } cases[] = {
        {0.1f, "0.1"},
        {-0.0f, "-0"},
        {16777216, "16777216"},
        {33554432, "33554432"},
        {1e-45f, "1e-45"},
        {3.4028235e38f, "3.4028235e+38"},
        {1.17549435e-38f, "1.1754944e-38"},
        {8589973504.0f, "8589974000"},
        {1e10f, "10000000000"},
        {1e21f, "1e+21"},
        {1e-6f, "0.000001"},
        {1e-7f, "1e-7"},
        {123456.789f, "123456.79"},
        {9.5367431640625e-7f, "9.536743e-7"},
    };
    rng r = {4};
    size_t i;
    int e;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[FLOAT_ROOM + 1];
        *pbti_json_put_float(text, cases[i].v) = 0;
        expect_context("example %zu", i);
        expect_text("float", text, cases[i].text);
        check_float(cases[i].v);
    }
    for (e = -149; e < 128; e++)
        check_near_float(ldexpf(1, e));
    for (e = -45; e < 39; e++)
        check_near_float((float) pow(10, e));
    for (i = 0; i < N_RANDOM; i++)
        check_float_bits((uint32_t) rng_next(&r));
}
END_TEST

/* A natural number, the lowest word first. */
enum { N_WORDS = 44 };

typedef struct big {
    uint32_t words[N_WORDS];
} big;

static void multiply_by_ten(big *b) {
    uint64_t carry = 0;
    int i;
    for (i = 0; i < N_WORDS; i++) {
        carry += (uint64_t) b->words[i] * 10;
        b->words[i] = (uint32_t) carry;
        carry >>= 32;
    }
}

static void divide_by_ten(big *b) {
    uint64_t rest = 0;
    int i;
    for (i = N_WORDS - 1; i >= 0; i--) {
        rest = rest << 32 | b->words[i];
        b->words[i] = (uint32_t) (rest / 10);
        rest %= 10;
    }
}

static unsigned bit_of(const big *b, int i) {
    return i < 0 ? 0 : b->words[i / 32] >> i % 32 & 1;
}

/* The 128 bits from the highest one on. */
static pbti_wide top_bits(const big *b) {
    pbti_wide top = {0, 0};
    int i = 32 * N_WORDS - 1, n;
    while (!bit_of(b, i))
        i--;
    for (n = 0; n < 128; n++, i--) {
        top.high = top.high << 1 | top.low >> 63;
        top.low = top.low << 1 | bit_of(b, i);
    }
    return top;
}

static void expect_power(int e, const big *b) {
    pbti_wide want = top_bits(b), got = pbti_pow10(e);
    if (e < 0 || e >= PBTI_POW10_STEP)
        want = pbti_add(want, 1);
    expect_context("10^%d", e);
    expect_number("upper half", got.high, want.high);
    expect_number("lower half", got.low, want.low);
}

START_TEST(powers_of_ten) {
    big up = {{1}}, down = {{0}};
    int e;
    down.words[N_WORDS - 1] = 1;
    for (e = 0; e <= PBTI_POW10_MAX; e++, multiply_by_ten(&up))
        expect_power(e, &up);
    for (e = -1; e >= PBTI_POW10_MIN; e--) {
        divide_by_ten(&down);
        expect_power(e, &down);
    }
}
END_TEST

Suite *json_text_suite(void) {
    Suite *suite = suite_create("json_text");
    TCase *c = tcase_create("json_text");
    tcase_set_timeout(c, 300);
    tcase_add_test(c, integers);
    tcase_add_test(c, doubles_by_example);
    tcase_add_test(c, doubles);
    tcase_add_test(c, short_doubles);
    tcase_add_test(c, floats);
    tcase_add_test(c, powers_of_ten);
    suite_add_tcase(suite, c);
    return suite;
}
