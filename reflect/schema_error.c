/* schema_error.c - errors of the loader: file, element, reason. */
#include <stdarg.h>
#include <stdio.h>

#include "base_error.h"
#include "schema_build.h"

enum { NAME_SIZE = 100, REASON_SIZE = 256 };

pbt_status pbti_no_memory(const pbti_builder *b) {
    return pbti_fail(b->error, PBT_ERR_NO_MEMORY, 0, NULL, NULL);
}

/* Names of a hostile set may hold anything; a report is a line of text. */
static void make_printable(char *text) {
    for (; *text; text++)
        if ((unsigned char) *text < 0x20 || *text == 0x7f)
            *text = '?';
}

/* Prepends text to what begins at `at`; what does not fit is left out. */
static char *prepend(const char *begin, char *at, const char *text,
                     size_t len) {
    size_t room = (size_t) (at - begin);
    if (len > room) {
        text += len - room;
        len = room;
    }
    memcpy(at - len, text, len);
    return at - len;
}

void pbti_symbol_text(const pbti_symbol *symbol, const char *name, char *out,
                      size_t size) {
    char *at = out + size - 1;
    *at = '\0';
    if (name)
        at = prepend(out, at, name, strlen(name));
    for (; symbol; symbol = symbol->scope) {
        if (*at)
            at = prepend(out, at, ".", 1);
        at = prepend(out, at, symbol->name, symbol->len);
    }
    if (at == out && size > 4)
        memcpy(at, "...", 3);
    memmove(out, at, strlen(at) + 1);
}

static pbt_status report(const pbti_builder *b, pbt_status status,
                         const pbti_file *file, const char *element,
                         const char *reason) {
    const char *name = file && file->name ? file->name : "(unnamed file)";
    size_t len = strlen(name);
    (void) pbti_fail(b->error, status, 0, NULL, "%s%s: %s%s%s",
                     len < NAME_SIZE ? "" : "...",
                     len < NAME_SIZE ? name : name + len - NAME_SIZE + 4,
                     element, *element ? ": " : "", reason);
    if (b->error)
        make_printable(b->error->message);
    return status;
}

pbt_status pbti_bad_file(const pbti_builder *b, const pbti_file *file,
                         const char *format, ...) {
    char reason[REASON_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return report(b, PBT_ERR_BAD_DESCRIPTOR, file, "", reason);
}

static pbt_status report_element(const pbti_builder *b, pbt_status status,
                                 const pbti_file *file, const char *kind,
                                 const pbti_symbol *scope, const char *name,
                                 const char *format, va_list arguments) {
    char reason[REASON_SIZE];
    char full_name[NAME_SIZE];
    char element[NAME_SIZE + 24];
    vsnprintf(reason, sizeof reason, format, arguments);
    pbti_symbol_text(scope, name, full_name, sizeof full_name);
    snprintf(element, sizeof element, "%s %s", kind, full_name);
    return report(b, status, file, element, reason);
}

pbt_status pbti_bad_element(const pbti_builder *b, pbt_status status,
                            const pbti_file *file, const char *kind,
                            const pbti_symbol *scope, const char *name,
                            const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void) report_element(b, status, file, kind, scope, name, format,
                          arguments);
    va_end(arguments);
    return status;
}

pbt_status pbti_bad_message(const pbti_builder *b, const pbti_message *message,
                            const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void) report_element(b, PBT_ERR_BAD_DESCRIPTOR, message->file, "message",
                          message->symbol, NULL, format, arguments);
    va_end(arguments);
    return PBT_ERR_BAD_DESCRIPTOR;
}

pbt_status pbti_bad_field(const pbti_builder *b, const pbti_field *field,
                          const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void) report_element(b, PBT_ERR_BAD_DESCRIPTOR, field->file,
                          field->facts.is_extension ? "extension" : "field",
                          field->scope,
                          field->proto->name ? field->proto->name : "(unnamed)",
                          format, arguments);
    va_end(arguments);
    return PBT_ERR_BAD_DESCRIPTOR;
}
