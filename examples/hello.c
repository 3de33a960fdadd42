#include <pbturbo/pbturbo.h>
#include <stdio.h>

#include "hello.pb-c.h"

int main(void) {
    int32_t years[] = {1969, 2008, 2026};
    Greeting greeting = GREETING__INIT;
    pbt_buffer buffer = {0};
    pbt_error error = {0};
    pbt_options options = {.error = &error};

    greeting.text = "hello, world";
    greeting.years = years;
    greeting.n_years = 3;
    if (pbt_marshal(&greeting.base, &options, &buffer) != PBT_OK) {
        fprintf(stderr, "%s: %s\n", error.path, error.message);
        return 1;
    }
    printf("%zu bytes, %s code\n", buffer.len, pbt_cpu_level());
    pbt_buffer_free(&buffer);
    return 0;
}
