/* packages_packs.c - a program that knows nothing of pbturbo: it packs and
 * unpacks with protobuf-c and prints the bytes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "hello.pb-c.h"

int main(void) {
    int32_t years[] = {1969, 2008, 2026};
    Greeting greeting = GREETING__INIT;
    Greeting *copy;
    uint8_t bytes[64];
    size_t len, i;

    greeting.text = "hello, world";
    greeting.years = years;
    greeting.n_years = 3;
    if (greeting__get_packed_size(&greeting) > sizeof bytes)
        return EXIT_FAILURE;
    len = greeting__pack(&greeting, bytes);
    for (i = 0; i < len; i++)
        printf("%02x", bytes[i]);
    copy = greeting__unpack(NULL, len, bytes);
    if (!copy)
        return EXIT_FAILURE;
    printf(" %s\n", copy->text);
    greeting__free_unpacked(copy, NULL);
    return EXIT_SUCCESS;
}
