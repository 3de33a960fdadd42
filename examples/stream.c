/* stream.c - output that is not one message in one buffer: a sink over a FILE,
 * writev without copies of large fields, many messages one after the other, and
 * how they are read again; and the error report.
 */
#define _XOPEN_SOURCE 700 /* fileno, IOV_MAX */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <sys/uio.h>

#include <pbturbo/pbturbo.h>

#include "hello.pb-c.h"

/* A sink of one's own has a pbt_sink as its first member. */
typedef struct file_sink {
    pbt_sink base;
    FILE *file;
} file_sink;

static pbt_status write_to_file(pbt_sink *sink, const void *data, size_t len) {
    FILE *file = ((file_sink *) sink)->file;
    return fwrite(data, 1, len, file) == len ? PBT_OK : PBT_ERR_SINK;
}

/* The path is empty where no field is to blame. */
static bool fail(FILE *to, const pbt_error *error) {
    fprintf(to, "%s: %s: %s\n", pbt_status_name(error->status), error->path,
            error->message);
    return false;
}

static bool send_to_sink(const Greeting *greeting, FILE *file) {
    file_sink sink = {{write_to_file}, file};
    pbt_error error = {0};
    pbt_options options = {.error = &error};
    if (pbt_marshal_to_sink(&greeting->base, &options, &sink.base) != PBT_OK)
        return fail(stderr, &error);
    /* A failure to flush is the sink's too. */
    return fflush(file) == 0;
}

/* writev takes no more than IOV_MAX pieces, and may write only a part of what
 * it is given. */
static bool write_vector(int fd, struct iovec *vec, size_t n) {
    while (n > 0) {
        ssize_t done = writev(fd, vec, n < IOV_MAX ? (int) n : IOV_MAX);
        size_t left = done > 0 ? (size_t) done : 0;
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        for (; n > 0 && left >= vec->iov_len; vec++, n--)
            left -= vec->iov_len;
        if (n > 0) {
            vec->iov_base = (char *) vec->iov_base + left;
            vec->iov_len -= left;
        }
    }
    return true;
}

/* The vector lies in the scratch buffer and points into the message. */
static bool send_by_writev(const Greeting *greeting, int fd) {
    pbt_buffer scratch = {0};
    pbt_error error = {0};
    pbt_options options = {.error = &error};
    struct iovec *vec;
    size_t n;
    bool sent;
    if (pbt_marshal_iovec(&greeting->base, &options, &scratch, &vec, &n) ==
        PBT_OK) {
        sent = write_vector(fd, vec, n);
        if (!sent)
            perror("writev");
    } else {
        sent = fail(stderr, &error);
    }
    pbt_buffer_free(&scratch);
    return sent;
}

/* Messages that each have their length before them. */
static bool read_together(const void *data, size_t len) {
    const char *at = data;
    pbt_arena *arena = pbt_arena_new(NULL, 0);
    pbt_error error = {0};
    pbt_options options = {.error = &error};
    bool good = arena != NULL;
    while (good && len > 0) {
        const void *message;
        size_t message_len, used;
        ProtobufCMessage *msg;
        good = pbt_delimited_next(at, len, &options, &message, &message_len,
                                  &used) == PBT_OK &&
               pbt_unmarshal(&greeting__descriptor, message, message_len,
                             &options, arena, &msg) == PBT_OK;
        if (!good)
            break;
        printf("read: a text of %zu bytes\n",
               strlen(((const Greeting *) msg)->text));
        at += used;
        len -= used;
        pbt_arena_reset(arena);
    }
    pbt_arena_free(arena);
    return good || fail(stderr, &error);
}

/* With its length before it, each message can be told from the next. */
static bool send_together(const Greeting *greetings, size_t n, FILE *file) {
    pbt_buffer buffer = {0};
    pbt_error error = {0};
    pbt_options options = {.flags = PBT_DELIMITED, .error = &error};
    bool sent = true;
    size_t i;
    for (i = 0; i < n && sent; i++)
        if (pbt_marshal_append(&greetings[i].base, &options, &buffer) != PBT_OK)
            sent = fail(stderr, &error);
    if (sent)
        sent = fwrite(buffer.data, 1, buffer.len, file) == buffer.len &&
               fflush(file) == 0 && read_together(buffer.data, buffer.len);
    pbt_buffer_free(&buffer);
    return sent;
}

/* What a caller learns of a string that is not UTF-8. */
static void show_error(Greeting greeting) {
    pbt_error error = {0};
    pbt_options options = {.flags = PBT_VALIDATE_UTF8, .error = &error};
    greeting.text = "caf\xe9";
    if (pbt_validate(&greeting.base, &options) != PBT_OK)
        fail(stdout, &error);
}

/* Prints what has been added to the file since the last call. */
static void print_growth(const char *name, FILE *file) {
    static long before;
    long now = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    printf("%s: %ld bytes\n", name, now - before);
    before = now;
}

int main(void) {
    static char long_text[8192 + 1];
    int32_t years[] = {1969, 2008, 2026};
    Greeting greetings[2] = {GREETING__INIT, GREETING__INIT};
    FILE *file = tmpfile();
    if (!file) {
        perror("tmpfile");
        return 1;
    }
    memset(long_text, 'x', sizeof long_text - 1);
    greetings[0].text = "hello, world";
    greetings[0].years = years;
    greetings[0].n_years = 3;
    greetings[1] = greetings[0];
    greetings[1].text = long_text;

    if (!send_to_sink(&greetings[0], file))
        return 1;
    print_growth("sink", file);
    if (!send_by_writev(&greetings[1], fileno(file)))
        return 1;
    print_growth("writev", file);
    if (!send_together(greetings, 2, file))
        return 1;
    print_growth("two messages", file);
    show_error(greetings[0]);
    fclose(file);
    return 0;
}
