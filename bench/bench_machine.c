/* bench_machine.c - what a figure depends on besides the code: asked of the
 * kernel, each fact on its own, none of them needed. */
#include "bench_machine.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sys/utsname.h>
#include <unistd.h>

/* The value behind the colon in the first line of the file that starts with
 * key. False where there is none. */
static bool find_value(const char *path, const char *key, char *value,
                       size_t size) {
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    char line[256];
    bool found = false;
    while (!found && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) != 0 || colon == NULL)
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        snprintf(value, size, "%.*s", (int) strcspn(colon, "\n"), colon);
        found = true;
    }
    fclose(file);
    return found;
}

static size_t find_free_memory(void) {
    char value[64];
    if (!find_value("/proc/meminfo", "MemAvailable", value, sizeof value))
        return 0;
    return (size_t) strtoull(value, NULL, 10) * 1024;
}

void bench_machine_find(bench_machine *machine) {
    memset(machine, 0, sizeof *machine);
    if (!find_value("/proc/cpuinfo", "model name", machine->model,
                    sizeof machine->model))
        snprintf(machine->model, sizeof machine->model, "unknown");
    struct utsname name;
    if (uname(&name) == 0)
        snprintf(machine->system, sizeof machine->system, "%.60s %.60s %.30s",
                 name.sysname, name.release, name.machine);
#ifdef __clang__
    snprintf(machine->compiler, sizeof machine->compiler, "%s", __VERSION__);
#else
    snprintf(machine->compiler, sizeof machine->compiler, "GCC %s",
             __VERSION__);
#endif
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) != NULL)
        strftime(machine->date, sizeof machine->date, "%Y-%m-%d %H:%M UTC",
                 &utc);
    machine->n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
    machine->free_memory = find_free_memory();
}
