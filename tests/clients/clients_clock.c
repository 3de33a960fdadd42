/* clients_clock.c - for LD_PRELOAD: the time of day stands still as long as the
 * file CLIENTS_STILL is there, and every other clock goes on. No memory is
 * needed, so it works in allocators too. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Under names of their own, since headers differ in how they declare them. */
int get_clock(clockid_t clock, struct timespec *now) __asm__("clock_gettime");
int get_day(struct timeval *now, void *zone) __asm__("gettimeofday");
time_t get_time(time_t *now) __asm__("time");

int get_clock(clockid_t clock, struct timespec *now) {
    const char *still = getenv("CLIENTS_STILL");
    if ((clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) || !still ||
        access(still, F_OK) != 0)
        return (int) syscall(SYS_clock_gettime, clock, now);
    now->tv_sec = 1767225600;
    now->tv_nsec = 123456789;
    return 0;
}

int get_day(struct timeval *now, void *zone) {
    struct timespec fine;
    (void) zone;
    (void) get_clock(CLOCK_REALTIME, &fine);
    now->tv_sec = fine.tv_sec;
    now->tv_usec = fine.tv_nsec / 1000;
    return 0;
}

time_t get_time(time_t *now) {
    struct timespec fine;
    (void) get_clock(CLOCK_REALTIME, &fine);
    if (now)
        *now = fine.tv_sec;
    return fine.tv_sec;
}
