#!/usr/bin/env python3
"""clients_riemann.py LIBRARY bytes FILE   - writes a message of many events, read
                                          and written again too, to FILE, and
                                          prints the process's map
clients_riemann.py LIBRARY to_buffer    - prints the nanoseconds of CPU that
                                          packing it takes
clients_riemann.py LIBRARY from_buffer  - and unpacking and freeing it
"""
import ctypes
import sys
import time

# riemann_event_field_t
NONE, TIME, STATE, SERVICE, HOST, DESCRIPTION, TTL, DOUBLE = 0, 1, 2, 3, 4, 5, 7, 10
N_EVENTS = 200
# to_buffer puts the size of the message before it.
HEADER = 4


def make_message(library):
    create = library.riemann_event_create
    # the message takes the array too
    allocate = ctypes.CDLL(None).calloc
    allocate.restype = ctypes.POINTER(ctypes.c_void_p)
    events = allocate(ctypes.c_size_t(N_EVENTS), ctypes.c_size_t(8))
    for i in range(N_EVENTS):
        arguments = []
        for field, text in (
            (STATE, "ok"),
            (SERVICE, f"service {i}"),
            (HOST, f"host{i % 7}.example"),
            (DESCRIPTION, "what is measured " * (i % 5)),
        ):
            arguments += [ctypes.c_int(field), ctypes.c_char_p(text.encode())]
        arguments += [ctypes.c_int(TIME), ctypes.c_int64(1767225600 + i)]
        arguments += [ctypes.c_int(TTL), ctypes.c_double(i / 4)]
        arguments += [ctypes.c_int(DOUBLE), ctypes.c_double(i * 1.1)]
        events[i] = create(*arguments, ctypes.c_int(NONE))
        library.riemann_event_tag_add(ctypes.c_void_p(events[i]), b"tag")
        for j in range(i % 4):
            library.riemann_event_string_attribute_add(
                ctypes.c_void_p(events[i]), b"key%d" % j, b"value %d" % i
            )
    message = library.riemann_message_new()
    library.riemann_message_set_events_n(
        ctypes.c_void_p(message), ctypes.c_size_t(N_EVENTS), events
    )
    return ctypes.c_void_p(message)


def main(path, what, name=None):
    library = ctypes.CDLL(path)
    free = ctypes.CDLL(None).free
    free.argtypes = [ctypes.c_void_p]
    for call in ("event_create", "message_new", "message_to_buffer"):
        getattr(library, "riemann_" + call).restype = ctypes.c_void_p
    to_buffer = library.riemann_message_to_buffer
    from_buffer = library.riemann_message_from_buffer
    from_buffer.restype = ctypes.c_void_p
    from_buffer.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    library.riemann_message_free.argtypes = [ctypes.c_void_p]

    message = make_message(library)
    size = ctypes.c_size_t()
    data = to_buffer(message, ctypes.byref(size))
    if what == "bytes":
        again = ctypes.c_void_p(from_buffer(data + HEADER, size.value - HEADER))
        size_again = ctypes.c_size_t()
        data_again = to_buffer(again, ctypes.byref(size_again))
        with open(name, "wb") as out:
            out.write(ctypes.string_at(data, size.value))
            out.write(ctypes.string_at(data_again, size_again.value))
        with open("/proc/self/maps") as maps:
            print(maps.read())
        return

    rounds = 2000
    start = time.process_time_ns()
    for _ in range(rounds):
        if what == "to_buffer":
            free(to_buffer(message, ctypes.byref(size)))
        else:
            library.riemann_message_free(from_buffer(data + HEADER, size.value - HEADER))
    print((time.process_time_ns() - start) // rounds)


if __name__ == "__main__":
    main(*sys.argv[1:])
