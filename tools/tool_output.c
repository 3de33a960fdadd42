/* tool_output.c - see tool_output.h. */
#include "tool_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool_report.h"
#include "tool_temp.h"

static int fail_open(tool_output *out) {
    int code = tool_trouble("%s: %s", out->name, strerror(errno));
    free(out->target);
    free(out->temporary);
    memset(out, 0, sizeof *out);
    return code;
}

/* A device or a pipe cannot be replaced, and need not be. */
static int open_directly(tool_output *out, const char *path) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    out->file = fd < 0 ? NULL : fdopen(fd, "wb");
    return out->file == NULL ? fail_open(out) : TOOL_OK;
}

/* The mode that open would have given the file. */
static mode_t mode_of_new_file(void) {
    mode_t mask = umask(0);
    (void) umask(mask);
    return 0666 & ~mask;
}

/* The temporary file lies beside the target, since rename does not cross file
 * systems. */
static int open_temporary(tool_output *out, mode_t mode) {
    out->temporary = tool_join(out->target, ".XXXXXX");
    int fd = tool_temp_make(out->temporary);
    if (fd < 0)
        return fail_open(out);
    (void) fcntl(fd, F_SETFD, FD_CLOEXEC);
    out->file = fchmod(fd, mode) != 0 ? NULL : fdopen(fd, "wb");
    if (out->file != NULL)
        return TOOL_OK;
    int error = errno;
    (void) close(fd);
    tool_temp_remove(out->temporary);
    errno = error;
    return fail_open(out);
}

int tool_output_open(tool_output *out, const char *path) {
    struct stat status;
    memset(out, 0, sizeof *out);
    if (path == NULL || strcmp(path, "-") == 0) {
        out->name = "(standard output)";
        out->file = stdout;
        return TOOL_OK;
    }
    out->name = path;
    if (stat(path, &status) != 0) {
        if (errno != ENOENT)
            return fail_open(out);
        out->target = tool_join(path, "");
        return open_temporary(out, mode_of_new_file());
    }
    if (!S_ISREG(status.st_mode))
        return open_directly(out, path);
    if (access(path, W_OK) != 0)
        return fail_open(out);
    /* A symbolic link stays one, and what it names is replaced. */
    out->target = realpath(path, NULL);
    if (out->target == NULL)
        return fail_open(out);
    return open_temporary(out, status.st_mode & 07777);
}

static bool note(tool_output *out, bool is_good) {
    if (!is_good && out->error == 0)
        out->error = errno != 0 ? errno : EIO;
    return out->error == 0;
}

bool tool_output_write(tool_output *out, const void *data, size_t len) {
    if (out->error != 0)
        return false;
    errno = 0;
    return note(out, len == 0 || fwrite(data, 1, len, out->file) == len);
}

bool tool_output_print(tool_output *out, const char *format, ...) {
    va_list arguments;
    if (out->error != 0)
        return false;
    errno = 0;
    va_start(arguments, format);
    int n = vfprintf(out->file, format, arguments);
    va_end(arguments);
    return note(out, n >= 0);
}

static size_t put_prefix(tool_framing framing, size_t len, uint8_t prefix[10]) {
    size_t n = 0;
    switch (framing) {
    case TOOL_SINGLE:
        break;
    case TOOL_DELIMITED:
        for (; len >= 0x80; len >>= 7)
            prefix[n++] = (uint8_t) (len | 0x80);
        prefix[n++] = (uint8_t) len;
        break;
    case TOOL_U32LE:
        for (; n < 4; n++)
            prefix[n] = (uint8_t) (len >> (8 * n));
        break;
    }
    return n;
}

int tool_output_message(tool_output *out, tool_framing framing,
                        const uint8_t *data, size_t len) {
    uint8_t prefix[10];
    bool is_good =
        tool_output_write(out, prefix, put_prefix(framing, len, prefix)) &&
        tool_output_write(out, data, len);
    return is_good ? TOOL_OK : TOOL_TROUBLE;
}

/* A reader that has seen enough is no error worth a word. */
static int tell_error(const tool_output *out) {
    if (out->error == EPIPE)
        return TOOL_TROUBLE;
    return tool_trouble("%s: %s", out->name, strerror(out->error));
}

int tool_output_close(tool_output *out, int code, bool keep) {
    if (out->file == NULL)
        return code;
    errno = 0;
    (void) note(out, fclose(out->file) == 0);
    if (out->temporary != NULL && keep && out->error == 0) {
        if (note(out, rename(out->temporary, out->target) == 0))
            tool_temp_keep(out->temporary);
    }
    if (out->temporary != NULL && (!keep || out->error != 0))
        tool_temp_remove(out->temporary);
    if (out->error != 0)
        code = tell_error(out);
    free(out->target);
    free(out->temporary);
    memset(out, 0, sizeof *out);
    return code;
}
