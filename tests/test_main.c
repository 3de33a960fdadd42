/* test_main.c - runs one suite of suites.def: the name is the argument.
 *
 * With PBTURBO_CPU set it insists on that level, and exits with 77 (skipped)
 * where the CPU cannot run it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pbturbo/pbturbo.h>

#include "suites.h"

enum { EXIT_SKIPPED = 77, EXIT_USAGE = 2 };

static const struct {
    const char *name;
    Suite *(*make)(void);
} suites[] = {
#define SUITE(name, roads) {#name, name##_suite},
#include PBT_SUITES
#undef SUITE
};

static bool cpu_can_run(const char *level) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (strcmp(level, "x86-64-v4") == 0)
        return __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512vbmi") &&
               __builtin_cpu_supports("avx512vbmi2");
    if (strncmp(level, "x86-64-v3", 9) == 0) /* -pdep may be none of them */
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    if (strcmp(level, "x86-64") == 0)
        return true;
#elif defined(__aarch64__)
    if (strcmp(level, "neon") == 0)
        return true;
#endif
    return strcmp(level, "portable") == 0;
}

static void require_level(void) {
    const char *level = getenv("PBTURBO_CPU");
    if (!level)
        return;
    if (!cpu_can_run(level)) {
        printf("skipped: this CPU cannot run level %s\n", level);
        exit(EXIT_SKIPPED);
    }
    if (strcmp(pbt_cpu_level(), level) != 0) {
        printf("level %s runs, not %s\n", pbt_cpu_level(), level);
        exit(EXIT_FAILURE);
    }
}

static int run(Suite *suite) {
    SRunner *runner = srunner_create(suite);
    int failed;
    /* One process: some tests look at what all tests before them did. */
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    if (srunner_ntests_run(runner) == 0) {
        puts("the suite has no tests");
        failed = 1;
    }
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv) {
    size_t i;
    for (i = 0; argc == 2 && i < sizeof suites / sizeof *suites; i++)
        if (strcmp(argv[1], suites[i].name) == 0) {
            require_level();
            return run(suites[i].make());
        }
    fputs("usage: pbturbo-tests SUITE, one of suites.def\n", stderr);
    return EXIT_USAGE;
}
